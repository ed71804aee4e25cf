import { deserialize, serialize } from 'node:v8';
import { type GraphQLArgument, type GraphQLFieldMap, type GraphQLSchema, GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { z } from 'zod';
import { KEY_FORMAT } from '../idempotency/keys.js';
import { type Names, readFields, renamed, valuesOf } from '../inputs.js';
import { isRead, type Operation } from '../operation.js';
import { type Request, run, type Transport } from '../run.js';
import type { GraphContext } from './context.js';
import { type Arguments, argumentsOf, type InputObject, inJson } from './types/inputs.js';

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

/** Adds the argument `idempotencyKey` to all mutations. A call puts its key into `context.mutation`, where `mutate` finds it. */
export function addIdempotencyKeys(schema: GraphQLSchema): void {
  const fields: GraphQLFieldMap<unknown, GraphContext> = schema.getMutationType()?.getFields() ?? {};
  for (const field of Object.values(fields)) {
    const { resolve, name } = field;
    field.args = [...field.args, argument];
    field.resolve = (root, { idempotencyKey, ...args }, context, info) => {
      const path = String(info.path.key);
      context.mutation = idempotencyKey == null ? undefined : { idempotencyKey, name, path, content: contentOf(args) };
      return resolve?.(root, args, context, info);
    };
  }
}

/** The arguments as text, in reverse order: version 0.3 wrote them so, and its retries must find the answers that it stored. */
const contentOf = (args: Arguments): string => JSON.stringify(Object.fromEntries(Object.entries(args).reverse()));

type MutationDeclaration<Input extends z.ZodObject, Result> = {
  readonly name: string;
  /**
   * Type of the object that the mutation returns: the object that it has changed, so that clients can update their caches with it.
   */
  readonly type: () => object;
  /** What the mutation does. If the operation needs an API key, `mutationOf` adds a sentence about it. */
  readonly description: string;
  /** Makes the object that the mutation returns. `given`: the arguments as the scalars have parsed them. */
  answer(context: GraphContext, result: Result, given: z.input<Input>): unknown;
} & (
  | {
      /** The input object, if the mutation takes all its arguments in one object. */
      readonly input?: InputObject;
      readonly names?: never;
    }
  | {
      readonly input?: never;
      /** Maps the names of fields to the names of their arguments. @default the names of the fields */
      readonly names?: Names<keyof z.input<Input> & string>;
    }
);

/** Makes the mutation of an operation, with the fields of its input as arguments. Returns its resolver. */
export function mutationOf<Input extends z.ZodObject, Result>(
  operation: Operation<Input, Result>,
  { name, type, description, input, names, answer }: MutationDeclaration<Input, Result>,
): new () => object {
  if (isRead(operation)) throw new TypeError(`${name} needs a write`);
  class Mutations {}
  const { prototype } = Mutations;
  Object.defineProperty(prototype, name, {
    async value(context: GraphContext, args: Arguments) {
      const given = valuesOf(names, args);
      return answer(context, await mutate(context, operation, given), given as z.input<Input>);
    },
  });
  const needs = operation.auth === 'required' ? ' Requires an API key.' : '';
  Mutation(type, { nullable: true, description: `${description}${needs}` })(prototype, name, {});
  Ctx()(prototype, name, 0);
  if (input) Arg('input', () => input.Input, { description: input.description })(prototype, name, 1);
  else {
    const Fields = argumentsOf(renamed(operation.input, names));
    Args(() => Fields)(prototype, name, 1);
  }
  Resolver()(Mutations);
  return Mutations;
}

/**
 * Carries out an operation as a mutation. In addition to its query cost, it counts in the global limit and in the limits of the
 * operation, which REST shares. With an idempotency key, it executes once, and retries return the stored result.
 */
async function mutate<Input extends z.ZodObject, Result>(
  context: GraphContext,
  operation: Operation<Input, Result>,
  given: Arguments,
): Promise<Result> {
  const { deps, actor, ip, mutation } = context;
  context.loaders.clear();
  const idempotency = mutation && {
    key: mutation.idempotencyKey,
    field: 'idempotencyKey',
    name: `mutation ${mutation.name}`,
  };
  const request = { deps, operation, actor, ip, given, idempotency, sent: mutation?.content };
  const { bytes, isReplayed } = await run(graphql, request);
  if (isReplayed && mutation) context.replayed.push(mutation.path);
  return deserialize(bytes);
}

/** A call of a mutation. `sent` contains its arguments as text, if it has an idempotency key. */
type MutationRequest = Request & { readonly sent: string | undefined };

const graphql: Transport<MutationRequest> = {
  input: ({ operation: { input }, given }, deps) => readFields(deps, input, inJson(input, given)),
  content: ({ sent = '' }) => sent,
  // During an update, replicas of two versions read stored results. So a resolver may use only what the results of the version
  // before contain, too. `serialize` also encodes dates and big integers, which results contain and JSON does not support.
  answer: (_request, result) => ({ bytes: serialize(result) }),
};
