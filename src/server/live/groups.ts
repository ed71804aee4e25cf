import { Kind, visit } from 'graphql';
import type { Deps } from '../../deps.js';
import type { Actor } from '../../keys.js';
import type { Window } from '../../limits/limits.js';
import type { LiveEvent } from '../../live/log.js';
import type { GraphContext } from '../graphql/context.js';
import { contextOf, type Engine, type GraphqlOperation } from '../graphql/engine.js';
import type { ReadPayloads, Watch } from './watch.js';

/** Sends the answers of a subscription to its client. */
export type Sender = {
  send(json: string, sequence: number): void;
  /** Whether the client must read before it gets more events. */
  isFull(): boolean;
  /** Resolves when the client has read enough, or has disconnected. */
  drained(): Promise<void>;
  /** Ends the subscription and sends the error to the client. */
  end(error: Error): void;
};

export type Subscriber = {
  readonly operation: GraphqlOperation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly sender: Sender;
  /** Subscribers with the same key get the same answers. */
  readonly key: string;
  /** Windows of the rate limit in which its answers are charged. */
  readonly windows: readonly Window[];
  /** The keys of these windows as text. Subscribers with the same `caller` pause together. */
  readonly caller: string;
  /** Its client address. For IPv6, its /48 network, which counts as one address. */
  readonly address: string;
  /** Sequence of an event after which its API key was valid. A later event of the topic `profile` reports that the key ended. */
  readonly keyValidAt: number;
  /** Sequence up to which it has all events that it watches. */
  at: number;
  /** Sequence up to which it has paid. */
  paidTo: number;
  /** true while its last answers are being sent, and while its client has too much to read. It gets no events meanwhile. */
  isWaiting: boolean;
};

/** Subscribers that get the same answers, and the events that they get now. */
export type Group = Pick<Subscriber, 'operation' | 'watch' | 'actor'> & {
  readonly subscribers: readonly Subscriber[];
  readonly events: readonly LiveEvent[];
  /** Query cost of the answers to these events. */
  readonly cost: number;
  /**
   * Sequence up to which its subscribers have all events after they got `events`: the last event that was read from the log, or the
   * last of `events` if they are only a part of what the subscribers want.
   */
  readonly upTo: number;
};

/** A group whose events were read from the database. Its answers are executed later, by calls of `execute`. */
export type PreparedGroup = Group & {
  readonly answers: readonly { readonly sequence: number; readonly execute: () => Promise<string> }[];
};

/** Maximum query cost that a group executes before it sends answers, to bound their memory. A group gets at least one event. */
const MAX_GROUP_COST = 500;
/** Maximum query cost of a round of `Hub`, so that the next events do not wait longer. A round serves at least one group. */
const MAX_ROUND_COST = 2500;
/** Maximum query cost that is executed at the same time. It keeps steps of the event loop short, but lets loaders batch answers. */
const MAX_RUNNING_COST = 250;

/** The groups that a round of `Hub` serves with events that it read, the cheapest first. Groups beyond MAX_ROUND_COST wait. */
export function groupsOf(subscribers: readonly Subscriber[], events: readonly LiveEvent[]): Group[] {
  const last = events.at(-1)?.sequence ?? 0;
  const groups = [...Map.groupBy(subscribers, ({ key }) => key).values()].map((members): Group => {
    const { operation, watch, actor } = members[0] as Subscriber;
    const from = Math.min(...members.map(({ at }) => at));
    const wanted = events.filter((event) => event.sequence > from && watch.matches(event));
    const chosen = wanted.slice(0, Math.max(1, Math.floor(MAX_GROUP_COST / operation.cost)));
    const upTo = chosen.length < wanted.length ? (chosen.at(-1)?.sequence ?? last) : last;
    const cost = operation.cost * chosen.length;
    return { operation, watch, actor, subscribers: members, events: chosen, cost, upTo };
  });
  return startOf(
    groups.sort((a, b) => a.cost - b.cost),
    MAX_ROUND_COST,
  );
}

/** Splits groups into batches. The groups of a batch are executed at the same time, and the batches one after the other. */
export function* batchesOf(groups: readonly PreparedGroup[]): Generator<PreparedGroup[]> {
  for (let rest = groups; rest.length > 0; ) {
    const batch = startOf(rest, MAX_RUNNING_COST);
    yield batch;
    rest = rest.slice(batch.length);
  }
}

/** The first groups whose total cost is at most `maxCost`, but at least one group. */
function startOf<G extends Group>(groups: readonly G[], maxCost: number): G[] {
  let cost = 0;
  let count = 0;
  for (const group of groups) {
    cost += group.cost;
    if (count > 0 && cost > maxCost) break;
    count += 1;
  }
  return groups.slice(0, count);
}

/** Reads the contents of the groups' events, once for all. An event whose content no longer exists has no answer. */
export async function prepareAnswers(
  deps: Deps,
  engine: Pick<Engine, 'answerEvent'>,
  readPayloads: ReadPayloads,
  groups: readonly Group[],
): Promise<PreparedGroup[]> {
  const viewerOf = ({ actor }: Group) => actor?.wallet ?? null;
  const payloadOf = await readPayloads(
    deps,
    groups.map((group) => ({ watch: group.watch, events: group.events, viewer: viewerOf(group) })),
  );
  // Answers for the same viewer share their loaders.
  const contexts = new Map<string | null, GraphContext>();
  return groups.map((group) => {
    const { operation, watch, actor, events } = group;
    // A group has many clients, so the context has no client address.
    const context = contexts.get(viewerOf(group)) ?? contextOf(deps, actor, '');
    contexts.set(viewerOf(group), context);
    const answers = events.flatMap((event) => {
      const payload = payloadOf(watch, event, context);
      if (payload === null) return [];
      return [{ sequence: event.sequence, execute: () => engine.answerEvent(operation, context, payload) }];
    });
    return { ...group, answers };
  });
}

/**
 * Subscribers with the same key get the same answers: they send the same document and variables, watch the same events, and
 * have the same viewer. The key leaves out the variable for `after` if the document uses it only there.
 */
export function groupKey(
  { document, documentHash, node, operationName, variableValues }: GraphqlOperation,
  watch: Watch,
  viewer: string | null,
): string {
  const uses = new Map<string, number>();
  const afterVariables = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
    // Lists below this field have an argument `after`, too. Only the argument of the subscription itself counts.
    Field: ({ name, arguments: args = [] }) => {
      const after = name.value === watch.field.name && args.find((argument) => argument.name.value === 'after')?.value;
      if (after && after.kind === Kind.VARIABLE) afterVariables.add(after.name.value);
    },
  });
  const declared = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const relevant = declared.filter((name) => !(afterVariables.has(name) && uses.get(name) === 1));
  // An omitted variable takes its default value, but null does not, so the key distinguishes them.
  const values = relevant.map((name) => (Object.hasOwn(variableValues, name) ? [name, variableValues[name]] : [name]));
  return JSON.stringify([documentHash, operationName, values, watch.field.name, watch.agent, viewer]);
}
