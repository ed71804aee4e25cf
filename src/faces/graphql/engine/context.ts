import { deserialize, serialize } from 'node:v8';
import { identityOf, parseIdempotencyKey, type WriteIdentity } from '../../../core/idempotency/rules.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Actor } from '../../access/authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../../access/limit-rows.js';
import { callerOf, performWrite } from '../../access/perform-write.js';
import { type Spend, takeWindows, type Window } from '../../access/rate-limit.js';
import { LookAhead } from '../types/lookahead.js';
import { type Loaders, loadersOf } from './loaders.js';

/** State that the resolvers of one request share. */
export type GraphContext = {
  readonly deps: Deps;
  /** The authenticated agent. null without an API key. */
  readonly actor: Actor | null;
  readonly ip: string;
  /** Results of look-aheads. All requests of an engine share them, as they share the parsed documents. */
  readonly lookAhead: LookAhead;
  /** Each write replaces the loaders, so that later reads of the request see the write. */
  loaders: Loaders;
  /** The mutation that is being executed, if it has an idempotency key. The mutations of a request run one after the other. */
  mutation: KeyedMutation | undefined;
  /** Names in the answer of those mutations whose result was stored by an earlier request. */
  readonly replayed: string[];
};

/** A mutation that was sent with an idempotency key. */
export type KeyedMutation = {
  readonly idempotencyKey: string;
  readonly name: string;
  /** Name of the field in the answer: the alias, if there is one. */
  readonly path: string;
  /** The arguments of the mutation except the idempotency key, as text. */
  readonly content: string;
};

export function contextOf(deps: Deps, actor: Actor | null, ip: string, lookAhead = new LookAhead()): GraphContext {
  return { deps, actor, ip, lookAhead, loaders: loadersOf(deps, actor), mutation: undefined, replayed: [] };
}

export function requireActor({ actor }: GraphContext): Actor {
  if (actor === null) throw new AppError('MISSING_KEY');
  return actor;
}

/**
 * Executes the write of a mutation. It counts in the limit over all endpoints, in addition to its query cost, and in
 * `writeLimits` when `run` calls `spend`; REST shares both. With an idempotency key it executes once, and the result of the
 * first execution is returned.
 */
export async function executeWrite<T>(
  context: GraphContext,
  writeLimits: readonly LimitRow[],
  run: (deps: Deps, spend: Spend) => Promise<T>,
): Promise<T> {
  const { deps, actor, ip, mutation } = context;
  context.loaders = loadersOf(deps, actor);
  const request = {
    caller: callerOf(actor?.keyHash, ip),
    globalWindows: windowsOf([globalRow(actor)], actor, ip),
    ownWindows: windowsOf(writeLimits, actor, ip),
    take: async (windows: readonly Window[]) => {
      await takeWindows(deps, windows);
    },
    identify: mutation && (async () => identityOfMutation(context, mutation)),
  };
  const { answer, replayed } = await performWrite<T>(deps, request, async (spend) => ({
    run: (storing) => run(storing, spend),
    // `serialize` also encodes dates and big integers, which results contain and JSON does not support.
    format: serialize,
  }));
  if (replayed && mutation) context.replayed.push(mutation.path);
  return deserialize(answer);
}

function identityOfMutation({ deps, actor, ip }: GraphContext, mutation: KeyedMutation): WriteIdentity {
  const key = parseIdempotencyKey(mutation.idempotencyKey, 'idempotencyKey');
  const operation = `mutation ${mutation.name}`;
  return identityOf(deps.secretKey, {
    key,
    caller: callerOf(actor?.keyHash, ip),
    operation,
    content: mutation.content,
  });
}
