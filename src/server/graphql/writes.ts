import { deserialize, serialize } from 'node:v8';
import { type GraphQLArgument, type GraphQLFieldMap, type GraphQLSchema, GraphQLString } from 'graphql';
import type { z } from 'zod';
import { AppError } from '../../errors.js';
import { takeWindows, type Window } from '../access.js';
import { readFields } from '../fields.js';
import { KEY_FORMAT } from '../idempotency/keys.js';
import { isRead, type Operation } from '../operation.js';
import { identityFor, perform as performOperation } from '../perform.js';
import { type GraphContext, requireActor } from './context.js';

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

export function addIdempotencyKeys(schema: GraphQLSchema): void {
  const fields: GraphQLFieldMap<unknown, GraphContext> = schema.getMutationType()?.getFields() ?? {};
  for (const field of Object.values(fields)) {
    const { resolve, name } = field;
    field.args = [...field.args, argument];
    field.resolve = (root, { idempotencyKey, ...args }, context, info) => {
      const keyed = { idempotencyKey, name, path: String(info.path.key), content: JSON.stringify(args) };
      context.mutation = idempotencyKey == null ? undefined : keyed;
      return resolve?.(root, args, context, info);
    };
  }
}

/**
 * Executes an operation as a mutation. It counts in the limit over all endpoints, in addition to its query cost, and in its own
 * limits; REST shares both. With an idempotency key it executes once, and the result of the first execution is returned.
 */
export async function perform<Input extends z.ZodObject, Result>(
  context: GraphContext,
  declared: Operation<Input, Result>,
  given: object = {},
): Promise<Result> {
  const { deps, actor, ip, mutation } = context;
  if (declared.retired?.(deps.config)) throw new AppError('DEPRECATED');
  if (declared.auth === 'required') requireActor(context);
  if (isRead(declared)) throw new TypeError('a mutation needs a write');
  context.loaders.clear();
  const take = (windows: readonly Window[]) => takeWindows(deps, windows);
  const call = { deps, actor, ip, given: given as Given, take };
  const { answer, replayed } = await performOperation(declared, call, {
    input: () => readFields(deps, declared.input, inJson(declared.input, given)),
    // Replicas of two versions read it: a resolver uses only what the result of the version before has, too.
    // `serialize` also encodes dates and big integers, which results contain and JSON does not support.
    format: serialize,
    identify:
      mutation &&
      (async () =>
        identityFor(context, actor?.keyHash, {
          ...{ key: mutation.idempotencyKey, field: 'idempotencyKey' },
          ...{ operation: `mutation ${mutation.name}`, content: mutation.content },
        })),
  });
  if (replayed && mutation) context.replayed.push(mutation.path);
  return deserialize(answer);
}

type Given = Readonly<Record<string, unknown>>;

/** The input in the form that the schema reads. GraphQL clients may send null for what REST clients omit. */
function inJson({ shape }: z.ZodObject, given: object): Given {
  const entries = Object.entries<unknown>(JSON.parse(JSON.stringify(given)));
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || shape[name]?.safeParse(null).success));
}
