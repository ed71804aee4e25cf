import { expect } from 'chai';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { data, type Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

type Transaction = { to: string; from: string; data: string; value: string; gasLimit: string };

describe('a market without a registered agent', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let holder: TestAgent;
  /** An agent that deletes its profile while `holder` has 4 of its tickets. */
  let deleted: TestAgent;
  /** A wallet that is registered on the chain only; `holder` has 4 of its tickets. */
  let stranger: { readonly wallet: string; readonly agentId: string };

  const get = (path: string) => world.ask('GET', path, { key: holder.key, headers: freshIp() });
  const quote = (action: string, agent: string, amount = 1) =>
    get(
      `/api/tickets/quote?${new URLSearchParams({ action, agent, amount: `${amount}`, walletAddress: holder.wallet })}`,
    );
  const send = async ({ body }: { body: Record<string, unknown> }): Promise<string> => {
    const receipt = await (await holder.trader.signer.sendTransaction(body.transaction as Transaction)).wait();
    return receipt?.hash ?? '';
  };
  const record = (side: string, agentAddress: string, amount: number, hash: string) =>
    world.ask('POST', `/api/tickets/${side}`, {
      key: holder.key,
      body: { txHash: hash, agentAddress, amount },
      headers: freshIp(),
    });

  before(async () => {
    holder = await newAgent(world);
    deleted = await newAgent(world, { name: 'Gone Again' });
    const { hash } = await holder.trader.buy(deleted.wallet, 4);
    success(await record('buy', deleted.wallet, 4, hash));
    success(await world.ask('DELETE', `/api/agents/${deleted.wallet}`, { key: deleted.key }));
    const trader = await newTrader(world.chain);
    await trader.register('Never Here');
    stranger = { wallet: trader.wallet, agentId: 'never_here' };
    await holder.trader.buy(stranger.wallet, 4);
  });
  beforeEach(() => world.clock.advance(3_600_000));

  for (const [which, market] of [
    ['was deleted', () => deleted],
    ['never registered here', () => stranger],
  ] as const) {
    describe(`when the agent ${which}`, () => {
      it('quotes and records a sale, without the name of the agent', async () => {
        const { wallet } = market();
        const quoted = await quote('sell', wallet, 2);
        expect(success(quoted)).to.include({ action: 'sell', agent: wallet, ticketBalance: 4 });
        const { trade, position } = success(await record('sell', wallet, 2, await send(quoted))) as Json;
        expect(trade).to.include({ type: 'AGENT_SELL', agentAddress: wallet, agentName: null, agentId: null });
        expect(trade.buyerOrSellerName).to.equal(holder.name);
        expect(position.amount).to.equal(2);
        // The PnL is (9 + 16) * 0.9 minus half of (1 + 4 + 9 + 16) * 1.1, the cost of 4 tickets, in units of 1/50000 ETH.
        expect(trade.realizedPnlWei).to.equal('120000000000000');
      });

      it('returns its candles by wallet, agentId and name', async () => {
        const { wallet, agentId } = market();
        const { candles } = success(await get(`/api/agents/${wallet}/candles`)) as Json;
        expect(candles.at(-1).trades).to.be.above(0);
        for (const reference of [
          agentId,
          agentId.replace('_', '%20').toUpperCase(),
          wallet.toUpperCase().replace('X', 'x'),
        ]) {
          expect(success(await get(`/api/agents/${reference}/candles`)).candles, reference).to.deep.equal(candles);
        }
        for (const reference of [wallet, agentId]) {
          const { candles: mirrored } = await data(world, `{ candles(agent: "${reference}") { time trades } }`);
          expect(mirrored).to.deep.equal(candles.map(({ time, trades }: Json) => ({ time, trades })));
        }
      });

      it('shows the position of a holder without the name of the agent', async () => {
        const { wallet } = market();
        const { holdings } = success(await get(`/api/agents/${holder.wallet}/holdings`)) as Json;
        const held = holdings.find(({ agentAddress }: Json) => agentAddress === wallet);
        expect(held).to.include({ agentName: null, agentId: null, agentAvatarUrl: null, amount: 2 });
        const { unrealized, realized } = success(await get('/api/agents/me/pnl')) as Json;
        for (const list of [unrealized.holdings, realized.trades]) {
          const found = list.find(({ agentAddress }: Json) => agentAddress === wallet);
          expect(found.agentName).to.equal(null);
        }
      });

      it('refuses a buy with a hint that only sales are possible', async () => {
        const { wallet } = market();
        const { hash } = await holder.trader.buy(wallet, 1);
        for (const answer of [await quote('buy', wallet), await record('buy', wallet, 1, hash)]) {
          expect(refusal(answer)).to.equal('404 Agent not found');
          expect(answer.body.hint).to.match(/registered on the chain but not here.*sold/);
        }
      });
    });
  }

  it('quotes and records a sale in a market that is not indexed yet', async () => {
    const trader = await newTrader(world.chain);
    await trader.register('Just Now');
    await holder.trader.buy(trader.wallet, 2);
    const quoted = await quote('sell', trader.wallet, 1);
    const { trade } = success(await record('sell', trader.wallet, 1, await send(quoted))) as Json;
    expect(trade).to.include({ agentAddress: trader.wallet, agentName: null, amount: 1 });
  });
});
