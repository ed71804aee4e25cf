import 'reflect-metadata';
import { expect } from 'chai';
import { buildSchema, type GraphQLObjectType, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { readConfig } from '../../../src/config.js';
import type { Deps } from '../../../src/deps.js';
import { liveFields, readPayloads } from '../../../src/features/subscriptions/graphql.js';
import { announce } from '../../../src/live/announce.js';
import { markOutage } from '../../../src/observe/outage.js';
import { contextOf, Engine } from '../../../src/server/graphql/engine.js';
import { CHECK_EVERY_MS } from '../../../src/server/live/budget.js';
import { Hub } from '../../../src/server/live/hub.js';
import { Watch } from '../../../src/server/live/watch.js';
import type { Sql } from '../../../src/store/sql.js';
import { randomWallet } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

/** Interval at which a hub polls. */
const POLL_MS = 1000;
const PRICES = 'subscription { price { sequence } }';

describe('subscribers with the same subscription', () => {
  const world = useWorld();

  /** A hub of the world with these parts. `follow` returns the answers that a subscriber at the address gets. */
  function hubWith(parts: Partial<Deps>) {
    let executions = 0;
    const schema = buildSchema(
      'type PriceChange { sequence: ID } type Query { sequence: ID } type Subscription { price: PriceChange }',
    );
    const { price: field } = schema.getSubscriptionType()?.getFields() ?? {};
    Object.assign(field ?? {}, { resolve: (event: unknown) => event });
    const count = (event: { readonly sequence: string }) => {
      executions += 1;
      return event.sequence;
    };
    Object.assign((schema.getType('PriceChange') as GraphQLObjectType).getFields().sequence ?? {}, { resolve: count });
    const ends: (() => void)[] = [];
    const deps = { ...world.deps, ...parts };
    const hub = new Hub(deps, new Engine(deps, schema), readPayloads);
    const follow = async (text: string, ip: string) => {
      const got: string[] = [];
      const sender = { send: (json: string) => void got.push(json), ready: async () => {}, end: () => {} };
      const document = parse(text);
      const node = getOperationAST(document) as OperationDefinitionNode;
      const asked = { document, documentHash: text, node, operationName: undefined, variableValues: {} };
      const watch = new Watch(liveFields.price, undefined, undefined);
      const context = contextOf(world.deps, null, ip);
      const operation = { ...asked, cost: 1000, price: 1000 };
      ends.push((await hub.subscribe({ operation, watch, context }, sender)).end);
      return got;
    };
    return { executions: () => executions, ends, follow };
  }
  const price = () =>
    world.deps.write((tx) => {
      const news = { topic: 'price' as const, subject: null, agent: randomWallet(), supply: 3 };
      return announce(tx, [news], world.clock.now());
    });

  it('share one execution per event, even while one of them is paused', async () => {
    const times = manualTimes();
    const { executions, ends, follow } = hubWith({ times });
    const others = await Promise.all(Array.from({ length: 30 }, (_, i) => follow(PRICES, `192.0.2.${i + 1}`)));
    // Two subscriptions of one address use up its limit after 3 events.
    const twins = [await follow(PRICES, '198.51.100.1'), await follow(PRICES, '198.51.100.1')];
    const alone = await follow('subscription Another { price { sequence } }', '203.0.113.1');
    for (let i = 1; i <= 5; i++) {
      await price();
      world.deps.live.wake();
      const expected = i;
      await eventually(() => [...others, alone].every((got) => got.length === expected), `event ${i} did not arrive`);
      expect(executions()).to.equal(2 * i);
    }
    expect(twins.map((got) => got.length)).to.deep.equal([3, 3]);
    await eventually(() => times.waiting.includes(CHECK_EVERY_MS), 'the paused subscriptions do not wait');
    world.clock.advance(61_000);
    times.advance(CHECK_EVERY_MS);
    await eventually(() => twins.every((got) => got.length === 5), 'the paused subscriptions did not resume');
    // A resumed subscription executes its missed events alone, not together with its group.
    expect(executions()).to.equal(10 + 4);
    expect(twins).to.deep.equal([others[0], others[0]]);
    for (const end of ends) end();
  });

  it('ask an absent database at most twice a second without a line each, and get the events when it is back', async () => {
    const times = manualTimes();
    let [isAway, asked] = [false, 0];
    const sql: Sql = async (...query) => {
      asked += 1;
      if (isAway) throw markOutage(new Error('connect ECONNREFUSED'), 'DATABASE_UNAVAILABLE');
      return world.deps.sql(...query);
    };
    const config = readConfig({ DATABASE_URL: 'postgresql://h/db' });
    const logged = world.logged.length;
    const { ends, follow } = hubWith({ sql, times, config });
    const got = await follow(PRICES, '192.0.2.99');
    const isIdle = () => eventually(() => times.waiting.length === 1, 'it does not wait for the next poll');
    await isIdle();
    isAway = true;
    await price();
    asked = 0;
    for (let second = 1; second <= 10; second++) {
      const before = asked;
      times.advance(POLL_MS);
      await eventually(() => asked > before && times.waiting.length === 2, 'it does not ask again');
    }
    expect(asked).to.be.within(10, 20);
    const lines = world.logged.slice(logged).filter(({ level }) => Number(level) > 20);
    expect([lines, world.deps.outages.needsLook()]).to.deep.equal([[], true]);
    isAway = false;
    times.advance(POLL_MS);
    await eventually(() => got.length === 1, 'the event of the outage did not arrive');
    ends[0]?.();
    expect(times.waiting).to.deep.equal([]);
  });
});
