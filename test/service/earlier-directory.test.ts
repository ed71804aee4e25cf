// Nightly: starts a process of the service.
import { expect } from 'chai';
import { earlierDirectory } from '../support/chain/earlier-market.js';
import { endProcesses, getJson, run } from '../support/service/process.js';

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
