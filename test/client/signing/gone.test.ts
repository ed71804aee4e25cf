// CI: it makes many trades on the chain, which take seconds.
import { expect } from 'chai';
import {
  type ClientTrader,
  clockOf,
  newClientTrader,
  thrown,
  useTradedAgent,
  withoutMining,
} from '../support/traders.js';

describe('a trade of the client that a reorg removes', () => {
  const { world, one, held } = useTradedAgent();
  const ask = () => ({ ...one, thesis: 'Before the reorg', id: 'one' });
  const send = (method: string, ...params: unknown[]) => world.chain.provider.send(method, params);
  const nonceOf = ({ wallet }: ClientTrader) => world.chain.provider.getTransactionCount(wallet);

  /** A trader, what it does, and the chain as it was before that. */
  async function reorged(work: (bob: ClientTrader) => Promise<unknown>) {
    const bob = await newClientTrader(world);
    const snapshot = await send('evm_snapshot');
    await work(bob);
    await send('evm_revert', snapshot);
    return bob;
  }
  const attemptsOf = async (bob: ClientTrader) => (await bob.entries()).map(({ attempts }) => attempts.length);

  it('is GONE, however often it is called, and is traded again only when told', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    for (let call = 0; call < 2; call++) {
      const error = await thrown(bob.curvet.trade.buy(ask()));
      expect(error).to.include({ code: 'GONE' });
      expect(error)
        .to.have.property('hint')
        .match(/^Nothing was traded now\. .*again: true, or --again/);
      expect(error).to.have.nested.property('details.hash', (await bob.entries())[0]?.hash);
    }
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([0, [1]]);
    const refused = { ...ask(), again: true, maxSlippage: 51 };
    expect(await thrown(bob.curvet.trade.buy(refused))).to.be.instanceOf(RangeError);
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    const traded = await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(traded).to.include({ id: 'one', ticketsHeld: 1, recordError: null });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([1, [2]]);
    // Told again about a trade that is there, the client trades nothing.
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ hash: traded.hash, continued: true });
    expect(await held(bob)).to.equal(1);
  });

  it('is traded again with the next nonce if the chain has lost earlier transactions of the wallet, too', async () => {
    const bob = await reorged(async ({ curvet }) => {
      await curvet.trade.buy({ ...one, amount: 2 });
      await curvet.trade.buy(ask());
    });
    const next = await nonceOf(bob);
    await bob.curvet.trade.buy({ ...ask(), again: true });
    expect([await held(bob), (await bob.entries()).at(-1)?.nonce]).to.deep.equal([1, next]);
  });

  it('is GONE if a later trade of the client has used its nonce, and TRADE_REPLACED if another program has', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(await held(bob)).to.equal(3);
    const eve = await reorged((trader) => trader.curvet.trade.buy(ask()));
    await (await eve.signer.sendTransaction({ to: eve.wallet, value: 1n })).wait();
    expect(await thrown(eve.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REPLACED' });
  });

  it('is waited for while it is in the pool, and has the block in which it is mined then', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    const [entry] = await bob.entries();
    // The pool of anvil does not get back what a reorg removes.
    await withoutMining(world, async () => {
      await send('eth_sendRawTransaction', entry?.attempts[0]?.raw);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_PENDING' });
      await send('anvil_mine', '0x3');
    });
    const receipt = await world.chain.provider.getTransactionReceipt(String(entry?.hash));
    const { hash, blockNumber, trade } = await bob.curvet.trade.buy(ask());
    expect({ hash, blockNumber }).to.deep.equal({ hash: entry?.hash, blockNumber: receipt?.blockNumber });
    expect(trade).to.include({ thesis: 'Before the reorg' });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([1, [1]]);
  });

  it('stands after 10,000 blocks, also for a node that has pruned its receipt', async () => {
    let head: number | undefined;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const method = /"method":"(\w+)"/.exec(String(init?.body))?.[1];
      const isPruned = head !== undefined && /^eth_getTransaction(Receipt|ByHash)$/.test(String(method));
      if (!isPruned && (head === undefined || method !== 'eth_blockNumber')) return globalThis.fetch(input, init);
      return Response.json({ jsonrpc: '2.0', id: 1, result: isPruned ? null : `0x${head?.toString(16)}` });
    };
    const bob = await newClientTrader(world, { fetch, clock: { ...clockOf(world), sleep: async () => {} } });
    const { hash, blockNumber } = await bob.curvet.trade.buy(ask());
    head = blockNumber + 10_001;
    expect(await bob.curvet.trade.buy(ask())).to.include({ hash, continued: true, ticketsHeld: 1 });
    head = blockNumber + 10_000;
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REPLACED' });
  });

  it('is not GONE if a node of the RPC lags behind its block for 14 seconds', async () => {
    let [slept, isBehind] = [0, false];
    const results: Record<string, unknown> = {
      ...{ eth_getTransactionReceipt: null, eth_getTransactionByHash: null, eth_blockNumber: '0x1' },
    };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const method = /"method":"(\w+)"/.exec(String(init?.body))?.[1] ?? '';
      if (!isBehind || slept > 14_000 || !(method in results || method === 'eth_getTransactionCount')) {
        return globalThis.fetch(input, init);
      }
      return Response.json({ jsonrpc: '2.0', id: 1, result: method in results ? results[method] : '0x0' });
    };
    const clock = clockOf(world);
    const sleep = async (milliseconds: number) => {
      slept += milliseconds;
    };
    const bob = await newClientTrader(world, { fetch, clock: { ...clock, sleep } });
    const { hash } = await bob.curvet.trade.buy(ask());
    [slept, isBehind] = [0, true];
    expect(await bob.curvet.trade.buy(ask())).to.include({ hash, continued: true });
    expect(slept).to.be.above(14_000);
  });
});

describe('a trade of the client with confirmations', () => {
  const { world, one, held } = useTradedAgent();

  it('is pending until as many blocks follow its block, and is traded once', async () => {
    const bob = await newClientTrader(world, { confirmations: 2 });
    const error = await thrown(bob.curvet.trade.buy(one));
    expect(error).to.include({
      code: 'TRADE_PENDING',
      message: 'the transaction is mined and waits for 2 more blocks',
    });
    await world.chain.provider.send('anvil_mine', ['0x1']);
    expect(await thrown(bob.curvet.trade.buy(one)))
      .to.have.property('message')
      .match(/waits for 1 more blocks$/);
    await world.chain.provider.send('anvil_mine', ['0x1']);
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: true, ticketsHeld: 1 });
    expect(await held(bob)).to.equal(1);
  });

  it('waits for the blocks that others mine', async () => {
    const sleep = () => world.chain.provider.send('anvil_mine', ['0x1']);
    const bob = await newClientTrader(world, { confirmations: 2, clock: { ...clockOf(world), sleep } });
    const { blockNumber } = await bob.curvet.trade.buy(one);
    expect(await world.chain.provider.getBlockNumber()).to.equal(blockNumber + 2);
  });
});
