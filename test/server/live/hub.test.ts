import 'reflect-metadata';
import { expect } from 'chai';
import { buildSchema, type GraphQLObjectType, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { readConfig } from '../../../src/config.js';
import type { Deps } from '../../../src/deps.js';
import { liveFields, readPayloads } from '../../../src/features/subscriptions/graphql.js';
import { announce, sweepEvents } from '../../../src/live/announce.js';
import { markOutage } from '../../../src/observe/outage.js';
import { contextOf, Engine } from '../../../src/server/graphql/engine.js';
import { Hub, type Sender } from '../../../src/server/live/hub.js';
import { Watch } from '../../../src/server/live/watch.js';
import type { Sql } from '../../../src/store/sql.js';
import { randomWallet } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

/** Interval at which a hub polls. */
const POLL_MS = 1000;
const PRICES = 'subscription { price { sequence } }';
type Follow = {
  readonly ip: string;
  /** @default PRICES */
  readonly text?: string;
  /** Query cost of an event. @default 1000 */
  readonly cost?: number;
  /** Sequence after which it begins. @default the newest event */
  readonly after?: number;
  readonly sender?: Partial<Sender>;
};

describe('the hub of live events', () => {
  const world = useWorld();

  /** A hub of the world with these parts, and the messages that it sends, in order. */
  function hubWith(parts: Partial<Deps> = {}) {
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
    const sent: { readonly ip: string; readonly text: string; readonly sequence: number }[] = [];
    const deps = { ...world.deps, ...parts };
    const hub = new Hub(deps, new Engine(deps, schema), readPayloads);
    /** Returns the sequences of the events that a subscriber at the address gets, and its errors. */
    const follow = async ({ ip, text = PRICES, cost = 1000, after, sender = {} }: Follow) => {
      const got: number[] = [];
      const errors: Error[] = [];
      const send = (json: string, sequence: number) => {
        expect(JSON.parse(json).data.price.sequence).to.equal(String(sequence));
        sent.push({ ip, text, sequence });
        got.push(sequence);
      };
      const own: Sender = {
        send,
        isFull: () => false,
        drained: async () => {},
        end: (error) => void errors.push(error),
        ...sender,
      };
      const document = parse(text);
      const node = getOperationAST(document) as OperationDefinitionNode;
      const asked = { document, documentHash: text, node, operationName: undefined, variableValues: {} };
      const watch = new Watch(liveFields.price, undefined, after === undefined ? undefined : String(after));
      const context = contextOf(world.deps, null, ip);
      const operation = { ...asked, cost, price: cost };
      ends.push((await hub.subscribe({ operation, watch, context }, own)).end);
      return { got, errors };
    };
    const endAll = () => {
      for (const end of ends.splice(0)) end();
    };
    return { executions: () => executions, endAll, follow, sent };
  }
  /** Announces events, and returns the sequence of the last one. */
  const prices = async (count = 1): Promise<number> => {
    const news = { topic: 'price' as const, subject: null, agent: randomWallet(), supply: 3 };
    await world.deps.write((tx) => announce(tx, Array(count).fill(news), world.clock.now()));
    const [row] = await world.deps.sql<{ last: number }>('select last from live_cursor');
    return Number(row?.last);
  };
  const named = (name: string) => PRICES.replace('subscription', `subscription ${name}`);
  /** A database that shows no live events until `open` is called. */
  function holding() {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const sql: Sql = async (text, values) => {
      if (text.includes('from live_event where sequence >')) await promise;
      return world.deps.sql(text, values);
    };
    return { sql, open };
  }
  /** A client that reads only after `read` was called. */
  function slowReader() {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isFull = true;
    const read = () => {
      isFull = false;
      resolve();
    };
    return { isFull: () => isFull, drained: () => promise, read };
  }
  /** No test has the points that another one has used up. */
  afterEach(() => world.clock.advance(61_000));

  it('executes an event once for equal subscriptions, even while one of them is paused', async () => {
    const times = manualTimes();
    const { executions, endAll, follow } = hubWith({ times });
    const others = await Promise.all(Array.from({ length: 30 }, (_, i) => follow({ ip: `192.0.2.${i + 1}` })));
    // Two subscriptions of one address use up its limit after 3 events.
    const twins = [await follow({ ip: '198.51.100.1' }), await follow({ ip: '198.51.100.1' })];
    const alone = await follow({ ip: '203.0.113.1', text: named('Another') });
    for (let i = 1; i <= 5; i++) {
      await prices();
      world.deps.live.wake();
      const came = () => [...others, alone].every(({ got }) => got.length === i);
      await eventually(came, `event ${i} did not arrive`);
      expect(executions()).to.equal(2 * i);
    }
    expect(twins.map(({ got }) => got.length)).to.deep.equal([3, 3]);
    world.clock.advance(61_000);
    times.advance(POLL_MS);
    await eventually(() => twins.every(({ got }) => got.length === 5), 'the paused subscriptions did not resume');
    // Both have the same position, so they share an execution again.
    expect(executions()).to.equal(10 + 2);
    expect(twins.map(({ got }) => got)).to.deep.equal([others[0]?.got, others[0]?.got]);
    endAll();
  });

  it('serves new events before those that were missed, and the cheap subscriptions first', async () => {
    const { open, ...held } = holding();
    const { endAll, follow, sent } = hubWith(held);
    const first = (await prices(3)) - 3;
    const heavy = (i: number) => ({ ip: `192.0.2.${i}`, text: named(`Heavy${i}`) });
    const behind = await Promise.all([1, 2, 3].map((i) => follow({ ...heavy(i), after: first })));
    const current = await Promise.all([4, 5, 6].map((i) => follow(heavy(i))));
    const cheap = await follow({ ip: '198.51.100.1', cost: 1 });
    await prices();
    open();
    await eventually(() => behind.every(({ got }) => got.length === 4), 'a replay did not end');
    expect(sent.slice(0, 4).map(({ sequence }) => sequence)).to.deep.equal(Array(4).fill(first + 4));
    expect(sent[0]?.ip).to.equal('198.51.100.1');
    expect([...current, cheap].map(({ got }) => got)).to.deep.equal(Array(4).fill([first + 4]));
    for (const { got } of behind) expect(got).to.deep.equal([1, 2, 3, 4].map((i) => first + i));
    endAll();
  });

  it('alternates between addresses that are behind, and counts an IPv6 /48 as one', async () => {
    const { open, ...held } = holding();
    const { endAll, follow, sent } = hubWith(held);
    const first = (await prices(20)) - 20;
    const site = [0, 2, 4, 6, 8].map((i) => ({ ip: `2001:db8:0:${i}::1`, text: named(`V6${i}`), after: first + i }));
    const single = { ip: '192.0.2.1', text: named('V4'), after: first + 13 };
    const all = await Promise.all([...site, single].map((one) => follow({ ...one, cost: 260 })));
    open();
    await eventually(() => all.every(({ got }) => got.at(-1) === first + 20), 'a replay did not end');
    const ips = sent.slice(0, 10).map(({ ip }) => ip);
    expect(ips).to.deep.equal([0, 1, 2, 3, 4].flatMap((i) => [site[i]?.ip, single.ip]));
    endAll();
  });

  it('gives the points of a caller to its oldest event, so that a cheap subscription does not starve a costly one', async () => {
    const times = manualTimes();
    const { open, ...held } = holding();
    const { endAll, follow } = hubWith({ times, ...held });
    const ip = '192.0.2.1';
    const cheap = await follow({ ip, text: named('Cheap'), cost: 500 });
    const costly = await follow({ ip, text: named('Costly'), cost: 4000 });
    await prices(20);
    open();
    // A minute pays for 6,000 points, and the cheap subscription could use them up.
    for (let minute = 1; minute <= 4; minute++) {
      await eventually(() => costly.got.length === minute, `the costly subscription got nothing in minute ${minute}`);
      world.clock.advance(61_000);
      times.advance(POLL_MS);
    }
    expect(cheap.got.length).to.be.within(2, 12);
    endAll();
  });

  it('sends nothing to a client that has not read, and all that it missed when it has', async () => {
    const { read, ...reader } = slowReader();
    const { endAll, follow } = hubWith();
    const slow = await follow({ ip: '192.0.2.1', cost: 1, sender: reader });
    const quick = await follow({ ip: '198.51.100.1', cost: 1 });
    for (let i = 1; i <= 3; i++) {
      await prices();
      world.deps.live.wake();
      await eventually(() => quick.got.length === i, `event ${i} did not arrive`);
    }
    expect(slow.got).to.deep.equal([]);
    read();
    await eventually(() => slow.got.length === 3, 'the events that it missed did not arrive');
    expect(slow.got).to.deep.equal(quick.got);
    endAll();
  });

  it('ends a subscription whose next event was deleted meanwhile', async () => {
    const { read, ...reader } = slowReader();
    const { endAll, follow } = hubWith();
    const slow = await follow({ ip: '192.0.2.1', cost: 1, sender: reader });
    const quick = await follow({ ip: '198.51.100.1', cost: 1 });
    await prices(2);
    world.deps.live.wake();
    await eventually(() => quick.got.length === 2, 'the events did not arrive');
    world.clock.advance(25 * 3_600_000);
    await sweepEvents(world.deps);
    read();
    await eventually(() => slow.errors.length > 0, 'the subscription did not end');
    expect(slow.errors[0]).to.include({ code: 'EVENTS_FORGOTTEN' });
    expect(slow.got).to.deep.equal([]);
    endAll();
  });

  it('asks an absent database at most twice a second without a line each, and sends the events when it is back', async () => {
    const times = manualTimes();
    let [isAway, asked] = [false, 0];
    const sql: Sql = async (...query) => {
      asked += 1;
      if (isAway) throw markOutage(new Error('connect ECONNREFUSED'), 'DATABASE_UNAVAILABLE');
      return world.deps.sql(...query);
    };
    const config = readConfig({ DATABASE_URL: 'postgresql://h/db' });
    const logged = world.logged.length;
    const { endAll, follow } = hubWith({ sql, times, config });
    const { got } = await follow({ ip: '192.0.2.99' });
    const isIdle = () => eventually(() => times.waiting.length === 1, 'it does not wait for the next poll');
    await isIdle();
    isAway = true;
    await prices();
    asked = 0;
    for (let second = 1; second <= 10; second++) {
      const before = asked;
      times.advance(POLL_MS);
      await eventually(() => asked > before, 'it does not ask again');
    }
    expect(asked).to.be.within(10, 20);
    const lines = world.logged.slice(logged).filter(({ level }) => Number(level) > 20);
    expect([lines, world.deps.outages.needsLook()]).to.deep.equal([[], true]);
    isAway = false;
    times.advance(POLL_MS);
    await eventually(() => got.length === 1, 'the event of the outage did not arrive');
    endAll();
    expect(times.waiting).to.deep.equal([]);
  });
});
