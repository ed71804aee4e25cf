import { Kind, visit } from 'graphql';
import type { Deps } from '../../deps.js';
import type { LiveEvent } from '../../live/log.js';
import type { GraphContext } from '../graphql/context.js';
import { contextOf, type Engine, type Operation } from '../graphql/engine.js';
import type { Subscriber } from './hub.js';
import type { ReadPayloads, Watch } from './watch.js';

/** Subscribers that get the same answers, and the events that they get now. */
export type Group = Pick<Subscriber, 'operation' | 'watch' | 'actor'> & {
  readonly subscribers: readonly Subscriber[];
  readonly events: readonly LiveEvent[];
  /** Query cost of the answers to these events. */
  readonly cost: number;
  /** Sequence up to which its subscribers then have all events. */
  readonly upTo: number;
};

/** An answer whose event was read, but whose operation was not executed yet. */
export type PreparedAnswer = { readonly sequence: number; readonly execute: () => Promise<string> };

/** Maximum query cost that a group executes before it sends the answers. Bounds their memory. A group gets at least one event. */
const MAX_GROUP_COST = 500;

/** The groups of subscribers for a page of events, the cheapest first. */
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
  return groups.sort((a, b) => a.cost - b.cost);
}

/** Reads the contents of the groups' events, once for all. An event whose content no longer exists has no answer. */
export async function prepareAnswers(
  deps: Deps,
  engine: Pick<Engine, 'answerEvent'>,
  readPayloads: ReadPayloads,
  groups: readonly Group[],
): Promise<PreparedAnswer[][]> {
  const wanted = groups.map(({ watch, actor, events }) => ({ watch, events, viewer: actor?.wallet ?? null }));
  if (wanted.every(({ events }) => events.length === 0)) return wanted.map(() => []);
  const payloadOf = await readPayloads(deps, wanted);
  // Answers for the same viewer share their loaders.
  const contexts = new Map<string | null, GraphContext>();
  return groups.map(({ operation, watch, actor, events }) => {
    const viewer = actor?.wallet ?? null;
    const context = contexts.get(viewer) ?? contextOf(deps, actor, '');
    contexts.set(viewer, context);
    return events.flatMap((event) => {
      const payload = payloadOf(watch, event, context);
      if (payload === null) return [];
      return [{ sequence: event.sequence, execute: () => engine.answerEvent(operation, context, payload) }];
    });
  });
}

/**
 * Subscribers with the same key get the same answers: they send the same document and variables, watch the same events, and
 * have the same viewer. The key leaves out the variable for `after` if the document uses it only there.
 */
export function groupKey(
  { document, documentHash, node, operationName, variableValues }: Operation,
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
