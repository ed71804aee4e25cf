import { expect } from 'chai';
import { buildSchema, type GraphQLObjectType, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import type { Deps } from '../../../../src/deps.js';
import { liveFields, readPayloads } from '../../../../src/features/subscriptions/graphql.js';
import type { Actor } from '../../../../src/keys.js';
import { announce } from '../../../../src/live/announce.js';
import { costWindows } from '../../../../src/server/graphql/admit.js';
import { contextOf, Engine } from '../../../../src/server/graphql/engine.js';
import type { Sender } from '../../../../src/server/live/groups.js';
import { Hub } from '../../../../src/server/live/hub.js';
import { Watch } from '../../../../src/server/live/watch.js';
import type { Sql } from '../../../../src/store/sql.js';
import { randomWallet } from '../../../support/market/rows.js';
import type { World } from '../../../support/world.js';

const PRICES = 'subscription { price { sequence } }';
/** The same subscription with a name. Another name makes another document, whose subscribers form a separate group. */
export const named = (name: string) => PRICES.replace('subscription', `subscription ${name}`);

type Follow = {
  readonly ip: string;
  /** Document of the subscription. @default PRICES */
  readonly text?: string;
  /** Query cost of an event. @default 1000 */
  readonly cost?: number;
  /** The events after this sequence are sent. @default the newest event */
  readonly after?: number;
  readonly sender?: Partial<Sender>;
  readonly actor?: Actor;
};

/** Makes hubs of live events in a world, without any transport. */
export function hubsOf(world: World) {
  /** Creates a hub with these parts. `sent` records its messages in order. `before` runs before each execution of an event. */
  function hubWith(parts: Partial<Deps> = {}, before: (text: string) => Promise<void> = async () => {}) {
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
    const engine = new Engine(deps, schema);
    const answerEvent: Engine['answerEvent'] = async (operation, ...event) => {
      await before(operation.documentHash);
      return engine.answerEvent(operation, ...event);
    };
    const hub = new Hub(deps, { answerEvent }, readPayloads);
    /** Subscribes a client at the address. Returns the sequences of the events that it gets, and its errors. */
    const follow = async ({ ip, text = PRICES, cost = 1000, after, actor, sender = {} }: Follow) => {
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
      const context = contextOf(world.deps, actor ?? null, ip);
      const operation = { ...asked, cost };
      ends.push((await hub.subscribe({ operation, watch, context }, own)).end);
      return { got, errors };
    };
    const endAll = () => {
      for (const end of ends.splice(0)) end();
    };
    return { executions: () => executions, endAll, follow, sent };
  }
  /** Announces `count` events, and returns the sequence of the last one. */
  const prices = async (count = 1): Promise<number> => {
    const news = { topic: 'price' as const, subject: null, agent: randomWallet(), supply: 3 };
    await world.deps.write((tx) => announce(tx, Array(count).fill(news), world.clock.now()));
    const [row] = await world.deps.sql<{ last: number }>('select last from live_cursor');
    return Number(row?.last);
  };
  /** A database that shows no live events until `open` is called. */
  function holding() {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const sql: Sql = async (text, values) => {
      if (text.includes('from live_event where sequence >')) await promise;
      return world.deps.sql(text, values);
    };
    return { sql, open };
  }
  /** Uses up the points of an address in this minute, except `points`. */
  async function leave(ip: string, points: number): Promise<void> {
    const windows = costWindows(null, ip).map((window) => ({ ...window, cost: window.max - points }));
    await world.deps.limits.take(windows, world.clock.now().getTime());
  }
  return { hubWith, prices, holding, leave };
}

/** The part of a sender whose client is full until `read` is called. */
export function slowReader() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isFull = true;
  const read = () => {
    isFull = false;
    resolve();
  };
  return { isFull: () => isFull, drained: () => promise, read };
}
