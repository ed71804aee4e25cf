// CI: it makes many trades on the chain, which take seconds.
import { expect } from 'chai';
import { Transaction } from 'ethers';
import { Curvet, memoryJournal, type Signer, TradeError } from '../../client/src/curvet.js';
import { newAgent, type TestAgent } from '../support/market/agents.js';
import { owner, ticketsOf } from '../support/market/traders.js';
import {
  clockOf,
  entriesOf,
  fundedWallet,
  limitsOf,
  newClient,
  newClientTrader,
  thrown,
  useNamedWorld,
  withoutMining,
} from './support/traders.js';

describe('a trade of the client', () => {
  const world = useNamedWorld();
  let ada: TestAgent;
  const held = (wallet: string) => ticketsOf(world.chain, ada.wallet, wallet);

  before(async () => {
    ada = await newAgent(world);
  });

  it('buys and sells in one call, and records the trade with its thesis', async () => {
    const bob = await newClientTrader(world);
    const bought = await bob.curvet.trade.buy({ agent: ada.agentId, amount: 3, maxSlippage: 2, thesis: 'First!' });
    expect(bought.trade).to.include({ type: 'AGENT_BUY', amount: 3, thesis: 'First!', agentAddress: ada.wallet });
    expect(bought.position).to.include({ amount: 3 });
    expect(bought.continued).to.equal(false);
    expect(await held(bob.wallet)).to.equal(3);
    const sold = await bob.curvet.trade.sell({ agent: ada.wallet, amount: 1 });
    expect(sold.trade).to.include({ type: 'AGENT_SELL', amount: 1 });
    expect(await held(bob.wallet)).to.equal(2);
    expect((await world.ask('GET', `/api/agents/${bob.wallet}/trades`)).body.trades).to.have.length(2);
  });

  it('registers a wallet on the chain and here, and uses the new key', async () => {
    const { curvet, signer } = await newClient(world);
    const registered = await curvet.register({ name: 'Registrant', description: 'Registers itself' });
    expect(registered.agent).to.include({ agentId: 'registrant', walletAddress: signer.address.toLowerCase() });
    expect((await curvet.me.get()).agent).to.include({ agentId: 'registrant', description: 'Registers itself' });
    expect((await curvet.trade.buy({ agent: ada.wallet, amount: 1 })).trade?.amount).to.equal(1);
  });

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
    const inner = await fundedWallet(world);
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
    expect((await curvet.trade.buy({ agent: ada.wallet, amount: 1 })).trade?.amount).to.equal(1);
  });

  it('bounds the cost by maxSlippage', async () => {
    const bob = await newClientTrader(world);
    const ask = { agent: ada.wallet, amount: 2 };
    for (const maxSlippage of [0, 0.25, 1, 50]) {
      const { total, bound, transaction } = await bob.curvet.trade.dryRun('buy', { ...ask, maxSlippage });
      const bps = BigInt(Math.round(maxSlippage * 100));
      expect(BigInt(bound)).to.equal((BigInt(total) * (10_000n + bps) + 9_999n) / 10_000n);
      expect(transaction.value).to.equal(BigInt(bound));
    }
    await bob.curvet.trade.buy({ ...ask, maxSlippage: 0 });
    expect(await held(bob.wallet)).to.equal(2);
    expect(await thrown(bob.curvet.trade.buy({ ...ask, maxSlippage: 51 }))).to.be.instanceOf(RangeError);
  });

  it('signs nothing in a dry run', async () => {
    const journal = memoryJournal();
    const bob = await newClientTrader(world, { journal });
    const before = await world.chain.provider.getTransactionCount(bob.wallet);
    await bob.curvet.trade.dryRun('buy', { agent: ada.wallet, amount: 1 });
    expect(await entriesOf(journal)).to.deep.equal([]);
    expect(await world.chain.provider.getTransactionCount(bob.wallet)).to.equal(before);
  });

  it('trades once per id, and refuses the id for another trade', async () => {
    const bob = await newClientTrader(world);
    const ask = { agent: ada.wallet, amount: 1, id: 'monday' };
    const [first, second] = [await bob.curvet.trade.buy(ask), await bob.curvet.trade.buy(ask)];
    expect(second).to.deep.equal({ ...first, continued: true });
    expect(await held(bob.wallet)).to.equal(1);
    expect(await thrown(bob.curvet.trade.buy({ ...ask, amount: 2 }))).to.include({ code: 'TRADE_ID_REUSED' });
    await bob.curvet.trade.buy({ ...ask, id: 'tuesday' });
    expect(await held(bob.wallet)).to.equal(2);
  });

  it('returns a held trade again until it is closed', async () => {
    const bob = await newClientTrader(world);
    const ask = { agent: ada.wallet, amount: 1, hold: true };
    const first = await bob.curvet.trade.buy(ask);
    expect((await bob.curvet.trade.buy(ask)).hash).to.equal(first.hash);
    expect(await bob.curvet.trade.open()).to.have.length(1);
    await bob.curvet.trade.close(first.id);
    expect((await bob.curvet.trade.buy(ask)).hash).to.not.equal(first.hash);
  });

  it('runs concurrent trades one after the other', async () => {
    const bob = await newClientTrader(world);
    await Promise.all([1, 2, 3].map((n) => bob.curvet.trade.buy({ agent: ada.wallet, amount: 1, id: `n${n}` })));
    expect(await held(bob.wallet)).to.equal(3);
  });

  it('returns a mined trade even if the service cannot record it', async () => {
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).includes('/api/tickets/buy') ? new Response('{}', { status: 503 }) : globalThis.fetch(input, init);
    const bob = await newClientTrader(world, { fetch, retries: 0 });
    const { trade, hash } = await bob.curvet.trade.buy({ agent: ada.wallet, amount: 1 });
    expect(trade).to.equal(null);
    expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(await held(bob.wallet)).to.equal(1);
  });

  it('says why the chain refuses a trade, before it signs', async () => {
    const bob = await newClientTrader(world);
    await owner(world.chain)
      .getFunction('pause')()
      .then((sent) => sent.wait());
    const error = await thrown(bob.curvet.trade.buy({ agent: ada.wallet, amount: 1 }));
    await owner(world.chain)
      .getFunction('unpause')()
      .then((sent) => sent.wait());
    expect(error).to.be.instanceOf(TradeError);
    expect(error).to.include({ code: 'TRADE_REVERTED', message: 'EnforcedPause' });
    expect(await thrown(bob.curvet.trade.sell({ agent: ada.wallet, amount: 1 }))).to.include({
      code: 'INSUFFICIENT_TICKETS',
    });
    await world.chain.provider.send('anvil_setBalance', [bob.wallet, '0x1']);
    expect(await thrown(bob.curvet.trade.buy({ agent: ada.wallet, amount: 1 }))).to.include({
      code: 'INSUFFICIENT_FUNDS',
    });
  });

  it('continues a transaction that is not mined in time', async () => {
    const bob = await newClientTrader(world, { confirmMs: 0 });
    const ask = { agent: ada.wallet, amount: 1 };
    await withoutMining(world, async () => {
      // A different trade is refused, too: its transaction would wait behind the pending one.
      for (const asked of [ask, ask, { ...ask, amount: 2 }]) {
        expect(await thrown(bob.curvet.trade.buy(asked))).to.include({ code: 'TRADE_PENDING' });
      }
    });
    expect(await bob.curvet.trade.buy(ask)).to.include({ continued: true });
    expect(await held(bob.wallet)).to.equal(1);
  });

  it('signs again with the same nonce if the RPC refuses the first signature', async () => {
    const journal = memoryJournal();
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
    const bob = await newClientTrader(world, { fetch, journal });
    const ask = { agent: ada.wallet, amount: 1 };
    expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'RPC', message: 'max fee per gas too low' });
    // The market moves, so that the second signature differs.
    await (await newClientTrader(world)).curvet.trade.buy({ agent: ada.wallet, amount: 5 });
    await bob.curvet.trade.buy(ask);
    expect(await held(bob.wallet)).to.equal(1);
    const [entry, ...others] = await entriesOf(journal);
    expect(others).to.deep.equal([]);
    expect(entry?.attempts.map(({ raw }) => Transaction.from(raw).nonce)).to.deep.equal([entry?.nonce, entry?.nonce]);
  });

  it('needs a signer, limits and a journal', async () => {
    const keyless = new Curvet({ baseUrl: world.url, clock: clockOf(world) });
    const error = await thrown(keyless.trade.buy({ agent: ada.wallet, amount: 1 }));
    expect(error).to.include({ code: 'NOT_CONFIGURED', message: 'the client has no signer, no limits, no journal' });
  });
});
