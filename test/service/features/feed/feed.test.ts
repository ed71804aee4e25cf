import { expect } from 'chai';
import { askAs, freshIp, refusal, success, writePost } from '../../../support/market/agents.js';
import { addAgent, addListedAgent, addMarket, addTrade, randomWallet } from '../../../support/market/rows.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

type Event = Record<string, unknown> & { id: string; type: string };

describe('GET /api/feed', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
  const read = async (query = '', key?: string) => {
    const body = success(await world.ask('GET', `/api/feed${query}`, { key, headers: freshIp() }));
    return body as { feed: Event[]; total: number; topAgents: Record<string, unknown>[] };
  };
  const idsOf = async (query: string) => (await read(query)).feed.map(({ id }) => id);
  let alice: { wallet: string; key: string };
  let bob: { wallet: string; key: string };
  let stranger: string;
  let bought: { txHash: string; eventId: string };
  let sold: { txHash: string; eventId: string };
  let postId: string;

  before(async () => {
    alice = await addListedAgent(
      world,
      { name: 'Alice', avatarUrl: 'https://example.com/a.png', claimedAt: at(0), claimPostId: '1' },
      { registeredAt: at(1), supply: 5, holderCount: 2, tradeCount: 2 },
    );
    bob = await addListedAgent(world, { name: 'Bob' }, { registeredAt: at(2), supply: 3 });
    // This agent exists on the chain but has no profile at the service.
    stranger = randomWallet();
    await addMarket(world, stranger, { registeredAt: at(3), supply: 99, tradeCount: 3 });
    for (const type of ['BUY', 'AGENT_SELL', 'AGENT_SELL']) {
      await addTrade(world, { trader: bob.wallet, agent: stranger, type, blockTime: at(4) });
    }
    const purchase = { type: 'AGENT_BUY', amount: 2, price: 100_000_000_000_000n, blockTime: at(5) };
    bought = await addTrade(world, { trader: bob.wallet, agent: alice.wallet, ...purchase });
    sold = await addTrade(world, { trader: stranger, agent: alice.wallet, type: 'SELL', blockTime: at(6) });
    await runSql(
      world.deps,
      `insert into wallet_ledger (wallet, trade_count, sell_count, bought, realized)
       select trader, count(*), count(*) filter (where type like '%SELL'), 0, 0 from transaction group by trader`,
    );
    await runSql(world.deps, 'insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, 0, $2, $3, $4)', [
      bought.txHash,
      bob.wallet,
      'Cheap',
      world.clock.now(),
    ]);
    postId = await writePost(world, bob, 'Hello');
    await askAs(world, alice, 'POST', `/api/feed/${postId}/like`);
  });

  it('has a GraphQL counterpart that says what the buyer paid and the seller received, fees included', async () => {
    const query = '{ feed(first: 9) { nodes { ... on TradeEvent { price total } } } }';
    const { data } = (await world.ask('POST', '/graphql', { body: { query } })).body;
    const { nodes } = (data as { readonly feed: { readonly nodes: readonly object[] } }).feed;
    // `addTrade` makes each of the two fees 10^12 wei, whatever the price is.
    expect(nodes.slice(1, 3)).to.deep.equal([
      { price: '20000000000000', total: '18000000000000' },
      { price: '100000000000000', total: '102000000000000' },
    ]);
  });

  it('merges posts, trades and registrations of registered agents, newest first', async () => {
    const { feed, total, topAgents } = await read();
    const avatarUrl = 'https://example.com/a.png';
    const ofAlice = { agentAddress: alice.wallet, agentName: 'Alice', agentId: 'alice', avatarUrl, isClaimed: true };
    const ofBob = { agentAddress: bob.wallet, agentName: 'Bob', agentId: 'bob', avatarUrl: null, isClaimed: false };
    expect(feed).to.deep.equal([
      {
        id: postId,
        type: 'STATUS',
        ...ofBob,
        createdAt: feed[0]?.createdAt,
        text: 'Hello',
        likeCount: 1,
        repostCount: 0,
        isLiked: false,
        isReposted: false,
      },
      {
        id: sold.eventId,
        type: 'SOLD',
        ...ofAlice,
        createdAt: at(6).toISOString(),
        amount: 1,
        price: '20000000000000',
        priceEth: '0.00002',
        sellerAddress: stranger,
        sellerName: null,
        thesis: null,
        txHash: `${sold.txHash.slice(0, 10)}…`,
      },
      {
        id: bought.eventId,
        type: 'BOUGHT',
        ...ofAlice,
        createdAt: at(5).toISOString(),
        amount: 2,
        price: '100000000000000',
        priceEth: '0.0001',
        buyerAddress: bob.wallet,
        buyerName: 'Bob',
        thesis: 'Cheap',
        txHash: `${bought.txHash.slice(0, 10)}…`,
      },
      { id: feed[3]?.id, type: 'REGISTERED', ...ofBob, createdAt: at(2).toISOString() },
      { id: feed[4]?.id, type: 'REGISTERED', ...ofAlice, createdAt: at(1).toISOString() },
    ]);
    expect(total).to.equal(5);
    expect(topAgents).to.deep.equal([
      {
        id: alice.wallet,
        walletAddress: alice.wallet,
        name: 'Alice',
        agentId: 'alice',
        totalSupply: 5,
        holderCount: 2,
      },
      { id: bob.wallet, walletAddress: bob.wallet, name: 'Bob', agentId: 'bob', totalSupply: 3, holderCount: 1 },
    ]);
  });

  it("shows complete hashes and the caller's reactions with a key", async () => {
    const { feed } = await read('', alice.key);
    expect(feed[0]).to.include({ isLiked: true, isReposted: false });
    expect(feed[1]?.txHash).to.equal(sold.txHash);
    expect((await read('', bob.key)).feed[0]).to.include({ isLiked: false });
  });

  it('filters by type and accepts POST for STATUS', async () => {
    const types = async (type: string) => {
      const { feed, total } = await read(`?type=${type}`);
      expect(total).to.equal(feed.length);
      return feed.map((event) => event.type);
    };
    expect(await types('REGISTERED')).to.deep.equal(['REGISTERED', 'REGISTERED']);
    for (const type of ['BOUGHT', 'SOLD', 'STATUS']) expect(await types(type)).to.deep.equal([type]);
    expect(await types('POST')).to.deep.equal(['STATUS']);
  });

  it('filters by agent under both parameter names, in any case', async () => {
    for (const query of [
      `?agentAddress=${alice.wallet}`,
      `?agent=0x${alice.wallet.slice(2).toUpperCase()}`,
      `?agentAddress=${alice.wallet}&agent=0x${alice.wallet.slice(2).toUpperCase()}`,
    ]) {
      const { feed, total } = await read(query);
      expect([feed.map((event) => event.type), total]).to.deep.equal([['SOLD', 'BOUGHT', 'REGISTERED'], 3]);
    }
    expect(await idsOf(`?agent=${bob.wallet}&type=POST`)).to.deep.equal([postId]);
    expect((await read(`?agent=${alice.wallet}&type=SOLD`)).total).to.equal(1);
    expect(await read(`?agent=${stranger}`)).to.deep.include({ feed: [], total: 0 });
  });

  it('pages back with `before`, with and without filters', async () => {
    const all = (await read()).feed;
    for (const limit of [1, 2, 3]) {
      const seen: Event[] = [];
      for (let page = await read(`?limit=${limit}`); page.feed.length > 0; ) {
        expect(page.total).to.equal(5);
        seen.push(...page.feed);
        page = await read(`?limit=${limit}&before=${page.feed.at(-1)?.id}`);
      }
      expect(seen).to.deep.equal(all);
    }
    const older = await idsOf(`?agent=${alice.wallet}&type=BOUGHT&before=${sold.eventId}`);
    expect(older).to.deep.equal([bought.eventId]);
  });

  it('orders the events of one second as the chain does', async () => {
    const carol = await addListedAgent(world, {}, { registeredAt: at(0) });
    const place = { trader: bob.wallet, agent: carol.wallet, blockTime: at(7) };
    const [late, second, first] = [
      await addTrade(world, { ...place, blockNumber: 9_000_001 }),
      await addTrade(world, { ...place, blockNumber: 9_000_000, ordinal: 1, logIndex: 1 }),
      await addTrade(world, { ...place, blockNumber: 9_000_000, ordinal: 0, logIndex: 0 }),
    ];
    const inOrder = [late, second, first].map(({ eventId }) => eventId);
    expect(await idsOf(`?agent=${carol.wallet}&type=BOUGHT`)).to.deep.equal(inOrder);
    expect(await idsOf(`?agent=${carol.wallet}&before=${late.eventId}&limit=1`)).to.deep.equal([second.eventId]);
  });

  it('sorts posts by likes and pages back in that order', async () => {
    const dora = await addAgent(world);
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      ids.push(await writePost(world, dora, text));
      world.clock.advance(10);
    }
    for (const fan of [alice, bob]) await askAs(world, fan, 'POST', `/api/feed/${ids[0]}/like`);
    expect((await read('?sort=likes')).total).to.equal(4);
    expect(await idsOf('?sort=likes')).to.deep.equal([ids[0], postId, ids[2], ids[1]]);
    expect(await idsOf(`?sort=likes&before=${postId}&limit=1`)).to.deep.equal([ids[2]]);
    expect(await idsOf(`?sort=likes&agent=${dora.wallet}`)).to.deep.equal([ids[0], ids[2], ids[1]]);
  });

  it('refuses invalid or conflicting parameters', async () => {
    for (const [query, field] of [
      ['?sort=likes&type=SOLD', 'sort'],
      ['?before=nothing', 'before'],
      [`?agentAddress=${alice.wallet}&agent=${bob.wallet}`, 'agent'],
    ]) {
      const answer = await world.ask('GET', `/api/feed${query}`, { headers: freshIp() });
      expect(refusal(answer), query).to.equal(`400 Invalid query parameter: ${field}`);
    }
  });
});
