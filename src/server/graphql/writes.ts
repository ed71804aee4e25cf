import { deserialize, serialize } from 'node:v8';
import { type GraphQLArgument, type GraphQLFieldMap, type GraphQLSchema, GraphQLString } from 'graphql';
import type { z } from 'zod';
import { readFields } from '../fields.js';
import { KEY_FORMAT } from '../idempotency/keys.js';
import { isRead, type Operation } from '../operation.js';
import { type Request, run, type Transport } from '../run.js';
import type { GraphContext } from './context.js';

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
 * Carries out an operation as a mutation. It counts in the limit over all endpoints, in addition to its query cost, and in its own
 * limits; REST shares both. With an idempotency key it executes once, and the result of the first execution is returned.
 */
export async function mutate<Input extends z.ZodObject, Result>(
  context: GraphContext,
  operation: Operation<Input, Result>,
  given: object = {},
): Promise<Result> {
  const { deps, actor, ip, mutation } = context;
  if (isRead(operation)) throw new TypeError('a mutation needs a write');
  context.loaders.clear();
  const idempotency = mutation && {
    key: mutation.idempotencyKey,
    field: 'idempotencyKey',
    name: `mutation ${mutation.name}`,
  };
  const request = { deps, operation, actor, ip, given: given as Given, idempotency, sent: mutation?.content };
  const { bytes, isReplayed } = await run(graphql, request);
  if (isReplayed && mutation) context.replayed.push(mutation.path);
  return deserialize(bytes);
}

/** A mutation. `sent`: its arguments, if it has an idempotency key. */
type MutationRequest = Request & { readonly sent: string | undefined };

const graphql: Transport<MutationRequest> = {
  input: ({ operation: { input }, given }, deps) => readFields(deps, input, inJson(input, given)),
  content: ({ sent = '' }) => sent,
  // Replicas of two versions read it: a resolver uses only what the result of the version before has, too.
  // `serialize` also encodes dates and big integers, which results contain and JSON does not support.
  answer: (_request, result) => ({ bytes: serialize(result) }),
};

type Given = Readonly<Record<string, unknown>>;

/** The input in the form that the schema reads. GraphQL clients may send null for what REST clients omit. */
function inJson({ shape }: z.ZodObject, given: object): Given {
  const entries = Object.entries<unknown>(JSON.parse(JSON.stringify(given)));
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || shape[name]?.safeParse(null).success));
}
