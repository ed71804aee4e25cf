import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { earlierDirectory } from '../../support/chain/earlier-market.js';
import {
  chainPid,
  endProcesses,
  freshDirectory,
  getJson,
  type RunOptions,
  root,
  rpc,
  run,
  usedDirectory,
} from '../../support/service/process.js';

const nobody = 65_534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] as const;
const [setpriv, ...options] = asNobody;
// Whether the test can run: only root can switch to another user, and that user must have read access to this checkout.
const isPossible = spawnSync(setpriv, [...options, 'test', '-r', join(root, 'dist/src/main.js')]).status === 0;

/** Runs a program with umask 000, which gives other users all permissions on new files. */
const startOpen = (given: RunOptions) => run({ prefix: ['sh', '-c', 'umask 000; exec "$@"', 'sh'], ...given });

/** The files and directories that other users can access, including the directory itself. */
const openIn = (directory: string): string[] =>
  ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })].filter(
    (path) => (lstatSync(join(directory, path)).mode & 0o077) !== 0,
  );

describe('the data directory', () => {
  after(endProcesses);

  it('is private to the user from the first start', async () => {
    const directory = join(freshDirectory(), 'data');
    const service = startOpen({ env: { DATA_DIR: directory } });
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

  for (const [program, answer] of [
    [['cli/reindex.js'], /No corrections\.\n$/],
    [['cli/season.js', 'list'], /^{\n {2}"seasons": \[\n {4}{\n {6}"number": 1,\n/],
    [['cli/moderate.js', 'list'], /^{\n {2}"actions": \[\]\n}\n$/],
  ] as const) {
    it(`is also made private by ${program.join(' ')}, which prints its answer`, async () => {
      const directory = await usedDirectory();
      execFileSync('chmod', ['-R', 'a+rwX', directory]);
      const tool = startOpen({ env: { DATA_DIR: directory }, program });
      expect(await tool.exited, tool.stderr).to.include({ code: 0 });
      expect(tool.stdout).to.match(answer);
      expect(openIn(directory)).to.deep.equal([]);
      expect(tool.stderr.match(/are private now/g)).to.have.length(1);
    });
  }

  (isPossible ? it : it.skip)('works for an unprivileged user who owns it', async () => {
    const home = freshDirectory();
    const directory = await usedDirectory();
    for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(directory, entry), nobody, nobody);
    }
    for (const place of [directory, home]) {
      chownSync(place, nobody, nobody);
      chmodSync(place, 0o700);
    }
    const service = run({ prefix: asNobody, cwd: directory, env: { DATA_DIR: directory, HOME: home } });
    await service.ready();
    expect((await getJson(`${service.url}/ready`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
    expect(readdirSync(home)).to.deep.equal([]);
  });

  it('works if an earlier version made it, and the log says what its contract lacks and how to get it', async () => {
    const service = run({ env: { DATA_DIR: await earlierDirectory() } });
    await service.ready();
    const warned = service.log.filter(({ level }) => Number(level) >= 40);
    expect(warned.map(({ msg }) => msg)).to.deep.equal([
      'the contract was deployed by an earlier version: quotes with a deadline are refused; a new DATA_DIR has all functions',
    ]);
    expect(warned[0]?.missing).to.include('buyTickets(address,uint256,uint256,uint256)');
    expect((await getJson(`${service.url}/api/contract`)).body.overloads).to.equal(false);
  });
});
