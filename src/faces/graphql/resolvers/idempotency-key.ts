import { type GraphQLArgument, type GraphQLField, type GraphQLSchema, GraphQLString } from 'graphql';
import { KEY_FORMAT } from '../../../core/idempotency/rules.js';
import type { GraphContext } from '../engine/context.js';

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
