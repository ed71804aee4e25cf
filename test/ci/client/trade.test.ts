import { inspect } from 'node:util';
import { expect } from 'chai';
import { Transaction } from 'ethers';
import { Curvet, type CurvetOptions, type Entry, type Signer, TradeError } from '../../../client/src/curvet.js';
import { decodeTrade } from '../../../client/src/signing/calldata.js';
import {
  type ClientTrader,
  clockOf,
  limitsOf,
  lose,
  newClient,
  newClientTrader,
  thrown,
  useClockAhead,
  useTradedAgent,
  withoutMining,
} from '../../support/client/traders.js';
import { newTrader, owner } from '../../support/market/traders.js';

describe('a trade of the client', () => {
  const { world, one, held } = useTradedAgent();

  it('is part of the registration if it buys the first tickets, and keeps to the limits', async () => {
    const { curvet, signer } = await newClient(world);
    await curvet.register({ name: 'Fair Start', firstTickets: 4 });
    const { trades } = (await world.ask('GET', '/api/agents/fair_start/trades')).body;
    expect(trades).to.have.length(1);
    expect((trades as { amount: number }[])[0]?.amount).to.equal(4);
    expect(await world.chain.provider.getTransactionCount(signer.address)).to.equal(1);
    const stingy = await newClient(world, { limits: { ...limitsOf(world), perTrade: '0.000001' } });
    expect(await thrown(stingy.curvet.register({ name: 'Stingy', firstTickets: 4 }))).to.include({
      code: 'LIMIT_EXCEEDED',
    });
  });

  it('accepts a signer with the interface of viem', async () => {
    const inner = (await newTrader(world.chain)).signer;
    // viem reads `gas`, ignores `gasLimit` and takes the message in an object.
    const signer: Signer = {
      type: 'local',
      address: inner.address,
      signTransaction: ({ gas, gasLimit: _, ...transaction }) => inner.signTransaction({ ...transaction, gasLimit: gas }),
      signMessage: ({ message }: { readonly message: string }) => inner.signMessage(message),
    };
    const { curvet } = await newClient(world, { signer });
    await curvet.register({ name: 'Viem User' });
    expect((await curvet.trade.buy(one)).trade?.amount).to.equal(1);
  });

  it('bounds the cost by maxSlippage', async () => {
    const bob = await newClientTrader(world);
    const ask = { ...one, amount: 2 };
    for (const maxSlippage of [0, 0.25, 1, 50]) {
      const { total, bound, transaction } = await bob.curvet.trade.dryRun('buy', { ...ask, maxSlippage });
      const bps = BigInt(Math.round(maxSlippage * 100));
      expect(BigInt(bound)).to.equal((BigInt(total) * (10_000n + bps) + 9_999n) / 10_000n);
      expect(transaction.value).to.equal(BigInt(bound));
    }
    await bob.curvet.trade.buy({ ...ask, maxSlippage: 0 });
    expect(await held(bob)).to.equal(2);
    expect(await thrown(bob.curvet.trade.buy({ ...ask, maxSlippage: 51 }))).to.be.instanceOf(RangeError);
    const misspelled = { ...ask, slippage: 1 };
    for (const refused of [bob.curvet.trade.buy(misspelled), bob.curvet.trade.dryRun('sell', misspelled)])
      expect(await thrown(refused))
        .to.have.property('message')
        .match(/^a trade has no slippage, but agent, amount, maxSlippage, /);
  });

  it('succeeds beside other trades that start at the same moment', async () => {
    const bob = await newClientTrader(world);
    await Promise.all([1, 2, 3].map((n) => bob.curvet.trade.buy({ ...one, id: `n${n}` })));
    expect(await held(bob)).to.equal(3);
  });

  it('succeeds when it is mined, even if the service cannot record it', async () => {
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).includes('/api/tickets/buy') ? new Response('{}', { status: 503 }) : globalThis.fetch(input, init);
    const bob = await newClientTrader(world, { fetch, retries: 0 });
    const { trade, hash } = await bob.curvet.trade.buy(one);
    expect(trade).to.equal(null);
    expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(await held(bob)).to.equal(1);
  });

  it('says why the chain refuses it', async () => {
    const bob = await newClientTrader(world);
    await (await owner(world.chain).getFunction('pause')()).wait();
    const error = await thrown(bob.curvet.trade.buy(one));
    await (await owner(world.chain).getFunction('unpause')()).wait();
    expect(error).to.be.instanceOf(TradeError);
    expect(error).to.include({ code: 'TRADE_REVERTED', message: 'EnforcedPause' });
    expect(await thrown(bob.curvet.trade.sell(one))).to.include({ code: 'INSUFFICIENT_TICKETS' });
    await world.chain.provider.send('anvil_setBalance', [bob.wallet, '0x1']);
    expect(await thrown(bob.curvet.trade.buy(one))).to.include({ code: 'INSUFFICIENT_FUNDS' });
  });

  it('is continued by the same call if it is not mined in time, while other trades are refused', async () => {
    const bob = await newClientTrader(world, { confirmMs: 0 });
    await withoutMining(world, async () => {
      // The same call twice: the second one continues the first, and waits in vain, too.
      for (const asked of [one, one]) {
        const error = await thrown(bob.curvet.trade.buy(asked));
        expect(error).to.include({ code: 'TRADE_PENDING' });
        expect(error).to.have.nested.property('details.hash', (await bob.entries())[0]?.attempts[0]?.hash);
      }
      // A different trade is refused, too, because its transaction would wait behind the pending one. The error has no details of
      // the pending one, because that is not its own.
      const error = await thrown(bob.curvet.trade.buy({ ...one, amount: 2 }));
      expect(error).to.include({ code: 'TRADE_PENDING' }).and.have.deep.property('details', {});
      expect(error)
        .to.have.property('hint')
        .match(/^Nothing was signed for this trade/);
      expect(inspect(error, { depth: 9 })).to.not.include((await bob.entries())[0]?.attempts[0]?.hash);
    });
    expect((await bob.curvet.trade.open()).map(({ state }) => state)).to.deep.equal(['signed']);
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: true });
    expect(await bob.curvet.trade.open()).to.deep.equal([]);
    expect(await held(bob)).to.equal(1);
  });

  for (const method of ['eth_sendRawTransaction', 'eth_getTransactionReceipt']) {
    it(`says what was sent, with its id and hash, if the RPC fails at ${method}`, async () => {
      let isAway = true;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const answer = await globalThis.fetch(input, init);
        if (isAway && String(init?.body).includes(method)) throw new TypeError('away');
        return answer;
      };
      const bob = await newClientTrader(world, { fetch });
      const error = (await thrown(bob.curvet.trade.buy(one))) as TradeError;
      const [entry] = await bob.entries();
      const { hash } = entry?.attempts[0] ?? {};
      expect(error).to.include({ code: 'RPC' });
      expect(error.message).to.match(/The transaction was sent, and its outcome is unknown$/);
      expect(error.details).to.include({ id: entry?.id, hash });
      isAway = false;
      const again = await bob.curvet.trade.buy({ ...one, id: String(error.details.id) });
      expect(again).to.include({ continued: true, hash });
      expect(await held(bob)).to.equal(1);
    });
  }

  it('is signed again with the same nonce if the RPC refuses the first signature', async () => {
    let refused: string | undefined;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const body = String(init?.body);
      if (body.includes('eth_sendRawTransaction')) {
        refused ??= body;
        const error = { code: -32000, message: 'max fee per gas too low' };
        if (body === refused) return Response.json({ jsonrpc: '2.0', id: 1, error });
      }
      return globalThis.fetch(input, init);
    };
    const bob = await newClientTrader(world, { fetch });
    const error = await thrown(bob.curvet.trade.buy(one));
    expect(error).to.include({ code: 'RPC', message: 'max fee per gas too low' });
    expect(error).to.have.nested.property('details.hash', (await bob.entries())[0]?.attempts[0]?.hash);
    // Another trade moves the price, so that the second signature differs from the first.
    await (await newClientTrader(world)).curvet.trade.buy({ ...one, amount: 5 });
    await bob.curvet.trade.buy(one);
    expect(await held(bob)).to.equal(1);
    const [entry, ...others] = await bob.entries();
    expect(others).to.deep.equal([]);
    expect(entry?.attempts.map(({ raw }) => Transaction.from(raw).nonce)).to.deep.equal([entry?.nonce, entry?.nonce]);
  });

  it('needs a signer, limits and a journal', async () => {
    const keyless = new Curvet({ baseUrl: world.url, clock: clockOf(world) });
    const expected = { code: 'NOT_CONFIGURED', message: 'the client has no signer, no limits, no journal' };
    expect(await thrown(keyless.trade.buy(one))).to.include(expected);
  });
});

describe('a trade of the client that expires', () => {
  const { world, one, held } = useTradedAgent();
  const { clock, pass: passBy } = useClockAhead(world);
  /**
   * Moves the clocks of service and client 700 seconds on, past the deadline (600), but not that of the chain. The chain would
   * still accept the transaction, so only its used nonce prevents that.
   */
  const pass = () => passBy(700_000);
  const seconds = () => Math.floor(clock.now().getTime() / 1000);

  const trader = (given: Partial<CurvetOptions> = {}) => newClientTrader(world, { clock: clockOf({ clock }), ...given });

  /** Lets a purchase expire while it waits in the pool of the chain, and signs the next one before a block is mined. */
  const replacePending = (bob: ClientTrader, next: typeof one) =>
    withoutMining(world, async () => {
      expect(await thrown(bob.curvet.trade.buy(one))).to.include({ code: 'TRADE_PENDING' });
      pass();
      expect(await thrown(bob.curvet.trade.buy(next))).to.include({ code: 'TRADE_PENDING' });
    });
  const signedIn = ({ attempts }: Entry) => attempts.map(({ raw }) => Transaction.from(raw));
  const noncesOf = (entry: Entry) => signedIn(entry).map(({ nonce }) => nonce);
  const deadlinesOf = (entry: Entry) => signedIn(entry).map(({ data }) => decodeTrade(data)?.deadline);
  for (const [deadlineSeconds, expected] of [
    [undefined, 600],
    [30, 30],
    [3600, 3600],
    [null, undefined],
  ] as const) {
    it(`has a deadline in ${expected} seconds if deadlineSeconds is ${deadlineSeconds}`, async () => {
      const bob = await trader({ deadlineSeconds });
      const started = seconds();
      const { deadline } = await bob.curvet.trade.dryRun('buy', one);
      await bob.curvet.trade.buy({ ...one, amount: 2 });
      await bob.curvet.trade.sell(one);
      const entries = await bob.entries();
      const signed = entries.flatMap((entry) => [...deadlinesOf(entry), entry.deadline]);
      // The deadlines in the calldata and in the journal, of a purchase and a sale.
      expect(signed).to.have.length(4);
      for (const time of [deadline === null ? undefined : Date.parse(deadline) / 1000, ...signed]) {
        if (expected === undefined) expect(time).to.equal(undefined);
        else expect(time).to.be.within(started + expected, seconds() + expected);
      }
    });
  }

  it('refuses a deadline of less than 10 or more than 3600 seconds', async () => {
    for (const deadlineSeconds of [9, 3601, Number.NaN]) {
      const bob = await trader({ deadlineSeconds });
      expect(await thrown(bob.curvet.trade.buy(one))).to.be.instanceOf(RangeError);
    }
  });

  it('replaces its expired transaction in the pool of the chain', async () => {
    const bob = await trader({ confirmMs: 500 });
    await replacePending(bob, one);
    const { hash } = await bob.curvet.trade.buy(one);
    const [entry] = await bob.entries();
    expect(entry?.attempts).to.have.length(2);
    expect(hash).to.equal(entry?.attempts[1]?.hash);
    expect(await held(bob)).to.equal(1);
  });

  it('is replaced in the pool by the next trade of the wallet', async () => {
    const bob = await trader({ confirmMs: 500 });
    const two = { ...one, amount: 2 };
    await replacePending(bob, two);
    expect(await held(bob)).to.equal(2);
    await bob.curvet.trade.buy(two);
    const [expired, next] = await bob.entries();
    expect([noncesOf(expired as Entry), expired?.state]).to.deep.equal([noncesOf(next as Entry), 'signed']);
    await bob.curvet.trade.buy(one);
    expect(await held(bob)).to.equal(3);
  });

  for (const more of [{}, { id: 'monday' }]) {
    it(`gives its nonce to the next trade, and is made anew when it is repeated with ${JSON.stringify(more)}`, async () => {
      const bob = await trader();
      await lose(bob, { ...one, ...more });
      pass();
      await bob.curvet.trade.buy({ ...one, amount: 2 });
      expect(await held(bob)).to.equal(2);
      await bob.curvet.trade.buy({ ...one, ...more });
      expect(await held(bob)).to.equal(3);
      const [next, renewed] = await bob.entries();
      const [nonce = 0] = noncesOf(next as Entry);
      expect(noncesOf(renewed as Entry)).to.deep.equal([nonce, nonce + 1]);
    });
  }

  it('expires by the time of the chain, too', async () => {
    const { provider } = world.chain;
    const bob = await trader();
    const snapshot = await provider.send('evm_snapshot', []);
    await lose(bob, one);
    try {
      await provider.send('evm_setNextBlockTimestamp', [seconds() + 20_000]);
      await provider.send('evm_mine', []);
      // The clocks of service and client are behind that of the chain. So the deadline of a new signature has passed on the chain,
      // too.
      expect(await thrown(bob.curvet.trade.buy(one))).to.include({
        code: 'TRADE_REVERTED',
        message: 'DeadlineExpired',
      });
      const [entry] = await bob.entries();
      expect(entry?.attempts).to.have.length(1);
      expect(await held(bob)).to.equal(0);
    } finally {
      await provider.send('evm_revert', [snapshot]);
    }
  });
});
