import { expect } from 'chai';
import { catchUp } from '../../../../src/index/ingest.js';
import { reconcile } from '../../../../src/index/reorg.js';
import { eventId, tradeKey } from '../../../../src/values/trade.js';
import { askAs, follow, newAgent, type TestAgent, writePost } from '../../../support/market/agents.js';
import { replaceKey } from '../../../support/market/key-replacements.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { replacing } from '../../../support/parts.js';
import { data } from '../../../support/service/graphql.js';
import { type Subscriber, transports, useSubscriptions } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

const FEED = `subscription Feed($agent: AgentRef, $after: ID) { feedEvent(agent: $agent, after: $after) {
  sequence kind id eventId event { __typename id agent { name } ... on TradeEvent { amount txHash trader { name } }
    ... on StatusEvent { text isLiked } } } }`;
const TRADES = `subscription Trades($agent: AgentRef, $after: ID) { trade(agent: $agent, after: $after) {
  sequence kind id tradeId trade { id amount total txHash agent { name } } } }`;
const PRICES = `subscription Prices($agent: AgentRef, $after: ID) { price(agent: $agent, after: $after) {
  id sequence agentAddress totalSupply ticketPrice ticketPriceEth agent { ticketPrice } } }`;
const NOTICES = `subscription Notices($after: ID) { notification(after: $after) {
  sequence kind id notificationId notification { id type message read } } }`;

for (const [name, subscribe] of Object.entries(transports)) {
  describe(`subscriptions over ${name}`, () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off', KEY_REPLACEMENT: 'on' });
    let [agent, other]: TestAgent[] = [];
    let trader: Trader;
    const watch = useSubscriptions(world, subscribe);
    const index = async () => expect(await catchUp(world.deps, await world.deps.chain.blockNumber())).to.equal(true);
    const buy = async (of: TestAgent | undefined, amount = 1): Promise<string> => {
      const { hash } = await trader.buy(of?.wallet ?? '', amount);
      await index();
      return hash;
    };
    const post = (by: TestAgent | undefined, text: string) => writePost(world, by as TestAgent, text);

    const ended = async ({ errors }: Subscriber, code = 'INVALID_KEY') => {
      await eventually(() => errors.length > 0, 'the subscription did not end');
      expect(errors[0].extensions.code).to.equal(code);
    };
    const typesOf = ({ got }: Subscriber) => got.map(({ notification }) => notification.type);

    before(async () => {
      [agent, other] = [await newAgent(world), await newAgent(world)];
      trader = await newTrader(world.chain);
      await index();
    });

    it('deliver feed events of all agents or of one, as the feed shows them', async () => {
      const all = await watch(FEED);
      const one = await watch(FEED, { variables: { agent: agent?.agentId }, key: other?.key });
      const hash = await buy(agent, 3);
      const said = await post(other, `Hello from ${name}.`);
      const third = await newAgent(world);
      await index();
      const events = await all.until(3);
      const sequences = events.map(({ sequence }) => Number(sequence));
      expect(sequences).to.deep.equal([...sequences].sort((a, b) => a - b));
      const id = eventId(tradeKey(hash, 0));
      const common = { kind: 'ADDED', eventId: id };
      const event = {
        __typename: 'BoughtEvent',
        id,
        agent: { name: agent?.name },
        amount: 3,
        txHash: hash,
        trader: null,
      };
      expect(events[0]).to.deep.include({ ...common, event });
      expect(events[1]).to.deep.include({ kind: 'ADDED', eventId: said });
      expect(events[1].event).to.include({ __typename: 'StatusEvent', text: `Hello from ${name}.`, isLiked: false });
      expect(events[2].event).to.deep.include({ __typename: 'RegisteredEvent', agent: { name: third.name } });
      await one.until(1);
      expect(one.got).to.have.length(1);
      expect(one.got[0]).to.deep.include({ ...common, event });
      const { feed } = await data(world, '{ feed(first: 3) { nodes { id } } }');
      expect(feed.nodes.map((node: { id: string }) => node.id)).to.have.members(events.map((each) => each.eventId));
    });

    it('deliver all trades, including markets without a registered agent', async () => {
      const stranger = await newTrader(world.chain);
      await stranger.register(`Alone ${name.length}`);
      await index();
      const all = await watch(TRADES);
      const one = await watch(TRADES, { variables: { agent: stranger.wallet.toUpperCase().replace('X', 'x') } });
      await buy(agent);
      const { hash } = await trader.buy(stranger.wallet, 2);
      await index();
      await all.until(2);
      await one.until(1);
      expect(all.got.map(({ trade }) => trade.agent?.name ?? null)).to.deep.equal([agent?.name, null]);
      expect(one.got.map(({ trade }) => [trade.txHash, trade.amount])).to.deep.equal([[hash, 2]]);
      const { trade } = await data(world, `{ trade(txHash: "${hash}") { id amount total txHash agent { name } } }`);
      expect(one.got[0].trade).to.deep.equal(trade);
    });

    it('deliver the price after each trade', async () => {
      const prices = await watch(PRICES, { variables: { agent: agent?.wallet } });
      await buy(agent);
      await buy(other);
      await buy(agent, 2);
      await prices.until(2);
      const { agent: now } = await data(
        world,
        `{ agent(agentId: "${agent?.agentId}") { totalSupply ticketPrice ticketPriceEth } }`,
      );
      expect(prices.got).to.have.length(2);
      expect(prices.got[1]).to.include({ ...now, agentAddress: agent?.wallet });
      expect(prices.got[0].totalSupply).to.equal(now.totalSupply - 2);
    });

    it('use their own variables, even when the documents are equal', async () => {
      const holder = await newAgent(world);
      await index();
      for (let i = 0; i < 2; i++) await holder.trader.buy(agent?.wallet ?? '', 1);
      await index();
      const { agent: earlier } = await data(
        world,
        `{ agent(agentId: "${holder.agentId}") { trades(first: 1) { pageInfo { endCursor } nodes { id } } } }`,
      );
      const text = `subscription ($seen: ID, $n: Int = 1, $c: String) { trade(after: $seen) { trade { trader {
        trades(first: $n, after: $c) { nodes { id } pageInfo { hasPreviousPage } } } } } }`;
      const plain = await watch(text);
      const paged = await watch(text, { variables: { c: earlier.trades.pageInfo.endCursor } });
      const wide = await watch(text, { variables: { n: 2 } });
      const wrong = await watch(text, { variables: { n: null } });
      const { hash } = await holder.trader.buy(other?.wallet ?? '', 1);
      await index();
      const newest = `Trade:${eventId(tradeKey(hash, 0))}`;
      const below = async (one: Subscriber) => (await one.until(1))[0].trade.trader?.trades;
      expect(await below(plain)).to.deep.equal({ nodes: [{ id: newest }], pageInfo: { hasPreviousPage: false } });
      const { nodes, pageInfo } = await below(paged);
      expect([nodes.length, pageInfo.hasPreviousPage]).to.deep.equal([1, true]);
      expect(nodes[0].id).to.not.equal(earlier.trades.nodes[0].id);
      expect((await below(wide)).nodes.map(({ id }: { id: string }) => id)).to.deep.equal([newest, earlier.trades.nodes[0].id]);
      expect(await below(wrong)).to.equal(undefined);
      expect(wrong.errors[0].extensions.code).to.equal('BAD_USER_INPUT');
    });

    it('deliver an agent only its own notifications and require its key', async () => {
      const [agentNotices, otherNotices] = [await watch(NOTICES, { key: agent?.key }), await watch(NOTICES, { key: other?.key })];
      const without = await watch(NOTICES);
      await ended(without, 'MISSING_KEY');
      await buy(agent, 4);
      await follow(world, agent as TestAgent, other as TestAgent);
      await agentNotices.until(1);
      await otherNotices.until(1);
      expect(agentNotices.got.map(({ notification: { type, read } }) => [type, read])).to.deep.equal([['TICKET_BOUGHT', false]]);
      expect(typesOf(otherNotices)).to.deep.equal(['NEW_FOLLOWER']);
      expect(agentNotices.got[0].notification.message).to.contain('bought 4 tickets of yours');
    });

    it('resume after the last event, each event once and in order, after every cut', async () => {
      const whole = await watch(FEED);
      const seen: { sequence: string; id: string }[] = [];
      // Like `whole`, this subscription starts before the first event, so both see the same events.
      let one = await watch(FEED);
      const trading = (async () => {
        for (let i = 0; i < 25; i++) await (i % 5 === 4 ? post(other, `Number ${i} over ${name}`) : buy(agent));
      })();
      for (let cuts = 0; seen.length < 25; cuts++) {
        await one.until(Math.min(1 + (cuts % 3), 25 - seen.length));
        one.cut();
        seen.push(...one.got);
        if (cuts > 100) break;
        one = await watch(FEED, { variables: { after: seen.at(-1)?.sequence } });
      }
      one.cut();
      await trading;
      await whole.until(25);
      expect(seen.map(({ sequence }) => sequence)).to.deep.equal(whole.got.map(({ sequence }) => sequence));
      expect(seen.map(({ id }) => id)).to.deep.equal(whole.got.map(({ id }) => id));
      expect(whole.got).to.have.length(25);
    });

    it('retract what a reorg undid', async () => {
      const [feed, trades, prices] = [await watch(FEED), await watch(TRADES), await watch(PRICES)];
      const notices = await watch(NOTICES, { key: agent?.key });
      const hash = await buy(agent, 5);
      await prices.until(1);
      await world.chain.provider.send('anvil_reorg', [1, []]);
      await world.chain.provider.send('anvil_mine', ['0x2']);
      await reconcile(world.deps, 'gone');
      const id = eventId(tradeKey(hash, 0));
      for (const [one, node, subject] of [
        [feed, 'event', id],
        [trades, 'trade', `Trade:${id}`],
      ] as const) {
        await one.until(2);
        expect(one.got.map((each) => [each.kind, each[`${node}Id`], each[node] === null])).to.deep.equal([
          ['ADDED', subject, false],
          ['REMOVED', subject, true],
        ]);
      }
      await prices.until(2);
      expect(prices.got[0].totalSupply - prices.got[1].totalSupply).to.equal(5);
      await notices.until(2);
      expect(notices.got.map(({ kind }) => kind)).to.deep.equal(['ADDED', 'REMOVED']);
      expect(notices.got[1].notificationId).to.equal(notices.got[0].notificationId);
      expect(notices.got[0].notificationId).to.equal(notices.got[0].notification.id);
      for (const [one, type] of [
        [feed, 'FeedEventChange'],
        [trades, 'TradeChange'],
        [prices, 'PriceChange'],
        [notices, 'NotificationChange'],
      ] as const) {
        expect(one.got.map((each) => each.id)).to.deep.equal(one.got.map(({ sequence }) => `${type}:${sequence}`));
      }
    });

    it('end when the agent of the key is deleted, and retract its feed events', async () => {
      const leaver = await newAgent(world);
      await index();
      const notices = await watch(NOTICES, { key: leaver.key });
      const feed = await watch(FEED);
      const said = await post(leaver, `Goodbye over ${name}.`);
      await feed.until(1);
      await askAs(world, leaver, 'DELETE', `/api/agents/${leaver.wallet}`);
      await ended(notices);
      await feed.until(3);
      expect(feed.got.filter(({ kind }) => kind === 'REMOVED').map((each) => each.eventId)).to.include(said);
    });

    it('end when the key of the agent is replaced, and resume with the new key where they ended', async () => {
      const [owner, a, b] = [await newAgent(world), await newAgent(world), await newAgent(world)];
      const old = await watch(NOTICES, { key: owner.key });
      await follow(world, a, owner);
      await old.until(1);
      const key = await replaceKey(world, owner);
      await ended(old);
      const resumed = await watch(NOTICES, { key, variables: { after: String(old.got[0].sequence) } });
      await resumed.until(1);
      await follow(world, b, owner);
      await resumed.until(2);
      expect(typesOf(old)).to.deep.equal(['NEW_FOLLOWER']);
      expect(typesOf(resumed)).to.deep.equal(['KEY_REPLACED', 'NEW_FOLLOWER']);
      expect(resumed.errors).to.deep.equal([]);
    });

    it('get nothing after the key is replaced if the service reads all events at once', async () => {
      const owner = await newAgent(world);
      const old = await watch(NOTICES, { key: owner.key });
      // Suppresses the wake-ups of both commits, so the hub reads both events together when it is woken below.
      const { live } = world.deps;
      await replacing(world, { live: { ...live, wake: () => {} } }, async () => {
        await replaceKey(world, owner);
        await follow(world, agent as TestAgent, owner);
      });
      live.wake();
      await ended(old);
      expect(typesOf(old)).to.deep.equal([]);
    });

    it('are refused if the key is replaced while they start', async () => {
      const owner = await newAgent(world);
      const { sql } = world.deps;
      const late: typeof sql = async (text, values) => {
        if (text.includes('from live_cursor')) {
          Object.assign(world.deps, { sql });
          await replaceKey(world, owner);
        }
        return sql(text, values);
      };
      await ended(await replacing(world, { sql: late }, () => watch(NOTICES, { key: owner.key })));
    });

    it('refuse an unknown sequence, an invalid document and an unknown agent', async () => {
      for (const [code, query, variables] of [
        ['EVENTS_FORGOTTEN', FEED, { after: '999999' }],
        ['INVALID_FIELD', FEED, { after: 'x' }],
        ['AGENT_NOT_FOUND', FEED, { agent: 'nobody_here' }],
        ['GRAPHQL_VALIDATION_FAILED', 'subscription { feedEvent { id } trade { id } }'],
        ['GRAPHQL_VALIDATION_FAILED', 'subscription { nothing }'],
        ['GRAPHQL_PARSE_FAILED', 'subscription {'],
        ['INVALID_CHARACTERS', FEED, { agent: 'a$' }],
      ] as const) {
        await ended(await watch(query, variables && { variables }), code);
      }
      // Events are stored for 24 hours.
      world.clock.advance(25 * 3_600_000);
      await ended(await watch(FEED, { variables: { after: '1' } }), 'EVENTS_FORGOTTEN');
    });
  });
}
