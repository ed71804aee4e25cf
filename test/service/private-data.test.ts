// CI: it starts the service.
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  chainPid,
  endProcesses,
  freshDirectory,
  type RunOptions,
  rpc,
  run,
  usedDirectory,
} from '../support/service/process.js';

/** Runs a program with umask 000, which gives other users all permissions on new files. */
const start = (options: RunOptions) => run({ prefix: ['sh', '-c', 'umask 000; exec "$@"', 'sh'], ...options });

/** The files and directories that other users can access, including the directory itself. */
const openIn = (directory: string): string[] =>
  ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })].filter(
    (path) => (lstatSync(join(directory, path)).mode & 0o077) !== 0,
  );

describe('the files in DATA_DIR', () => {
  after(endProcesses);

  it('are private to the user from the first start', async () => {
    const directory = join(freshDirectory(), 'data');
    const service = start({ env: { DATA_DIR: directory } });
    await service.ready();
    await rpc(service.rpcUrl, 'evm_mine');
    expect(openIn(directory)).to.deep.equal([]);
    expect(readdirSync(join(directory, 'chain'))).to.include('pid');
    expect(chainPid(directory)).to.be.above(0);
    expect(await service.stop()).to.include({ code: 0 });
    expect(readdirSync(join(directory, 'chain'))).to.include('state.json');
    expect(openIn(directory)).to.deep.equal([]);
    expect(service.log.filter(({ msg }) => String(msg).startsWith('DATA_DIR'))).to.deep.equal([]);
  });

  for (const program of [['cli/reindex.js'], ['cli/season.js', 'list']] as const) {
    it(`are also made private by ${program.join(' ')}`, async () => {
      const directory = await usedDirectory();
      execFileSync('chmod', ['-R', 'a+rwX', directory]);
      const tool = start({ env: { DATA_DIR: directory }, program: [...program] });
      expect(await tool.exited, tool.stderr).to.include({ code: 0 });
      expect(openIn(directory)).to.deep.equal([]);
      expect(tool.stderr.match(/are private now/g)).to.have.length(1);
    });
  }
});
