// Nightly: it starts processes of the service, and those of another user, which only root can do.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { earlierDirectory } from '../support/chain/earlier-market.js';
import { endProcesses, freshDirectory, getJson, root, run, usedDirectory } from '../support/service/process.js';

const nobody = 65_534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] as const;
const [setpriv, ...options] = asNobody;
// Only root can switch to another user, and that user must have read access to this checkout.
const isPossible = spawnSync(setpriv, [...options, 'test', '-r', join(root, 'dist/src/main.js')]).status === 0;

(isPossible ? describe : describe.skip)('the data directory of an unprivileged user', () => {
  after(endProcesses);

  it('works if the user owns it', async () => {
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
});

describe('a data directory of a version without deadlines', () => {
  after(endProcesses);

  it('starts, and the log names what its contract lacks and how to get it', async () => {
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
