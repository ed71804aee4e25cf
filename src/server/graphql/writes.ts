import { deserialize, serialize } from 'node:v8';
import { type GraphQLArgument, type GraphQLField, type GraphQLSchema, GraphQLString } from 'graphql';
import type { Deps } from '../../deps.js';
import { globalRow, type LimitRow, windowsOf } from '../access/limit-rows.js';
import { callerOf, performWrite } from '../access/perform-write.js';
import { type Spend, takeWindows, type Window } from '../access/rate-limit.js';
import { identityOf, KEY_FORMAT, parseIdempotencyKey, type WriteIdentity } from '../idempotency/rules.js';
import type { GraphContext, KeyedMutation } from './context.js';

const argument: GraphQLArgument = {
  name: 'idempotencyKey',
  description:
    'Makes a retry safe: the mutation executes once per key, and retries with the same arguments return its stored result for ' +
    `24 hours. Use a new random value for each mutation, such as a UUID: ${KEY_FORMAT}.`,
  type: GraphQLString,
  defaultValue: undefined,
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
};

/** Adds the argument `idempotencyKey` to every mutation. */
export function addIdempotencyKeys(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) addIdempotencyKey(field);
}

function addIdempotencyKey(field: GraphQLField<unknown, GraphContext>): void {
  const { resolve, name } = field;
  field.args = [...field.args, argument];
  field.resolve = (root, { idempotencyKey, ...args }, context, info) => {
    context.mutation =
      idempotencyKey == null
        ? undefined
        : { idempotencyKey, name, path: String(info.path.key), content: JSON.stringify(args) };
    return resolve?.(root, args, context, info);
  };
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
  context.loaders.clear();
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
