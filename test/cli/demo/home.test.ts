// Nightly: it depends on real time.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { openHome } from '../../../src/cli/demo/home.js';
import { chainPid, endProcesses, freshDirectory, isAlive, run } from '../../support/service/process.js';

const log = pino({ level: 'silent' });

const demo = (directory: string, args: string[] = [], env: Record<string, string> = {}) =>
  run({ env: { DATA_DIR: directory, ...env }, program: ['cli/demo.js', ...args] });

const stateOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8')).state;

describe("the demo's directory", () => {
  after(endProcesses);

  it('refuses a directory with other files', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'database'));
    writeFileSync(join(directory, 'database', 'diary'), 'mine');
    for (const args of [[], ['--fresh']]) {
      const refused = demo(directory, args);
      expect(await refused.exited).to.include({ code: 1 });
      expect(refused.stderr).to.equal(
        `curvet: DATA_DIR: "${directory}" has files that the demo did not create; use another directory, or leave DATA_DIR unset\n`,
      );
    }
    expect(readdirSync(directory)).to.deep.equal(['database']);
    expect(readFileSync(join(directory, 'database', 'diary'), 'utf8')).to.equal('mine');
  });

  it('deletes only the files of the demo when it is rebuilt', async () => {
    const directory = join(freshDirectory(), 'demo');
    const home = openHome(directory, log);
    await home.clear();
    mkdirSync(join(directory, 'database'));
    writeFileSync(join(directory, 'database', 'rows'), 'of the demo');
    home.finish([]);
    writeFileSync(join(directory, 'notes'), 'mine');
    expect(home.isReady).to.equal(true);
    await home.clear();
    home.release();
    expect(readdirSync(directory).sort()).to.deep.equal(['demo.json', 'lock', 'notes']);
    expect([stateOf(directory), home.isReady]).to.deep.equal(['building', false]);
  });

  it('restarts a build that was interrupted', async () => {
    const directory = join(freshDirectory(), 'demo');
    const first = demo(directory);
    await first.until(() => first.stdout.includes('\n10 %\n'), 'the build does not progress');
    const chain = chainPid(directory);
    expect(isAlive(chain)).to.equal(true);
    expect(await first.stop('SIGINT')).to.include({ code: 0 });
    expect(first.stdout).to.match(/\nInterrupted\. The next start builds the market from the beginning\.\n$/);
    expect(first.stderr).to.equal('');
    expect(isAlive(chain)).to.equal(false);
    expect(stateOf(directory)).to.equal('building');
    // The files of the interrupted build must be deleted before anything new is built.
    writeFileSync(join(directory, 'database', 'left'), 'of the first build');
    const second = demo(directory);
    await second.until(() => second.stdout.includes('Building a market'), 'the demo found a complete market');
    await second.until(
      () => !existsSync(join(directory, 'database', 'left')),
      'the files of the interrupted build remain',
    );
    expect(await second.stop('SIGTERM')).to.include({ code: 0 });
    expect(second.readyLine).to.equal(undefined);
  });

  it('is locked by one demo at a time', async () => {
    const directory = join(freshDirectory(), 'demo');
    const home = openHome(directory, log);
    const other = demo(directory, ['--fresh']);
    expect(await other.exited).to.include({ code: 1 });
    expect(other.stderr).to.equal(`curvet: DATA_DIR: "${directory}" is in use by another process\n`);
    home.release();
  });

  it('refuses an external database or chain and unknown options', async () => {
    const directory = join(freshDirectory(), 'demo');
    for (const [name, value] of [
      ['DATABASE_URL', 'postgresql://localhost/real'],
      ['RPC_URL', 'http://localhost:1'],
    ] as const) {
      const refused = demo(directory, [], { [name]: value });
      expect(await refused.exited).to.include({ code: 1 });
      expect(refused.stderr).to.equal(`curvet: ${name}: the demo uses an embedded database and chain; unset it\n`);
    }
    const wrong = demo(directory, ['--frsh']);
    expect(await wrong.exited).to.include({ code: 1 });
    expect(wrong.stderr).to.match(/^usage: npm run demo/);
    expect(existsSync(directory)).to.equal(false);
  });
});
