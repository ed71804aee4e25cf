// Nightly: it kills processes of the service.
import { expect } from 'chai';
import { devAccount } from '../../src/chain/embedded-chain.js';
import { chainPid, endProcesses, isAlive, rpc, run, usedDirectory } from '../support/service/process.js';

describe('a crash of the service', () => {
  let data: string;
  const start = () => run({ env: { DATA_DIR: data } });

  before(async () => {
    data = await usedDirectory();
  });
  after(endProcesses);

  it('leaves a chain that the next start ends, and whose last transaction it keeps', async () => {
    const crashed = start();
    await crashed.ready();
    const orphan = chainPid(data) as number;
    const [from, to] = [devAccount(6).address, devAccount(5).address];
    const hash = await rpc(crashed.rpcUrl, 'eth_sendTransaction', { from, to, value: '0x1' });
    // The chain saves its state once a second, even after the service is killed.
    expect(await crashed.stop('SIGKILL')).to.include({ signal: 'SIGKILL' });
    expect(isAlive(orphan)).to.equal(true);
    const next = start();
    await next.ready();
    expect(isAlive(orphan)).to.equal(false);
    expect(chainPid(data)).to.not.equal(orphan);
    expect(await rpc(next.rpcUrl, 'eth_getTransactionByHash', hash)).to.include({ hash });
    expect(await next.stop()).to.include({ code: 0 });
  });

  it('follows that of its chain, with an error', async () => {
    const left = start();
    await left.ready();
    process.kill(chainPid(data) as number, 'SIGKILL');
    expect(await left.exited).to.include({ code: 1 });
    expect(left.log.at(-1)).to.include({ reason: 'the embedded chain has ended', msg: 'stopping' });
  });
});
