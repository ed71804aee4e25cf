import { expect } from 'chai';
import { type CurvetOptions, type Entry, memoryJournal } from '../../../../client/src/curvet.js';
import {
  type ClientTrader,
  clockOf,
  lose,
  newClientTrader,
  rpcThatSays,
  thrown,
  useTradedAgent,
  withoutMining,
} from '../../../support/client/traders.js';

type Results = Readonly<Record<string, unknown>>;

describe('a trade of the client that may have left the chain', () => {
  const { world, one, held } = useTradedAgent();
  const ask = () => ({ ...one, thesis: 'Before the reorg', id: 'one' });
  const send = (method: string, ...params: unknown[]) => world.chain.provider.send(method, params);
  const mine = async (raw = '') => (await world.chain.provider.broadcastTransaction(raw)).wait();
  const nonceOf = ({ wallet }: ClientTrader) => world.chain.provider.getTransactionCount(wallet);

  /** Lets a new trader do `work`, and then sets the chain back to the state before it, as a reorg does. Returns the trader. */
  async function reorged(work: (bob: ClientTrader) => Promise<unknown>, given: Partial<CurvetOptions> = {}) {
    const bob = await newClientTrader(world, given);
    const snapshot = await send('evm_snapshot');
    await work(bob);
    await send('evm_revert', snapshot);
    return bob;
  }
  /** Answers of an RPC about a transaction that it does not know. */
  const UNKNOWN: Results = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
  // A clock on which a sleep neither waits nor moves the time.
  const impatient = () => ({ ...clockOf(world), sleep: async () => {} });
  const attemptsOf = async (bob: ClientTrader) => (await bob.entries()).map(({ attempts }) => attempts.length);

  it('is GONE after a reorg, however often it is repeated, and is traded again only when told', async () => {
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
    // This call fails before it signs, so the trade must still be GONE after it.
    const refused = { ...ask(), again: true, maxSlippage: 51 };
    expect(await thrown(bob.curvet.trade.buy(refused))).to.be.instanceOf(RangeError);
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    const traded = await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(traded).to.include({ id: 'one', ticketsHeld: 1, recordError: null });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([1, [2]]);
    // The trade is on the chain now, so a call with `again` trades nothing.
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ hash: traded.hash, continued: true });
    expect(await held(bob)).to.equal(1);
  });

  it('is not traded twice if the chain has lost earlier transactions of the wallet, too, and they come back', async () => {
    const bob = await reorged(async ({ curvet }) => {
      await curvet.trade.buy({ ...one, id: 'earlier', amount: 2 });
      await curvet.trade.buy(ask());
    });
    const raw = (await bob.entries()).map(({ attempts }) => attempts[0]?.raw);
    const error = await thrown(bob.curvet.trade.buy({ ...ask(), again: true }));
    expect(error).to.include({ code: 'GONE' });
    expect(error)
      .to.have.property('hint')
      .match(/earlier transactions of the wallet, too.* trade with a new id\.$/);
    for (const transaction of raw) await mine(transaction);
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ continued: true, ticketsHeld: 3 });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([3, [1, 1]]);
  });

  it('is traded again when other trades have used the nonces below its own', async () => {
    const bob = await reorged(async ({ curvet }) => {
      await curvet.trade.buy({ ...one, id: 'earlier', amount: 2 });
      await curvet.trade.buy(ask());
    });
    await bob.curvet.trade.buy({ ...one, id: 'later', amount: 3 });
    const traded = await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(traded).to.include({ continued: false, ticketsHeld: 4 });
    expect(traded.trade).to.include({ txHash: traded.hash });
  });

  it('is GONE if a later trade of the client has used its nonce, and TRADE_REPLACED if another program has', async () => {
    // This RPC says that its pool still has the transaction. That does not matter, because its nonce is used.
    const fetch = rpcThatSays((method) => (method === 'eth_getTransactionByHash' ? {} : undefined));
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()), { fetch });
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(await held(bob)).to.equal(3);
    const eve = await reorged((trader) => trader.curvet.trade.buy(ask()));
    await (await eve.signer.sendTransaction({ to: eve.wallet, value: 1n })).wait();
    expect(await thrown(eve.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REPLACED' });
  });

  it('stays pending while it is in the pool, and then reports the block in which it is mined', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    const [entry] = await bob.entries();
    // After a reorg, anvil does not put the removed transactions back into its pool, so the test sends this one again.
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
    // The trade has ended, so a call without its id is a new trade.
    const { id: _, ...anew } = ask();
    expect(await bob.curvet.trade.buy(anew)).to.include({ continued: false, ticketsHeld: 2 });
  });

  it('is GONE if the pool drops it, also after its deadline, and is traded again only when told', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    const { attempts, hash } = (await bob.entries())[0] as Entry;
    await withoutMining(world, async () => {
      await send('eth_sendRawTransaction', attempts[0]?.raw);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_PENDING' });
      await send('anvil_dropTransaction', hash);
    });
    // 700 seconds are longer than the deadline of 600 seconds.
    for (const wait of [0, 700_000]) {
      world.clock.advance(wait);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    }
    // After its deadline the transaction cannot trade, even if a pool has it again. The next signature takes its place.
    await withoutMining(world, async () => {
      await send('eth_sendRawTransaction', attempts[0]?.raw);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
      expect(await attemptsOf(bob)).to.deep.equal([1]);
      expect(await thrown(bob.curvet.trade.buy({ ...ask(), again: true }))).to.include({ code: 'TRADE_PENDING' });
    });
    expect(await bob.curvet.trade.buy(ask())).to.include({ ticketsHeld: 1 });
    expect(await attemptsOf(bob)).to.deep.equal([2]);
    expect((await bob.entries())[0]).to.include({ state: 'recorded', open: false });
  });

  it('is final after 10,000 blocks, also for a node that has pruned its receipt', async () => {
    let says: Results = {};
    const pruned = (head: number) => ({ ...UNKNOWN, eth_blockNumber: `0x${head.toString(16)}` });
    const journal = memoryJournal();
    const bob = await newClientTrader(world, {
      journal,
      fetch: rpcThatSays((method) => says[method]),
      clock: impatient(),
    });
    const { hash, blockNumber, total } = await bob.curvet.trade.buy(ask());
    const done = { hash, total, continued: true, ticketsHeld: 1 };
    says = pruned(blockNumber + 10_001);
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
    // One block earlier, the trade is not final, and the client looks for its receipt.
    says = pruned(blockNumber + 10_000);
    const error = await thrown(bob.curvet.trade.buy(ask()));
    expect(error).to.include({ code: 'TRADE_REPLACED' });
    expect(error)
      .to.have.property('hint')
      .match(/^The RPC has no receipt\. Check the transactions of the wallet/);
    // If the node has the receipt again, the trade counts as done, as before.
    says = {};
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
    expect((await bob.entries())[0]).to.include({ state: 'recorded', open: false });
    // A journal of version 0.2.0 contains the record of the service, but not the figures of the chain (`traded`).
    await journal.exclusive(async (file) => file.write((await file.read()).map(({ traded: _, ...entry }) => ({ ...entry }))));
    says = pruned(blockNumber + 10_001);
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
  });

  for (const [what, height] of [
    ['of which all nodes lag', { eth_blockNumber: '0x1' }],
    ['of which some nodes lag', {}],
  ] as const) {
    it(`is not GONE if an RPC, ${what} behind its block, knows it after 14 seconds`, async () => {
      let [slept, isBehind] = [0, false];
      const behind: Results = { ...UNKNOWN, ...height, eth_getTransactionCount: '0x0' };
      const fetch = rpcThatSays((method) => (isBehind && slept <= 14_000 ? behind[method] : undefined));
      const sleep = async (milliseconds: number) => {
        slept += milliseconds;
      };
      const bob = await newClientTrader(world, { fetch, clock: { ...clockOf(world), sleep } });
      const { hash } = await bob.curvet.trade.buy(ask());
      // The client gives up after 15 seconds.
      [slept, isBehind] = [0, true];
      expect(await bob.curvet.trade.buy(ask())).to.include({ hash, continued: true });
      expect(slept).to.be.above(14_000);
    });
  }

  it('is not traded twice with again: true if a node lags by two transactions and its next answer is current', async () => {
    let behind: Results = {};
    const fetch = rpcThatSays((method, [, block]) => {
      const result = behind[method];
      // The client asks for the pending nonce last, before it would sign. All answers after it are current.
      if (block === 'pending') behind = {};
      return result;
    });
    const bob = await newClientTrader(world, { clock: impatient(), fetch });
    const first = await nonceOf(bob);
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    const { hash } = await bob.curvet.trade.buy(ask());
    behind = { ...UNKNOWN, eth_getTransactionCount: `0x${first.toString(16)}` };
    expect(await thrown(bob.curvet.trade.buy({ ...ask(), again: true }))).to.include({ code: 'GONE' });
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ hash, ticketsHeld: 3 });
    expect(await held(bob)).to.equal(3);
  });

  it('is found if the RPC has its receipt only 3 seconds later, also after its deadline', async () => {
    let slept = 3000;
    const sleep = async (milliseconds: number) => {
      slept += milliseconds;
    };
    const fetch = rpcThatSays((method) => (slept < 3000 && method === 'eth_getTransactionReceipt' ? null : undefined));
    const bob = await newClientTrader(world, { fetch, clock: { ...clockOf(world), sleep } });
    const { hash } = await bob.curvet.trade.buy(ask());
    world.clock.advance(700_000);
    slept = 0;
    expect(await bob.curvet.trade.buy(ask())).to.include({ hash, continued: true });
  });

  it('is found in a block after a reorg, although it had reverted before', async () => {
    const journal = memoryJournal();
    const bob = await newClientTrader(world, { journal });
    await lose(bob, ask());
    const [signed] = (await bob.entries()) as [Entry];
    // The journal says that the transaction had reverted, in a block that a reorg has removed since.
    const reverted = {
      ...signed,
      state: 'reverted',
      open: false,
      hash: signed.attempts[0]?.hash,
      blockNumber: 1,
    } as Entry;
    await journal.exclusive((file) => file.write([reverted]));
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REVERTED' });
    await mine(signed.attempts[0]?.raw);
    expect(await bob.curvet.trade.buy(ask())).to.include({ hash: reverted.hash, ticketsHeld: 1, recordError: null });
  });

  it('fails with the block in which it was mined if the RPC is unavailable', async () => {
    let isAway = false;
    const fetch: typeof globalThis.fetch = (input, init) =>
      isAway && String(init?.body).includes('jsonrpc') ? Promise.reject(new TypeError('away')) : globalThis.fetch(input, init);
    const bob = await newClientTrader(world, { fetch });
    const { id, hash, blockNumber } = await bob.curvet.trade.buy(ask());
    isAway = true;
    const error = await thrown(bob.curvet.trade.buy(ask()));
    expect(error).to.deep.include({ code: 'RPC', details: { id, hash, terms: (await bob.entries())[0]?.terms } });
    expect(error)
      .to.have.property('message')
      .match(new RegExp(`The transaction was mined in block ${blockNumber}$`));
  });
});
