import { expect } from 'chai';
import { moderate } from '../../../src/features/moderation/moderate.js';
import type { FaultyLine } from '../../support/chain/faulty-line.js';
import { freshIp, newAgent, success, type TestAgent, writePost } from '../../support/market/agents.js';
import type { Market } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { eventually } from '../../support/service/process.js';
import type { World } from '../../support/world.js';
import { FOLDER } from './recipes.js';

// What the tests of all client recipes expect. A recipe is the code of docs/graphql.md for one GraphQL client. Each expectation breaks
// the line between the client and the service, and looks at what the recipe does.

export const EVENTS = `subscription Events($after: ID) {
  feedEvent(after: $after) { id sequence kind eventId event { id ... on StatusEvent { text } } } }`;

/**
 * Holds the timers that the recipes set until the test releases them, so that no test waits for real time. The stack trace of a
 * call shows whether it comes from the folder of a recipe.
 */
export function holdTimers() {
  /** The timers that are held, with their milliseconds. */
  const held: { run: () => void; ms: number }[] = [];
  const set = globalThis.setTimeout;
  const hold = (run: () => void, ms = 0, ...rest: unknown[]) => {
    if (!new Error().stack?.includes(FOLDER)) return set(run, ms, ...rest);
    held.push({ run, ms });
    return 0;
  };
  globalThis.setTimeout = hold as unknown as typeof set;
  return {
    held,
    /** Runs the held timers now. Later timers are set as usual. */
    release() {
      globalThis.setTimeout = set;
      for (const { run } of held) run();
    },
  };
}

/**
 * Breaks the connection of a subscription to EVENTS before its first event, and again after some. Posts while it is broken, and
 * expects each event once and in order. Then it expects that the subscription ends.
 */
export async function expectResume(
  world: World,
  line: FaultyLine,
  { bob, eve }: Market,
  subscribe: (onEvent: (event: Json) => void) => (() => void) | Promise<() => void>,
): Promise<void> {
  const posted: string[] = [];
  // An author may only post three times in a row, and no text twice. So two authors take turns, and number their posts. `posts`
  // counts those of all tests.
  const post = async () => {
    const text = `Post ${++posts}`;
    posted.push(text);
    const { key } = posts % 2 === 0 ? eve : bob;
    success(await world.ask('POST', '/api/feed', { key, body: { text }, headers: freshIp() }));
  };
  const { subscriptions } = world.deps;
  const got: Json[] = [];
  const arrived = () => eventually(() => got.length === posted.length, 'the last event did not arrive');
  /** Breaks the connection, makes `count` posts, and repairs it. Expects that the client subscribes again and gets them. */
  const interrupt = async (count: number) => {
    const { started } = subscriptions;
    const timers = holdTimers();
    await line.close();
    await eventually(() => timers.held.length > 0, 'the client did not see that the connection broke');
    for (let i = 0; i < count; i++) await post();
    await line.open();
    timers.release();
    await eventually(() => subscriptions.started === started + 1, 'the client did not subscribe again');
    await arrived();
  };

  // Events of the last 20 seconds would be delivered again, so the clock moves past them.
  world.clock.advance(20_000);
  const { started } = subscriptions;
  const stop = await subscribe((event) => got.push(event));
  try {
    await eventually(() => subscriptions.started > started);
    await interrupt(1);
    await post();
    await arrived();
    await interrupt(2);
  } finally {
    stop();
  }
  expect(got.map(({ event }) => event.text)).to.deep.equal(posted);
  const sequences = got.map(({ sequence }) => Number(sequence));
  expect(sequences).to.deep.equal([...sequences].sort((a, b) => a - b));

  await eventually(() => subscriptions.ended === subscriptions.started, 'the subscription did not end');
}
let posts = 0;

/**
 * Opens a client with the key of a deleted agent, and sends three requests. Expects that the page sees the refusal of the first
 * one, and that the client then sends no key.
 */
export async function expectDropped(world: World, open: (key: string) => () => Promise<unknown>): Promise<void> {
  const { key } = await newAgent(world);
  success(await world.ask('DELETE', '/api/agents/me', { key, headers: freshIp() }));
  const ask = open(key);
  const outcomes: string[] = [];
  for (let i = 0; i < 3; i++) {
    outcomes.push(
      await ask().then(
        () => 'answered',
        () => 'refused',
      ),
    );
  }
  expect(outcomes).to.deep.equal(['refused', 'answered', 'answered']);
}

/** Resolves when the service has started a subscription to EVENTS, and rejects when it refuses the subscription. */
export async function subscribed({ deps: { subscriptions } }: World, live: Json): Promise<void> {
  const { started } = subscriptions;
  let refusal: unknown;
  const fail = (error: unknown) => {
    refusal = error;
  };
  const stop = live({ query: EVENTS, variables: {} }, { next() {}, error: fail, complete() {} });
  await eventually(() => refusal !== undefined || subscriptions.started > started, 'the subscription was not answered');
  stop();
  if (refusal !== undefined) throw refusal;
}

/** A list of the feed on a page, which live events extend. */
export type LiveList = {
  follow(onError: (error: unknown) => void): Promise<() => void>;
  /** The ids of the events that it shows. */
  shown(): string[];
  /** Reads the next page. */
  more(): Promise<void>;
};

/** Expects that a list shows what the service answers: at first, after new events, and after a broken connection. */
export async function expectLiveList(world: World, line: FaultyLine, list: LiveList): Promise<void> {
  // An author may only post three times in a row, so three authors take turns.
  const authors: TestAgent[] = [];
  for (let i = 0; i < 3; i++) authors.push(await newAgent(world));
  const post = async (): Promise<string> => {
    world.clock.advance(1000);
    const author = authors[++posts % 3] as TestAgent;
    return writePost(world, author, `Post ${posts}`);
  };
  const { subscriptions } = world.deps;
  const expectServed = async (message: string) => {
    const text = `{ feed(first: ${list.shown().length}) { nodes { id } } }`;
    const { feed } = await data(world, text, { headers: { 'cache-control': 'no-cache' } });
    expect(list.shown(), message).to.deep.equal(feed.nodes.map(({ id }: Json) => id));
  };
  const arrived = (id: string) => eventually(() => list.shown().includes(id), 'the last event did not arrive');

  // The subscription delivers these events again, because they are younger than 20 seconds. The first page of the list has 3
  // events, so it lacks the two oldest.
  const early: string[] = [];
  for (let i = 0; i < 5; i++) early.push(await post());
  const { started } = subscriptions;
  const errors: unknown[] = [];
  const stop = await list.follow((error) => errors.push(error));
  try {
    await eventually(() => subscriptions.started > started);
    expect(list.shown()).to.deep.equal(early.slice(-3).reverse());
    const next = await post();
    await arrived(next);
    expect(list.shown(), 'a new event').to.deep.equal([next, ...early.slice(-3).reverse()]);
    await expectServed('a new event');
    await list.more();
    await expectServed('a second page');
    expect(list.shown().length).to.be.above(4);

    const timers = holdTimers();
    await line.close();
    await eventually(() => timers.held.length > 0, 'the client did not see that the connection broke');
    // The operator hides a post that the list shows, while the connection is broken.
    const [, , , hidden = ''] = early;
    const why = { operator: 'ann', reason: 'A test' };
    await moderate(world.deps, { action: 'hide', target: 'post', subject: hidden, ...why });
    await post();
    await line.open();
    timers.release();
    await arrived(await post());
    expect(list.shown()).to.not.include(hidden);
    await expectServed('after a broken connection');
    await list.more();
    await expectServed('a third page');
    expect(errors).to.deep.equal([]);
  } finally {
    stop();
  }
  await eventually(() => subscriptions.ended === subscriptions.started, 'the subscription did not end');
}
