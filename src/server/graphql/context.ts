import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';

/** State that the resolvers of one request share. */
export type GraphContext = {
  readonly deps: Deps;
  /** The authenticated agent. null without an API key. */
  readonly actor: Actor | null;
  readonly ip: string;
  /** The loaders of the features. Each write clears them, so that later reads of the request see the write. */
  readonly loaders: Map<(source: LoaderSource) => unknown, unknown>;
  /** The mutation that is being executed, if it has an idempotency key. One field suffices, because mutations run one by one. */
  mutation: KeyedMutation | undefined;
  /** Names in the answer of the mutations whose results were stored by an earlier request. */
  readonly replayed: string[];
};

/** What the loaders of a feature are made from. Requests do not share loaders, because callers may see different data. */
export type LoaderSource = Pick<GraphContext, 'deps' | 'actor'>;

export type KeyedMutation = {
  readonly idempotencyKey: string;
  readonly name: string;
  /** Name of the field in the answer: the alias, if there is one. */
  readonly path: string;
  /** The arguments of the mutation except the idempotency key, as text. */
  readonly content: string;
};

export function requireActor({ actor }: GraphContext): Actor {
  if (actor === null) throw new AppError('MISSING_KEY');
  return actor;
}
