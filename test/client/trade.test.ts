// CI: it makes many trades on the chain, which take seconds.
import { expect } from 'chai';
import { Transaction } from 'ethers';
import { Curvet, type Signer, TradeError } from '../../client/src/curvet.js';
import { newTrader, owner } from '../support/market/traders.js';
import {
  clockOf,
  limitsOf,
  newClient,
  newClientTrader,
  thrown,
  useTradedAgent,
  withoutMining,
} from './support/traders.js';

describe('a trade of the client', () => {
  const { world, one, held } = useTradedAgent();

  it('buys the first tickets in the transaction of the registration', async () => {
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
      signTransaction: ({ gas, gasLimit: _, ...transaction }) =>
        inner.signTransaction({ ...transaction, gasLimit: gas }),
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
  });

  it('runs concurrent trades one after the other', async () => {
    const bob = await newClientTrader(world);
    await Promise.all([1, 2, 3].map((n) => bob.curvet.trade.buy({ ...one, id: `n${n}` })));
    expect(await held(bob)).to.equal(3);
  });

  it('returns a mined trade even if the service cannot record it', async () => {
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).includes('/api/tickets/buy') ? new Response('{}', { status: 503 }) : globalThis.fetch(input, init);
    const bob = await newClientTrader(world, { fetch, retries: 0 });
    const { trade, hash } = await bob.curvet.trade.buy(one);
    expect(trade).to.equal(null);
    expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(await held(bob)).to.equal(1);
  });

  it('says why the chain refuses a trade, before it signs', async () => {
    const bob = await newClientTrader(world);
    await owner(world.chain)
      .getFunction('pause')()
      .then((sent) => sent.wait());
    const error = await thrown(bob.curvet.trade.buy(one));
    await owner(world.chain)
      .getFunction('unpause')()
      .then((sent) => sent.wait());
    expect(error).to.be.instanceOf(TradeError);
    expect(error).to.include({ code: 'TRADE_REVERTED', message: 'EnforcedPause' });
    expect(await thrown(bob.curvet.trade.sell(one))).to.include({
      code: 'INSUFFICIENT_TICKETS',
    });
    await world.chain.provider.send('anvil_setBalance', [bob.wallet, '0x1']);
    expect(await thrown(bob.curvet.trade.buy(one))).to.include({
      code: 'INSUFFICIENT_FUNDS',
    });
  });

  it('continues a transaction that is not mined in time', async () => {
    const bob = await newClientTrader(world, { confirmMs: 0 });
    await withoutMining(world, async () => {
      // A different trade is refused, too: its transaction would wait behind the pending one.
      for (const asked of [one, one, { ...one, amount: 2 }]) {
        expect(await thrown(bob.curvet.trade.buy(asked))).to.include({ code: 'TRADE_PENDING' });
      }
    });
    expect((await bob.curvet.trade.open()).map(({ state }) => state)).to.deep.equal(['signed']);
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: true });
    expect(await bob.curvet.trade.open()).to.deep.equal([]);
    expect(await held(bob)).to.equal(1);
  });

  it('signs again with the same nonce if the RPC refuses the first signature', async () => {
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
    expect(await thrown(bob.curvet.trade.buy(one))).to.include({ code: 'RPC', message: 'max fee per gas too low' });
    // The market moves, so that the second signature differs.
    await (await newClientTrader(world)).curvet.trade.buy({ ...one, amount: 5 });
    await bob.curvet.trade.buy(one);
    expect(await held(bob)).to.equal(1);
    const [entry, ...others] = await bob.entries();
    expect(others).to.deep.equal([]);
    expect(entry?.attempts.map(({ raw }) => Transaction.from(raw).nonce)).to.deep.equal([entry?.nonce, entry?.nonce]);
  });

  it('needs a signer, limits and a journal', async () => {
    const keyless = new Curvet({ baseUrl: world.url, clock: clockOf(world) });
    const error = await thrown(keyless.trade.buy(one));
    expect(error).to.include({ code: 'NOT_CONFIGURED', message: 'the client has no signer, no limits, no journal' });
  });
});
