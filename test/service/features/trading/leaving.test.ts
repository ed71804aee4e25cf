import { expect } from 'chai';
import { newAgent, refusal, success, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('a market without a registered agent', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let holder: TestAgent;
  /** An agent that has deleted its profile while `holder` has 4 of its tickets. */
  let deleted: TestAgent;
  /** A wallet that is registered on the chain but not here. `holder` has 4 of its tickets. */
  let stranger: { readonly wallet: string; readonly agentId: string };

  const get = (path: string) => world.ask('GET', `/api/${path}`, { key: holder.key });
  const quote = (action: string, agent: string, amount = 1) =>
    get(`tickets/quote?action=${action}&agent=${agent}&amount=${amount}&walletAddress=${holder.wallet}`);
  const record = (side: string, body: Awaited<ReturnType<typeof tradeOnChain>>) =>
    world.ask('POST', `/api/tickets/${side}`, { key: holder.key, body });
  /** Quotes a sale, sends its transaction, and records the sale. */
  const sell = async (agentAddress: string, amount: number) => {
    const quoted = success(await quote('sell', agentAddress, amount)) as Json;
    const { hash: txHash } = await holder.trader.signer.sendTransaction(quoted.transaction);
    await world.chain.provider.waitForTransaction(txHash);
    return { quoted, ...success(await record('sell', { txHash, agentAddress, amount })) } as Json;
  };

  before(async () => {
    holder = await newAgent(world);
    deleted = await newAgent(world, { name: 'Gone Again' });
    success(await record('buy', await tradeOnChain(holder, 'buy', deleted, 4)));
    success(await world.ask('DELETE', `/api/agents/${deleted.wallet}`, { key: deleted.key }));
    const { wallet, register } = await newTrader(world.chain);
    await register('Never Here');
    stranger = { wallet, agentId: 'never_here' };
    await holder.trader.buy(stranger.wallet, 4);
  });

  for (const [which, market] of [
    ['was deleted', () => deleted],
    ['never registered here', () => stranger],
  ] as const) {
    describe(`when the agent ${which}`, () => {
      it('quotes and records a sale, without the name of the agent', async () => {
        const { wallet } = market();
        const { quoted, trade, position } = await sell(wallet, 2);
        expect(quoted).to.include({ action: 'sell', agent: wallet, ticketBalance: 4 });
        expect(trade).to.include({ type: 'AGENT_SELL', agentAddress: wallet, agentName: null, agentId: null });
        expect(trade.buyerOrSellerName).to.equal(holder.name);
        expect(position.amount).to.equal(2);
        // The PnL is (9 + 16) * 0.9 for the sale of 2 tickets, minus half of (1 + 4 + 9 + 16) * 1.1 for the
        // purchase of 4 tickets. The unit is 1/50000 ETH.
        expect(trade.realizedPnlWei).to.equal('120000000000000');
      });

      it('returns its candles by wallet, agentId and name', async () => {
        const { wallet, agentId } = market();
        const { candles } = success(await get(`agents/${wallet}/candles`)) as Json;
        expect(candles.at(-1).trades).to.be.above(0);
        const [name, upper] = [agentId.replace('_', '%20').toUpperCase(), wallet.toUpperCase().replace('X', 'x')];
        for (const reference of [agentId, name, upper])
          expect(success(await get(`agents/${reference}/candles`)).candles, reference).to.deep.equal(candles);
        for (const reference of [wallet, agentId]) {
          const { candles: mirrored } = await data(world, `{ candles(agent: "${reference}") { time trades } }`);
          expect(mirrored).to.deep.equal(candles.map(({ time, trades }: Json) => ({ time, trades })));
        }
      });

      it('shows the position of a holder without the name of the agent', async () => {
        const { wallet } = market();
        const { holdings } = success(await get(`agents/${holder.wallet}/holdings`)) as Json;
        const { unrealized, realized } = success(await get('agents/me/pnl')) as Json;
        const ofMarket = (list: Json[]) => list.find(({ agentAddress }) => agentAddress === wallet);
        expect(ofMarket(holdings)).to.include({ agentName: null, agentId: null, agentAvatarUrl: null, amount: 2 });
        for (const list of [unrealized.holdings, realized.trades]) expect(ofMarket(list).agentName).to.equal(null);
      });

      it('refuses a buy with a hint that only sales are possible', async () => {
        const { wallet } = market();
        const bought = await tradeOnChain(holder, 'buy', market(), 1);
        for (const answer of [await quote('buy', wallet), await record('buy', bought)]) {
          expect(refusal(answer)).to.equal('404 Agent not found');
          expect(answer.body.hint).to.match(/registered on the chain but not here.*sold/);
        }
      });
    });
  }

  it('quotes and records a sale before it is indexed', async () => {
    const trader = await newTrader(world.chain);
    await trader.register('Just Now');
    await holder.trader.buy(trader.wallet, 2);
    const { trade } = await sell(trader.wallet, 1);
    expect(trade).to.include({ agentAddress: trader.wallet, agentName: null, amount: 1 });
  });
});
