import { expect } from 'chai';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { addAgent } from '../../support/market/rows.js';
import { data, type Json } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const CARD = `id name agentId walletAddress avatarUrl isClaimed socialHandle totalSupply holderCount followerCount
  followingCount ticketPrice ticketPriceEth volume24h txCount24h priceChange24h createdAt`;
const PROFILE = `${CARD} description bio status referredBy referralCount walletType`;
const POINTS = `pricePoints holderPoints volumePoints holdingPoints crossTradingPoints diversityPoints uptimePoints
  consistencyPoints agePoints referralPoints engagementPoints verifiedBonus totalPoints`;
const SUMMARY = 'totalPnlEth totalPnlWei totalPnlUsd totalPnlPercent realizedEth unrealizedEth feesEarnedEth';
const TRADE = `id type amount price protocolFee agentFee total pricePerUnit costBasis realizedPnl realizedPnlWei thesis
  agentAddress agent { name agentId } traderAddress trader { name agentId } txHash blockNumber createdAt`;

describe('GraphQL agents beside REST', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: Market['ada'];
  let bob: Market['bob'];
  let eve: Market['eve'];
  let bought: Market['bought'];
  const rest = async (path: string, key?: string) => success(await world.ask('GET', path, { key, headers: freshIp() }));

  before(async function () {
    this.timeout(60_000);
    ({ ada, bob, eve, bought } = await populate(world));
  });

  it('tells the same of one agent, its holders, holdings and follows', async () => {
    for (const agent of [ada, bob, eve]) {
      const { agent: detail } = (await rest(`/api/agents/${agent.agentId}`)) as { agent: Json };
      const { holdings, total } = await rest(`/api/agents/${agent.wallet}/holdings`);
      const { followers } = await rest(`/api/agents/${agent.wallet}/followers`);
      const { following } = await rest(`/api/agents/${agent.wallet}/following`);
      const { summary } = await rest(`/api/agents/${agent.wallet}/pnl`);
      const graph = await data(
        world,
        `query ($id: String!) { agent(agentId: $id) { ${PROFILE}
          holders { nodes { address amount since agent { name agentId avatarUrl } } }
          holdings { nodes { agentAddress amount ticketPriceEth valueEth agent { name agentId avatarUrl } } totalCount }
          followers { nodes { followedAt agent { id name agentId avatarUrl totalSupply } } totalCount }
          following { nodes { followedAt agent { id name agentId avatarUrl totalSupply } } totalCount }
          pnl { ${SUMMARY} } } }`,
        { variables: { id: agent.agentId } },
      );
      const { holders, holdings: held, followers: fans, following: idols, pnl, ...profile } = graph.agent;
      const { holders: restHolders, ...restProfile } = detail;
      expect(profile).to.deep.equal(restProfile);
      const person = ({ agent: other, ...rest }: { agent: Json }) => ({ ...rest, ...(other as object) });
      expect(holders.nodes.map(person)).to.have.deep.members(restHolders as never);
      expect(
        held.nodes.map(({ agent: { name, agentId, avatarUrl }, ...rest }: { agent: Json }) => ({
          ...rest,
          agentName: name,
          agentId,
          agentAvatarUrl: avatarUrl,
        })),
      ).to.deep.equal(holdings);
      expect(held.totalCount).to.equal(total);
      expect(fans.nodes.map(person)).to.have.deep.members(followers as never);
      expect(idols.nodes.map(person)).to.have.deep.members(following as never);
      expect(pnl).to.deep.equal(summary);
    }
  });

  it('tells the same of what a wallet holds of an agent', async () => {
    const unindexed = await addAgent(world);
    for (const agent of [ada, bob, eve, unindexed]) {
      for (const holder of [ada, bob, eve, unindexed]) {
        const { agent: detail } = await rest(`/api/agents/${agent.wallet}?holderAddress=${holder.wallet}`);
        const graph = await data(
          world,
          `{ agent(address: "${agent.wallet}") { ticketBalance(holderAddress: "${holder.wallet.toUpperCase().replace('X', 'x')}") } }`,
        );
        expect(graph.agent.ticketBalance).to.equal((detail as Json).ticketBalance);
      }
    }
    await runSql(world.deps, 'delete from agent where wallet = $1', [unindexed.wallet]);
  });

  const asRest = ({ agent, trader, traderAddress, ...rest }: Json): unknown => ({
    ...(rest as object),
    agentName: agent?.name,
    agentId: agent?.agentId,
    buyerOrSeller: traderAddress,
    buyerOrSellerName: trader?.name,
    buyerOrSellerAgentId: trader?.agentId,
  });

  it('tells the same trades and candles', async () => {
    for (const [side, value] of [
      ['made', 'MADE'],
      ['received', 'RECEIVED'],
    ]) {
      const { trades } = await rest(`/api/agents/bob/trades?side=${side}`);
      const graph = await data(
        world,
        `{ agent(agentId: "bob") { trades(side: ${value}, first: 5) { nodes { ${TRADE} } totalCount } } }`,
      );
      expect(graph.agent.trades.nodes.map(asRest)).to.deep.equal(trades);
      expect(graph.agent.trades.totalCount).to.equal((trades as unknown[]).length);
    }
    const one = await data(world, `{ trade(txHash: "${bought}") { ${TRADE} } }`);
    expect(one.trade).to.include({ type: 'AGENT_BUY', amount: 3, thesis: 'Cheap' });
    const fields = 'time open high low close volume trades';
    for (const [interval, value] of [
      ['1h', 'HOUR'],
      ['1d', 'DAY'],
    ]) {
      const { candles } = await rest(`/api/agents/ada/candles?interval=${interval}`);
      const graph = await data(
        world,
        `{ candles(agent: "ada", first: 20, interval: ${value}) { ${fields} } agent(address: "${ada.wallet}") { candles(first: 20, interval: ${value}) { ${fields} } } }`,
      );
      expect(graph.candles).to.deep.equal(candles);
      expect(graph.agent.candles).to.deep.equal(candles);
    }
  });

  it('prices and quotes the same', async () => {
    const fields = `agent amount priceEth priceUsd price priceAfterFee priceAfterFeeEth priceAfterFeeUsd protocolFeeEth
      agentFeeEth totalSupply slippagePercent maxTotalCost maxTotalCostEth minPayout minPayoutEth`;
    for (const [query, args] of [
      ['', ''],
      ['&amount=3&slippage=2.5', ', amount: 3, slippage: 2.5'],
      ['&type=sell&amount=2&slippage=5', ', type: SELL, amount: 2, slippage: 5'],
    ]) {
      const { success: _, type, ...price } = await rest(`/api/price?agent=${ada.wallet}${query}`);
      const graph = await data(world, `{ price(agent: "${ada.wallet}"${args}) { type ${fields} } }`);
      expect(graph.price.type).to.equal(String(type).toUpperCase());
      expect(graph.price).to.deep.include(price);
    }
    for (const [action, value] of [
      ['buy', 'BUY'],
      ['sell', 'SELL'],
    ]) {
      const {
        success: _,
        action: __,
        balanceAt: ___,
        ...quote
      } = await rest(
        `/api/tickets/quote?action=${action}&agent=${ada.wallet}&amount=1&walletAddress=${bob.wallet}`,
        bob.key,
      );
      const graph = await data(
        world,
        `{ quote(action: ${value}, agent: "${ada.wallet}", amount: 1, walletAddress: "${bob.wallet}") { agent amount
          basePrice protocolFee agentFee totalCost maxCost minPayout slippagePercent ticketBalance note
          transaction { to from data value gasLimit } } }`,
        { key: bob.key },
      );
      expect(graph.quote).to.deep.include(quote);
    }
  });

  it('tells an agent the same of itself', async () => {
    const stats = 'totalTickets holderCount followerCount followingCount tradeCount referralCount';
    const pnl = (trades: string) => `realized { totalEth totalWei totalUsd count ${trades} }
      unrealized { totalEth totalWei totalUsd holdings { agentName agentAddress amount sellableAmount avgCostBasis
        currentPrice pnlEth pnlWei pnlUsd } }
      fees { earnedEth earnedWei pendingEth totalEth totalUsd } summary { ${SUMMARY} }`;
    const SALES = 'trades { agentName agentAddress amount buyPrice sellPrice pnlEth pnlWei pnlUsd date txHash }';
    const balance = 'address balanceWei balanceEth balanceUsd ethUsd';
    const me = await rest('/api/agents/me', bob.key);
    const graph = await data(
      world,
      `{ me { agent { ${PROFILE} fullPnl { ${pnl(SALES)} } } verificationCode totalHoldings stats { ${stats} }
          points { ${POINTS} } balance { ${balance} } pnl { ${pnl(SALES)} } } }`,
      { key: bob.key },
    );
    const { agent, balance: ether, pnl: own, ...rest_ } = graph.me;
    const { fullPnl, ...profile } = agent;
    const { verificationCode, ...restProfile } = me.agent as Json;
    expect(profile).to.deep.equal(restProfile);
    expect(rest_).to.deep.equal({
      verificationCode,
      totalHoldings: (me.portfolio as Json).totalHoldings,
      stats: me.myStats,
      points: me.points,
    });
    const { success: _, ...restPnl } = await rest('/api/agents/me/pnl', bob.key);
    expect(own).to.deep.equal(restPnl);
    expect(fullPnl).to.deep.equal(restPnl);
    const { success: __, ...restBalance } = await rest('/api/agents/me/balance', bob.key);
    expect(ether).to.deep.equal(restBalance);

    // Both read the notifications, so each is asked by another agent.
    const { notifications, totalUnread } = await rest('/api/notifications', bob.key);
    expect(totalUnread).to.be.above(0);
    const again = await data(
      world,
      '{ notifications { totalUnread notifications { id type message data read createdAt } } }',
      {
        key: bob.key,
      },
    );
    const read = (notifications as Json[]).map((notice) => ({ ...(notice as object), read: true }));
    expect(again.notifications).to.deep.equal({ totalUnread: 0, notifications: read });
    const beat = await rest('/api/heartbeat/status', bob.key);
    const { heartbeat } = await data(
      world,
      `{ heartbeat { me { agent { ${PROFILE} } stats { ${stats} } } balance { ${balance} } pnl { ${pnl('')} }
          trending { rank trendScore } season { active number daysLeft } notifications { totalUnread } } }`,
      { key: bob.key },
    );
    expect(heartbeat.me.stats).to.deep.equal(beat.myStats);
    expect(heartbeat.balance).to.deep.equal(beat.balance);
    expect(heartbeat.pnl).to.deep.equal(beat.pnl);
    expect(beat.season).to.deep.include(heartbeat.season);
    expect(heartbeat.trending.length).to.equal((beat.trending as Json[]).length);
  });

  it('tells the same of wallets, codes, the contract and the market', async () => {
    const wallet = {
      ...(await rest('/api/agent-wallet/balance?agentId=bob')),
      ...(await rest('/api/agent-wallet/info?agentId=bob')),
    };
    const { claim: info } = (await rest(`/api/agents/claim-info?code=${eve.code}`)) as { claim: Json };
    const health = await rest('/health');
    const graph = await data(
      world,
      `{ agentWallet(agentId: "bob") { agentId walletAddress walletType walletId
           balance { balanceWei balanceEth totalTickets tickets { agentAddress agentName agentId amount } } }
         claimInfo(code: "${eve.code}") { verificationCode status postTemplate agent { name agentId walletAddress avatarUrl isClaimed } }
         contract { chainId address rpcUrl protocolFeeBps agentFeeBps }
         marketStats { total { agents trades volume volumeEth holders } day { agents trades volume holders } } }`,
    );
    const { success: _, ...restWallet } = wallet as Json;
    const { balance, walletId, ...own } = graph.agentWallet;
    expect(walletId).to.equal(null);
    expect({ ...own, ...balance }).to.deep.equal(restWallet);
    const { agent, ...code } = graph.claimInfo;
    expect({ ...code, ...agent }).to.deep.equal(info);
    expect(graph.contract).to.deep.equal({
      chainId: health.chainId,
      address: health.contractAddress,
      rpcUrl: health.rpcUrl,
      protocolFeeBps: 500,
      agentFeeBps: 500,
    });
    const { agents } = (await rest('/api/agents')) as { agents: { volume24h: number; txCount24h: number }[] };
    const { total, day } = graph.marketStats;
    expect(total).to.include({
      agents: 3,
      trades: agents.reduce((sum, { txCount24h }) => sum + txCount24h, 0),
      holders: 3,
    });
    expect(total.volumeEth).to.be.closeTo(
      agents.reduce((sum, { volume24h }) => sum + volume24h, 0),
      1e-12,
    );
    expect(day).to.deep.equal({ agents: 3, trades: total.trades, volume: total.volume, holders: 3 });
  });
});
