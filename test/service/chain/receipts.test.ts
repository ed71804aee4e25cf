import { expect } from 'chai';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { CHAIN_ID, type TestChain, testChain } from '../../support/chain/chain.js';
import { testTimes } from '../../support/times.js';

/** A provider that mines the transaction after two requests for its receipt, and before the first request for the block number. */
class MinesLate extends RpcProvider {
  receipts: Promise<unknown>[] = [];

  override async send(method: string, params: unknown[]): Promise<unknown> {
    if (method === 'eth_blockNumber' && this.receipts.length === 2) {
      await Promise.all(this.receipts);
      await super.send('evm_mine', []);
    }
    const answer = super.send(method, params);
    if (method === 'eth_getTransactionReceipt') this.receipts.push(answer);
    return answer;
  }
}

describe('waiting for a receipt', () => {
  let chain: TestChain;
  before(async () => {
    chain = await testChain();
    await chain.provider.send('evm_setAutomine', [false]);
  });
  after(() => chain.provider.send('evm_setAutomine', [true]));

  it('does not need a further block when the transaction is mined between two requests', async () => {
    const provider = new MinesLate([chain.rpcUrl], CHAIN_ID, testTimes);
    try {
      const to = devAccount(2).address;
      const sent = await devAccount(3).connect(provider).sendTransaction({ to, value: 1n, gasLimit: 21_000 });
      const receipt = await sent.wait();
      expect(receipt).to.include({ status: 1, hash: sent.hash });
      expect(await Promise.all(provider.receipts.slice(0, 2))).to.deep.equal([null, null]);
      expect(await provider.getBlockNumber()).to.equal(receipt?.blockNumber);
    } finally {
      provider.destroy();
    }
  });
});
