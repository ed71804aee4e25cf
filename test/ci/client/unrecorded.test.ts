import { expect } from 'chai';
import type { CurvetOptions } from '../../../client/src/curvet.js';
import { FAILED, HAS_URL, LIMITED, type Refusal, sendUnless } from '../../support/client/refusals.js';
import { type ClientTrader, clockOf, newClientTrader, rpcThatSays, thrown, useTradedAgent } from '../../support/client/traders.js';
import { addTrade } from '../../support/market/rows.js';

describe('a trade of the client that the service does not record', () => {
  const { world, one, held } = useTradedAgent();

  /** A trader for whom the service refuses to record a trade, until the test clears `state.refusal`. */
  async function refused(given: Refusal, options: Partial<CurvetOptions> = {}) {
    const state = { refusal: given as Refusal | undefined, isCut: false };
    // While `isCut`, the RPC claims to have taken a transaction, and drops it.
    const rpc = rpcThatSays((method) => (state.isCut && method === 'eth_sendRawTransaction' ? null : undefined));
    const fetch: typeof globalThis.fetch = (input, init) => sendUnless(state.refusal, String(input), () => rpc(input, init));
    return Object.assign(await newClientTrader(world, { fetch, ...options }), { state });
  }
  const signedBy = async ({ signer }: ClientTrader) => world.chain.provider.getTransactionCount(signer.address);
  const recorded = async ({ curvet }: ClientTrader) =>
    (await curvet.agents.trades().take(5)).map(({ thesis }: { readonly thesis: string | null }) => thesis);

  for (const [what, thesis, code] of [
    ['a dollar sign', 'x $5', 'INVALID_CHARACTERS'],
    ['a brace', 'x {5}', 'INVALID_CHARACTERS'],
    ['a URL', 'see https://curvet.test/x', 'THESIS_HAS_URL'],
    ['141 characters', 'x'.repeat(141), 'FIELD_TOO_LONG'],
  ] as const) {
    it(`is refused before it is signed, also in a dry run, if its thesis has ${what}`, async () => {
      const bob = await newClientTrader(world);
      const signed = await signedBy(bob);
      for (const tried of [bob.curvet.trade.buy({ ...one, thesis }), bob.curvet.trade.dryRun('buy', { ...one, thesis })]) {
        const error = await thrown(tried);
        expect(error).to.include({ code, status: 400 });
        if (thesis.includes('$')) expect(error).to.have.property('hint').include('"$" (write USD)');
      }
      expect([await bob.entries(), await signedBy(bob)]).to.deep.equal([[], signed]);
    });
  }

  for (const [confidence, more] of [
    [80, {}],
    [80, { thesis: ' ' }],
    [0, { thesis: 'x' }],
    [100, { thesis: 'x' }],
    [7.5, { thesis: 'x' }],
  ] as const) {
    it(`is refused before it is signed with the confidence ${confidence} and ${JSON.stringify(more)}`, async () => {
      const bob = await newClientTrader(world);
      const [signed, ask] = [await signedBy(bob), { ...one, ...more, confidence }];
      for (const tried of [bob.curvet.trade.sell(ask), bob.curvet.trade.dryRun('buy', ask)])
        expect(await thrown(tried)).to.be.instanceOf(RangeError);
      expect([await bob.entries(), await signedBy(bob)]).to.deep.equal([[], signed]);
    });
  }

  it('keeps its confidence with its thesis until both are recorded, and then takes no other', async () => {
    const bob = await refused(HAS_URL);
    const ask = { ...one, id: 'one', thesis: 'see it', confidence: 80 };
    await bob.curvet.trade.buy(ask);
    bob.state.refusal = undefined;
    // The journal alone has the thesis and the confidence now.
    const { hash } = await bob.curvet.trade.buy({ ...one, id: 'one' });
    expect((await bob.curvet.agents.theses().take(1))[0]).to.include({ thesis: 'see it', confidence: 80, txHash: hash });
    const { confidence: _, ...unsure } = ask;
    for (const same of [ask, unsure]) expect(await bob.curvet.trade.buy(same)).to.include({ hash, continued: true });
    expect(await thrown(bob.curvet.trade.buy({ ...ask, confidence: 60 }))).to.include({ code: 'TRADE_ID_REUSED' });
    expect(await held(bob)).to.equal(1);
  });

  it('has the confidence of the call that gave its last thesis, or none', async () => {
    for (const more of [{ confidence: 60 }, {}]) {
      const bob = await refused(HAS_URL);
      await bob.curvet.trade.buy({ ...one, id: 'one', thesis: 'see it', confidence: 80 });
      bob.state.refusal = undefined;
      await bob.curvet.trade.buy({ ...one, id: 'one', thesis: 'corrected', ...more });
      const theses = await bob.curvet.agents.theses().take(2);
      expect(theses.map(({ confidence }) => confidence)).to.deep.equal([more.confidence ?? null]);
    }
  });

  it('is continued without an id by the same confidence, but not by another one', async () => {
    const bob = await refused(HAS_URL);
    const ask = { ...one, thesis: 'see it', confidence: 80 };
    const { hash } = await bob.curvet.trade.buy(ask);
    bob.state.refusal = undefined;
    expect(await bob.curvet.trade.buy({ ...ask, confidence: 60 })).to.include({ continued: false });
    expect(await bob.curvet.trade.buy(ask)).to.include({ continued: true, hash });
    expect((await bob.curvet.agents.theses().take(5)).map(({ confidence }) => confidence)).to.deep.equal([60, 80]);
  });

  it('reports the figures of the chain and the refusal, and takes a corrected thesis under the same id', async () => {
    const bob = await refused(HAS_URL);
    const [signed, ask] = [await signedBy(bob), { ...one, id: 'one', thesis: 'see it' }];
    const first = await bob.curvet.trade.buy(ask);
    const { hint, ...why } = { ...first.recordError };
    expect(why).to.deep.equal({ code: 'THESIS_HAS_URL', error: HAS_URL.error, status: 400, retryAfter: null });
    expect(first).to.include({ trade: null, ticketsHeld: 1, thesis: 'see it', continued: false });
    bob.state.refusal = undefined;
    const corrected = await bob.curvet.trade.buy({ ...ask, thesis: 'corrected' });
    expect(corrected).to.include({ hash: first.hash, continued: true, recordError: null, total: first.total });
    expect(corrected.trade).to.include({ thesis: 'corrected', total: first.total });
    expect(await recorded(bob)).to.deep.equal(['corrected']);
    // A recorded thesis cannot change. A call without a thesis only continues the trade.
    const { thesis: _, ...bare } = ask;
    expect((await bob.curvet.trade.buy(bare)).trade).to.include({ thesis: 'corrected' });
    expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'TRADE_ID_REUSED' });
    expect(await thrown(bob.curvet.trade.sell({ ...ask }))).to.include({ code: 'TRADE_ID_REUSED' });
    expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 1, 1]);
  });

  it('stays one trade, whichever of its theses is given without its id', async () => {
    const bob = await refused(HAS_URL);
    const { id, hash } = await bob.curvet.trade.buy({ ...one, thesis: 'first' });
    await bob.curvet.trade.buy({ ...one, thesis: 'second', id });
    for (const thesis of ['first', 'second', 'first'])
      expect(await bob.curvet.trade.buy({ ...one, thesis })).to.include({ id, hash, thesis, continued: true });
    bob.state.refusal = undefined;
    expect((await bob.curvet.trade.buy({ ...one, id })).trade).to.include({ thesis: 'first' });
    expect([await held(bob), await recorded(bob)]).to.deep.equal([1, ['first']]);
  });

  it('stays one trade if it is signed anew with another thesis', async () => {
    const bob = await refused(HAS_URL);
    bob.state.isCut = true;
    expect(await thrown(bob.curvet.trade.buy({ ...one, thesis: 'first' }))).to.include({ code: 'TRADE_PENDING' });
    bob.state.isCut = false;
    const [{ id = '' } = {}] = await bob.entries();
    // Past the deadline, 600 seconds after the signature. So the next call signs again.
    world.clock.advance(700_000);
    const { hash } = await bob.curvet.trade.buy({ ...one, thesis: 'second', id });
    for (const thesis of ['first', 'second'])
      expect(await bob.curvet.trade.buy({ ...one, thesis })).to.include({ id, hash, continued: true });
    expect(await held(bob)).to.equal(1);
  });

  it('keeps the recorded thesis if the answer to its record was lost, and takes no later one', async () => {
    const bob = await refused({ ...FAILED, isLost: true });
    const ask = { ...one, id: 'one', thesis: 'first' };
    expect((await bob.curvet.trade.buy(ask)).recordError).to.include({ status: 500, retryAfter: null });
    bob.state.refusal = undefined;
    // The client finds the recorded trade even if 50 newer trades precede it in the list.
    for (let i = 0; i < 50; i++) await addTrade(world, { trader: bob.wallet, agent: one.agent, blockNumber: 9_000_000 + i });
    for (const thesis of ['second', 'second', 'first']) {
      const done = await bob.curvet.trade.buy({ ...ask, thesis });
      expect(done).to.include({ thesis: 'first', recordError: null, continued: true });
      expect(done.trade).to.include({ thesis: 'first' });
    }
    expect(await thrown(bob.curvet.trade.buy({ ...ask, thesis: 'third' }))).to.include({ code: 'TRADE_ID_REUSED' });
  });

  it('has no thesis if an empty one is given', async () => {
    const bob = await newClientTrader(world);
    const ask = { ...one, id: 'one' };
    const { hash } = await bob.curvet.trade.buy(ask);
    for (const thesis of ['', ' ']) expect(await bob.curvet.trade.buy({ ...ask, thesis })).to.include({ hash, thesis: null });
    expect(await thrown(bob.curvet.trade.buy({ ...ask, thesis: 'late' }))).to.include({ code: 'TRADE_ID_REUSED' });
    expect(await thrown(bob.curvet.trade.buy({ ...ask, id: '' }))).to.be.instanceOf(RangeError);
  });

  it('can be recorded without its thesis, or with the one that it has', async () => {
    for (const [more, expected] of [
      [{ thesis: '' }, null],
      [{}, 'see it'],
    ] as const) {
      const bob = await refused(HAS_URL);
      await bob.curvet.trade.buy({ ...one, id: 'one', thesis: 'see it' });
      bob.state.refusal = undefined;
      expect((await bob.curvet.trade.buy({ ...one, id: 'one', ...more })).trade).to.include({ thesis: expected });
    }
  });

  it('is continued by the same call without an id until its thesis is recorded, and says how long to wait', async () => {
    const bob = await refused(LIMITED);
    const ask = { ...one, thesis: 'wait' };
    const { recordError, hash } = await bob.curvet.trade.buy(ask);
    expect(recordError).to.include({ code: 'RATE_LIMITED', retryAfter: 600 });
    expect(await bob.curvet.trade.buy(ask)).to.include({ hash, continued: true, trade: null });
    bob.state.refusal = undefined;
    expect(await bob.curvet.trade.buy(ask)).to.include({ hash, continued: true, recordError: null });
    expect(await recorded(bob)).to.deep.equal(['wait']);
    expect(await bob.curvet.trade.buy(ask)).to.include({ continued: false });
    expect(await held(bob)).to.equal(2);
  });

  it('is recorded by a retry of the client if the service is limited, unavailable or busy for seconds', async () => {
    for (const refusal of [
      { ...LIMITED, retryAfter: 30 },
      { status: 503, code: 'DATABASE_UNAVAILABLE', error: 'Database unavailable', retryAfter: 5 },
      { status: 409, code: 'REQUEST_IN_PROGRESS', error: 'Request in progress', retryAfter: 1 },
    ]) {
      const clock = clockOf(world);
      const sleep = async (milliseconds: number) => {
        if (milliseconds >= refusal.retryAfter * 1000) bob.state.refusal = undefined;
        await clock.sleep(milliseconds);
      };
      const bob = await refused(refusal, { clock: { ...clock, sleep } });
      const { recordError, trade } = await bob.curvet.trade.buy({ ...one, thesis: 'retried' });
      expect([recordError, trade?.thesis]).to.deep.equal([null, 'retried']);
    }
  });

  it('counts as done if it has no thesis, because no text is lost', async () => {
    const bob = await refused(LIMITED);
    expect(await bob.curvet.trade.buy(one)).to.have.nested.property('recordError.code', 'RATE_LIMITED');
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: false, ticketsHeld: 2 });
    bob.state.refusal = { status: 410, code: 'DEPRECATED', error: 'This endpoint is deprecated' };
    expect(await bob.curvet.trade.sell(one)).to.include({ recordError: null, trade: null, ticketsHeld: 1 });
  });

  it('asks the service as often without a thesis as with one', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (String(input).startsWith(world.url)) asked.push(new URL(String(input)).pathname);
      return globalThis.fetch(input, init);
    };
    const bob = await newClientTrader(world, { fetch });
    await bob.curvet.trade.buy(one);
    await bob.curvet.trade.buy({ ...one, thesis: 'counted' });
    expect(asked).to.deep.equal([
      '/api/contract',
      '/api/tickets/quote',
      '/api/tickets/buy',
      '/api/tickets/quote',
      '/api/tickets/buy',
    ]);
  });
});
