import { Kind, visit } from 'graphql';
import type { Deps } from '../../deps.js';
import type { Actor } from '../access.js';
import type { GraphContext } from '../graphql/context.js';
import { contextOf, type Engine, type Operation } from '../graphql/engine.js';
import { ExecutionQueue } from './queues.js';
import type { ReadPayloads, Wanted, Watch } from './watch.js';

/** The operation that answers events, and the viewer of the answers. Several subscribers can share it. */
export type Question = { readonly operation: Operation; readonly watch: Watch; readonly actor: Actor | null };

/** An answer whose event was read, but whose operation was not executed yet. */
export type PreparedAnswer = { readonly sequence: number; readonly execute: () => Promise<string> };
export type Answer = { readonly sequence: number; readonly json: string };

/** Maximum query cost that one subscription executes before it sends the answers. Bounds the memory of its answers. */
const MAX_CHUNK_COST = 500;

/** Number of answers of this cost that are executed before they are sent. At least 1. */
export const chunkOf = (cost: number): number => Math.max(1, Math.floor(MAX_CHUNK_COST / cost));

export class EventAnswers {
  readonly #queue = new ExecutionQueue();

  constructor(
    private readonly deps: Deps,
    private readonly engine: Pick<Engine, 'answerEvent'>,
    private readonly readPayloads: ReadPayloads,
  ) {}

  /** Reads the contents of the events. An event whose content no longer exists has no answer. */
  async prepare(questions: readonly (Question & Pick<Wanted, 'events'>)[]): Promise<PreparedAnswer[][]> {
    const { deps, engine } = this;
    const wanted = questions.map(({ operation, watch, actor, events }) => ({
      ...{ operation, watch, actor },
      viewer: actor?.wallet ?? null,
      events: events.filter((event) => watch.matches(event)),
    }));
    if (wanted.every(({ events }) => events.length === 0)) return wanted.map(() => []);
    const payloadOf = await this.readPayloads(deps, wanted);
    // Answers for the same viewer share their loaders.
    const contexts = new Map<string | null, GraphContext>();
    return wanted.map(({ operation, watch, actor, viewer, events }) => {
      const context = contexts.get(viewer) ?? contextOf(deps, actor, '');
      contexts.set(viewer, context);
      return events.flatMap((event) => {
        const payload = payloadOf(watch, event, context);
        if (payload === null) return [];
        return [{ sequence: event.sequence, execute: () => engine.answerEvent(operation, context, payload) }];
      });
    });
  }

  /** Executes prepared answers in the queue that all subscriptions share. */
  execute(prepared: readonly PreparedAnswer[], cost: number): Promise<Answer[]> {
    return Promise.all(
      prepared.map(async ({ sequence, execute }) => ({ sequence, json: await this.#queue.run(cost, execute) })),
    );
  }
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
