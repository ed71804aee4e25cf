import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { demoUntil } from '../../../demo/command.js';
import { openHome } from '../../../demo/home.js';
import { callProgram, type Outcome } from '../../support/service/command.js';
import { chainPid, chainPort, endProcesses, freshDirectory, isAlive } from '../../support/service/process.js';

const log = pino({ level: 'silent' });

/** Calls the demo, and interrupts it when its output satisfies `ends`. */
function demo(
  directory: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  ends: (stdout: string) => boolean = (stdout) => stdout.includes('ready'),
): Promise<Outcome> {
  const interrupt = new AbortController();
  const settings = { DATA_DIR: directory, PORT: '0', CHAIN_PORT: chainPort(), ...env };
  return callProgram(demoUntil(interrupt.signal), args, settings, (stdout) => {
    if (ends(stdout)) interrupt.abort();
  });
}

describe('the demo', () => {
  after(endProcesses);

  it('refuses a directory with other files', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'database'));
    writeFileSync(join(directory, 'database', 'diary'), 'mine');
    for (const args of [[], ['--fresh']]) {
      expect(await demo(directory, args)).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `curvet: DATA_DIR: "${directory}" has files that the demo did not create; use another directory, or leave DATA_DIR unset\n`,
      });
    }
    expect(readdirSync(directory)).to.deep.equal(['database']);
    expect(readFileSync(join(directory, 'database', 'diary'), 'utf8')).to.equal('mine');
  });

  it('deletes only its own files when it is rebuilt', async () => {
    const directory = join(freshDirectory(), 'demo');
    const home = openHome(directory, log);
    await home.clear();
    mkdirSync(join(directory, 'database'));
    writeFileSync(join(directory, 'database', 'rows'), 'of the demo');
    home.finish([]);
    writeFileSync(join(directory, 'notes'), 'mine');
    expect(home.keys()).to.deep.equal([]);
    await home.clear();
    home.release();
    expect(readdirSync(directory).sort()).to.deep.equal(['demo.json', 'lock', 'notes']);
    expect(home.keys()).to.equal(undefined);
  });

  it('closes its files to other users when it opens its directory', async () => {
    const directory = freshDirectory();
    const home = openHome(directory, log);
    await home.clear();
    home.finish([]);
    home.release();
    const files = ['demo.json', 'agents.json'].map((name) => join(directory, name));
    for (const file of files) chmodSync(file, 0o644);
    openHome(directory, log).release();
    expect(files.map((file) => statSync(file).mode & 0o777)).to.deep.equal([0o600, 0o600]);
  });

  it('restarts a build that was interrupted', async () => {
    const directory = join(freshDirectory(), 'demo');
    let chain: number | undefined;
    const first = await demo(directory, [], {}, (stdout) => {
      chain ??= chainPid(directory);
      return stdout.includes('\n10 %\n');
    });
    expect([first.code, first.stderr]).to.deep.equal([0, '']);
    expect(first.stdout).to.match(/\nInterrupted\. The next start builds the market from the beginning\.\n$/);
    expect([chain === undefined, isAlive(chain)]).to.deep.equal([false, false]);
    // This file stands for the interrupted build. It must be deleted before the next build begins.
    const left = join(directory, 'database', 'left');
    writeFileSync(left, 'of the first build');
    let wasLeft = false;
    // A part that is just starting when the demo is interrupted ends only with the process. So the interrupt
    // waits for `10 %`, when all parts have started.
    const second = await demo(directory, [], {}, (stdout) => {
      wasLeft ||= stdout.includes('\n0 %\n') && existsSync(left);
      return stdout.includes('\n10 %\n');
    });
    expect([second.code, wasLeft]).to.deep.equal([0, false]);
    expect(second.stdout)
      .to.match(/^Building a market/)
      .and.not.include('ready');
  });

  it('refuses a directory that another process uses', async () => {
    const directory = join(freshDirectory(), 'demo');
    const home = openHome(directory, log);
    const stderr = `curvet: DATA_DIR: "${directory}" is in use by another process\n`;
    expect(await demo(directory, ['--fresh'])).to.include({ code: 1, stderr });
    home.release();
  });

  it('refuses an external database or chain', async () => {
    const directory = join(freshDirectory(), 'demo');
    for (const [name, value] of Object.entries({
      DATABASE_URL: 'postgresql://h/real',
      RPC_URL: 'http://localhost:1',
    })) {
      const stderr = `curvet: ${name}: the demo uses an embedded database and chain; unset it\n`;
      expect(await demo(directory, [], { [name]: value })).to.include({ code: 1, stderr });
    }
    expect(existsSync(directory)).to.equal(false);
  });
});
