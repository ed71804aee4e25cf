import type { LiveEvent } from '../../../core/events/queries/live-events.js';
import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import type { GraphContext } from '../engine/context.js';
import type { Engine } from '../engine/engine.js';
import type { Operation } from '../engine/validate.js';
import { ExecutionQueue } from './execution-queue.js';
import { payloadOf, readContents } from './payloads.js';
import type { Watch } from './watch.js';

/** What is asked of some events. Several subscribers can share it. */
export type Question = { readonly operation: Operation; readonly watch: Watch; readonly actor: Actor | null };
type Asked = Question & { readonly events: readonly LiveEvent[] };

/** An answer whose event was read, and which is not executed yet. */
export type PreparedAnswer = { readonly sequence: number; readonly execute: () => Promise<string> };
export type Answer = { readonly sequence: number; readonly json: string };

/** At most so much query cost of one subscription is executed before it is sent, so that its answers take little memory. */
const CHUNK_POINTS = 500;

/** How many answers of this cost are executed before they are sent. */
export const chunkOf = (cost: number): number => Math.max(1, Math.floor(CHUNK_POINTS / cost));

/** Makes the answers to live events. */
export class EventAnswers {
  readonly #queue = new ExecutionQueue();

  constructor(
    private readonly deps: Deps,
    private readonly engine: Pick<Engine, 'answerEvent' | 'contextOf'>,
  ) {}

  /** Reads the events. An event whose content no longer exists has no answer. */
  async prepare(asked: readonly Asked[]): Promise<PreparedAnswer[][]> {
    const { deps, engine } = this;
    const wanted = asked.map(({ watch, actor, events }) => ({
      watch,
      viewer: actor?.wallet ?? null,
      events: events.filter((event) => watch.matches(event)),
    }));
    if (wanted.every(({ events }) => events.length === 0)) return wanted.map(() => []);
    const contents = await readContents(deps, wanted);
    // Questions of the same viewer share their loaders.
    const contexts = new Map<string | null, GraphContext>();
    return wanted.map(({ watch, viewer, events }, i) => {
      const { operation, actor } = asked[i] as Asked;
      const context = contexts.get(viewer) ?? engine.contextOf(actor, '');
      contexts.set(viewer, context);
      return events.flatMap((event) => {
        const payload = payloadOf(watch, event, contents, context);
        if (payload === null) return [];
        return [{ sequence: event.sequence, execute: () => engine.answerEvent(operation, context, payload) }];
      });
    });
  }

  /** Executes prepared answers, in turn with those of all other subscriptions. */
  execute(prepared: readonly PreparedAnswer[], cost: number): Promise<Answer[]> {
    return Promise.all(
      prepared.map(async ({ sequence, execute }) => ({ sequence, json: await this.#queue.run(cost, execute) })),
    );
  }
}
