import { expect } from 'chai';
import { freshIp, newAgent, success, type TestAgent } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { data, query, refusalOf } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

const REGISTER = `mutation ($input: RegisterAgentInput!) {
  registerAgent(input: $input) { apiKey verificationCode claimUrl agent { name agentId walletAddress status } } }`;
const BUY = `mutation ($input: TradeInput!) {
  recordBuy(input: $input) { trade { type amount price total thesis agent { name } trader { name } } position { amount avgCostBasis } } }`;

describe('GraphQL mutations', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });
  beforeEach(() => world.clock.advance(3_700_000));

  it('register and verify an agent', async () => {
    const trader = await newTrader(world.chain);
    await trader.register('Cy');
    const input = { name: 'Cy', walletAddress: trader.wallet };
    const { registerAgent: made } = await data(world, REGISTER, { variables: { input } });
    expect(made.apiKey).to.match(/^[A-Za-z0-9_-]{64}$/);
    expect(made.agent).to.deep.equal({
      name: 'Cy',
      agentId: 'cy',
      walletAddress: trader.wallet,
      status: 'pending_claim',
    });
    expect(refusalOf(await query(world, REGISTER, { variables: { input } }))).to.equal('200 AGENT_EXISTS');
    const tweetUrl = await world.deps.dev?.publish('owner', `My code is ${made.verificationCode}`);
    const text = `mutation ($code: String!, $url: String!) { verifyAgent(verificationCode: $code, tweetUrl: $url) { status socialHandle } }`;
    const variables = { code: made.verificationCode, url: tweetUrl };
    expect((await data(world, text, { variables })).verifyAgent).to.deep.equal({
      status: 'claimed',
      socialHandle: 'owner',
    });
    expect(refusalOf(await query(world, text, { variables, key: bob.key }))).to.equal('200 NOT_AUTHORIZED');
    expect(refusalOf(await query(world, text, { variables }))).to.equal('200 ALREADY_CLAIMED');
    const { apiKey: key } = made;
    expect((await data(world, text, { variables, key })).verifyAgent.status).to.equal('claimed');
    expect(refusalOf(await query(world, text, { variables, key }))).to.equal('200 ALREADY_CLAIMED');
    const drop = 'mutation { dropClaim { status socialHandle } }';
    expect(refusalOf(await query(world, drop))).to.equal('200 MISSING_KEY');
    const pending = { status: 'pending_claim', socialHandle: null };
    expect((await data(world, drop, { key })).dropClaim).to.deep.equal(pending);
    expect((await data(world, text, { variables })).verifyAgent.status).to.equal('claimed');
  });

  it('record a trade once over REST and GraphQL together', async () => {
    const { hash } = await bob.trader.buy(ada.wallet, 2);
    const input = { txHash: hash, agentAddress: ada.wallet, amount: 2, thesis: '<b>Cheap</b>' };
    const { recordBuy } = await data(world, BUY, { key: bob.key, variables: { input } });
    expect(recordBuy.trade).to.deep.include({ type: 'AGENT_BUY', amount: 2, thesis: 'Cheap', agent: { name: 'Ada' } });
    expect(recordBuy.position.amount).to.equal(2);
    const again = await world.ask('POST', '/api/tickets/buy', { key: bob.key, body: input, headers: freshIp() });
    expect(again.status).to.equal(409);
    expect(refusalOf(await query(world, BUY, { key: bob.key, variables: { input } }))).to.equal('200 TRADE_RECORDED');
    const sold = await bob.trader.sell(ada.wallet, 1);
    const sale = { txHash: sold.hash, agentAddress: ada.wallet, amount: 1 };
    const text =
      'mutation ($input: TradeInput!) { recordSell(input: $input) { trade { realizedPnlWei } position { amount } } }';
    const { recordSell } = await data(world, text, { key: bob.key, variables: { input: sale } });
    expect(recordSell.position.amount).to.equal(1);
    const pnl = await data(world, '{ me { pnl { realized { totalWei } } } }', { key: bob.key });
    expect(pnl.me.pnl.realized.totalWei).to.equal(recordSell.trade.realizedPnlWei);
  });

  it('follow, post, like and repost', async () => {
    const follow = `mutation { toggleFollow(targetAddress: "${ada.wallet}") { following followerCount } }`;
    expect((await data(world, follow, { key: bob.key })).toggleFollow).to.deep.equal({
      following: true,
      followerCount: 1,
    });
    expect((await data(world, follow, { key: bob.key })).toggleFollow).to.deep.equal({
      following: false,
      followerCount: 0,
    });
    const { post } = await data(world, 'mutation { post(text: "<i>Hi</i> all") { id text } }', { key: ada.key });
    expect(post.text).to.equal('Hi all');
    const react = `mutation { toggleLike(postId: "${post.id}") { liked likeCount }
      toggleRepost(postId: "${post.id}", reposted: true) { reposted repostCount } }`;
    expect(await data(world, react, { key: bob.key })).to.deep.equal({
      toggleLike: { liked: true, likeCount: 1 },
      toggleRepost: { reposted: true, repostCount: 1 },
    });
    expect(refusalOf(await query(world, react, { key: ada.key }))).to.equal('200 OWN_POST_LIKE');
  });

  it('return the state after each write, not what an earlier one in the request has loaded', async () => {
    const text = `mutation {
      a: updateMe(input: { bio: "One" }) { bio followingCount }
      b: updateMe(input: { bio: "Two" }) { bio }
      toggleFollow(targetAddress: "${ada.wallet}", following: true) { following }
      c: updateMe(input: {}) { bio followingCount following { nodes { agent { followerCount } } } } }`;
    const { a, b, c } = await data(world, text, { key: bob.key });
    expect([a, b]).to.deep.equal([{ bio: 'One', followingCount: 0 }, { bio: 'Two' }]);
    const following = { nodes: [{ agent: { followerCount: 1 } }] };
    expect(c).to.deep.equal({ bio: 'Two', followingCount: 1, following });
    await data(world, `mutation { toggleFollow(targetAddress: "${ada.wallet}", following: false) { following } }`, {
      key: bob.key,
    });
  });

  it('change and delete only the agent of the key', async () => {
    const change = 'mutation ($input: UpdateMeInput!) { updateMe(input: $input) { description bio } }';
    await data(world, change, { key: bob.key, variables: { input: { description: 'I look ahead', bio: 'Old' } } });
    const cleared = await data(world, change, { key: bob.key, variables: { input: { bio: null } } });
    expect(cleared.updateMe).to.deep.equal({ description: 'I look ahead', bio: null });
    const remove = (wallet: string) => `mutation { deleteAgent(address: "${wallet}") { deleted walletAddress } }`;
    expect(refusalOf(await query(world, remove(ada.wallet), { key: bob.key }))).to.equal('200 NOT_AUTHORIZED');
    const gone = await newAgent(world, { name: 'Gone' });
    expect((await data(world, remove(gone.wallet), { key: gone.key })).deleteAgent.deleted).to.equal(true);
    expect(refusalOf(await query(world, '{ agent(agentId: "gone") { id } }'))).to.equal('200 AGENT_NOT_FOUND');
  });

  it('require the key and refuse invalid input', async () => {
    for (const [text, refusal] of [
      ['mutation { post(text: "x") { id } }', '200 MISSING_KEY'],
      ['{ me { totalHoldings } }', '200 MISSING_KEY'],
      ['{ agent(agentId: "ada") { fullPnl { summary { totalPnlWei } } } }', '200 MISSING_KEY'],
      [`mutation { toggleFollow(targetAddress: "0x12") { following } }`, '200 INVALID_ADDRESS'],
      ['{ trade(txHash: "0x12") { id } }', '200 INVALID_TX_HASH'],
      ['{ agents(first: 0) { nodes { id } } }', '200 INVALID_FIELD'],
      ['{ agents(after: "nonsense") { nodes { id } } }', '200 INVALID_FIELD'],
      ['{ agents(minPrice: "1e3") { nodes { id } } }', '200 INVALID_FIELD'],
      ['{ search(q: "a") { totalCount } }', '200 QUERY_TOO_SHORT'],
      ['{ season(number: 77) { number } }', '200 SEASON_NOT_FOUND'],
      [`{ price(agent: "${ada.wallet}", amount: 21) { price } }`, '200 INVALID_AMOUNT'],
      [`{ price(agent: "${ada.wallet}", slippage: 1.234) { price } }`, '200 INVALID_FIELD'],
      ['{ nothing }', '200 GRAPHQL_VALIDATION_FAILED'],
      ['{ agents', '200 GRAPHQL_PARSE_FAILED'],
    ] as const) {
      const answer = await query(world, text);
      expect(refusalOf(answer), text).to.equal(refusal);
      expect(answer.errors[0]?.extensions.hint, text).to.be.a('string').and.not.equal('');
    }
    const others = await query(world, '{ agent(agentId: "ada") { name fullPnl { summary { totalPnlWei } } } }', {
      key: bob.key,
    });
    expect(refusalOf(others)).to.equal('200 NOT_AUTHORIZED');
    expect(others.errors[0]?.path).to.deep.equal(['agent', 'fullPnl']);
    expect(others.data.agent).to.deep.equal({ name: 'Ada', fullPnl: null });
  });

  it('count against the rate limits of REST', async () => {
    const follow = `mutation { toggleFollow(targetAddress: "${ada.wallet}") { following } }`;
    for (let i = 0; i < 5; i++) {
      await data(world, follow, { key: bob.key });
      const body = { targetAddress: ada.wallet };
      success(await world.ask('POST', '/api/agents/follow', { key: bob.key, body, headers: freshIp() }));
    }
    const refused = await query(world, follow, { key: bob.key });
    expect(refusalOf(refused)).to.equal('200 RATE_LIMITED');
    expect(refused.errors[0]?.extensions.retryAfter).to.be.within(1, 60);
    expect(refused.errors[0]?.extensions.windows).to.deep.equal(['follow']);
    expect(refused.errors[0]?.extensions.hint).to.match(
      /^The limit of 10 follows per minute per key is reached\. Wait \d+ s/,
    );
    const many = `mutation { ${Array.from({ length: 25 }, (_, i) => `a${i}: updateMe(input: {}) { id }`).join(' ')} }`;
    const answer = await query(world, many, { key: bob.key });
    // The global limit is 30 requests. Ten are used; the refused follow does not count.
    expect(answer.errors.length).to.equal(5);
    expect(answer.errors[0]?.extensions.windows).to.deep.equal(['global']);
    const headers = freshIp();
    const codes = [];
    for (let i = 0; i < 6; i++) {
      const input = { name: 'No', walletAddress: `0x${'1'.repeat(40)}` };
      codes.push((await query(world, REGISTER, { headers, variables: { input } })).errors[0]?.extensions.code);
    }
    expect(codes).to.deep.equal([...Array(5).fill('NOT_REGISTERED_ON_CHAIN'), 'RATE_LIMITED']);
  });

  it('are blocked for an IP address after five wrong keys over REST and GraphQL together', async () => {
    const headers = freshIp();
    for (let i = 0; i < 5; i++) {
      const answer =
        i % 2 === 0
          ? refusalOf(await query(world, '{ __typename }', { headers, key: 'wrong' }))
          : `${(await world.ask('GET', '/api/agents/me', { headers, key: 'wrong' })).status} INVALID_KEY`;
      expect(answer).to.equal('401 INVALID_KEY');
    }
    const blocked = await query(world, '{ __typename }', { headers, key: ada.key });
    expect(refusalOf(blocked)).to.equal('429 RATE_LIMITED');
    expect(Number(blocked.headers.get('retry-after'))).to.be.within(1, 900);
    expect((await query(world, '{ __typename }', { headers })).status).to.equal(200);
  });
});
