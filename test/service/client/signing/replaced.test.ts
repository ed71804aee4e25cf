import { expect } from 'chai';
import type { TradeRequest } from '../../../../client/src/curvet.js';
import {
  clockOf,
  lose,
  newClientTrader,
  rpcThatSays,
  thrown,
  useClockAhead,
  useTradedAgent,
} from '../../../support/client/traders.js';

describe('a trade of the client whose nonce is used', () => {
  const { world, one, held } = useTradedAgent();
  // A trade expires after 600 seconds. `pass(700_000)` moves past that, and past the time for which a block may be late.
  const { clock, pass } = useClockAhead(world);

  /** A trader with a signed transaction that never reached the chain, and another transaction that has used its nonce. */
  async function displaced(ask: TradeRequest) {
    const bob = await newClientTrader(world, { clock: clockOf({ clock }) });
    await lose(bob, ask);
    await (await bob.signer.sendTransaction({ to: bob.wallet, value: 1n })).wait();
    return bob;
  }
  /** A `fetch` whose RPC has no receipt while `isBlind` returns true. */
  const blind = (isBlind: () => boolean) =>
    rpcThatSays((method) => (isBlind() && method === 'eth_getTransactionReceipt' ? null : undefined));

  for (const when of ['before', 'after']) {
    it(`fails once with TRADE_REPLACED, and succeeds on the second request, ${when} its deadline`, async () => {
      const bob = await displaced(one);
      if (when === 'after') pass(700_000);
      expect(await thrown(bob.curvet.trade.buy(one))).to.include({ code: 'TRADE_REPLACED' });
      expect(await held(bob)).to.equal(0);
      await bob.curvet.trade.buy(one);
      expect(await held(bob)).to.equal(1);
    });
  }

  it('does not block another trade before its deadline', async () => {
    const bob = await displaced(one);
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    expect(await held(bob)).to.equal(2);
    expect((await bob.entries()).map(({ state }) => state)).to.deep.equal(['replaced', 'recorded']);
  });

  it('does not block another trade after its deadline', async () => {
    const bob = await displaced(one);
    pass(700_000);
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    expect((await bob.entries()).map(({ state }) => state)).to.deep.equal(['replaced', 'recorded']);
  });

  it('fails with TRADE_REPLACED on each repetition under its id, but not under a new id', async () => {
    const ask = { ...one, id: 'displaced' };
    const bob = await displaced(ask);
    for (let again = 0; again < 2; again++) {
      const error = await thrown(bob.curvet.trade.buy(ask));
      expect(error).to.include({ code: 'TRADE_REPLACED' });
      expect(error)
        .to.have.property('hint')
        .match(/with a new id/);
    }
    expect(await held(bob)).to.equal(0);
    expect((await bob.entries()).map(({ state }) => state)).to.deep.equal(['replaced']);
    await bob.curvet.trade.buy({ ...ask, id: 'another' });
    expect(await held(bob)).to.equal(1);
  });

  for (const more of [{}, { id: 'late' }]) {
    it(`is not made twice if the RPC knew its receipt too late: ${JSON.stringify(more)}`, async () => {
      const ask = { ...one, ...more };
      let isBlind = true;
      const bob = await newClientTrader(world, { clock: clockOf({ clock }), fetch: blind(() => isBlind) });
      expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'TRADE_REPLACED' });
      isBlind = false;
      expect(await bob.curvet.trade.buy(ask)).to.have.nested.property('trade.amount', 1);
      expect(await held(bob)).to.equal(1);
    });
  }

  it('keeps its thesis and its confidence when it is signed anew under its id, after its deadline', async () => {
    const bob = await newClientTrader(world, { clock: clockOf({ clock }) });
    await lose(bob, { ...one, id: 'kept', thesis: 'Still true', confidence: 55 });
    pass(700_000);
    const { trade } = await bob.curvet.trade.buy({ ...one, id: 'kept' });
    expect(trade).to.include({ thesis: 'Still true' });
    expect((await bob.curvet.agents.theses().take(1))[0]).to.include({ thesis: 'Still true', confidence: 55 });
    expect((await bob.entries()).map(({ attempts }) => attempts.length)).to.deep.equal([2]);
  });

  it('is not made twice if a trade that the chain has lost had the same nonce', async () => {
    let hidden: string | undefined;
    const hide: typeof globalThis.fetch = rpcThatSays((method, [hash]) =>
      hash === hidden && /^eth_getTransaction(Receipt|ByHash)$/.test(method) ? null : undefined,
    );
    const bob = await newClientTrader(world, { clock: clockOf({ clock }), fetch: hide });
    const send = (method: string, ...params: unknown[]) => world.chain.provider.send(method, params);
    // The chain loses the first trade, and the second gets its nonce. Then the RPC hides the second one.
    const snapshot = await send('evm_snapshot');
    await bob.curvet.trade.buy(one);
    await send('evm_revert', snapshot);
    const ask = { ...one, id: 'second' };
    hidden = (await bob.curvet.trade.buy(ask)).hash;
    // The nonce is used, and no other trade of the journal is on the chain. So the hidden trade may be, and is not repeated.
    for (const again of [false, true])
      expect(await thrown(bob.curvet.trade.buy({ ...ask, again }))).to.include({ code: 'TRADE_REPLACED' });
    expect(await held(bob)).to.equal(1);
  });

  it('succeeds if a lagging RPC knows its mined transaction only after 14 seconds', async () => {
    let slept = 0;
    const sleep = async (milliseconds: number) => {
      slept += milliseconds;
    };
    // The client gives up after 15 seconds: 50 polls, with 300 ms between them.
    const fetch = blind(() => slept < 14_000);
    const bob = await newClientTrader(world, { fetch, clock: { ...clockOf({ clock }), sleep } });
    await bob.curvet.trade.buy(one);
    expect(await held(bob)).to.equal(1);
  });
});
