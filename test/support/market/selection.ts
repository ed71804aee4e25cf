import { type GraphQLField, getNamedType, isAbstractType, isCompositeType, isNonNullType, isObjectType } from 'graphql';
import { graphqlSchema } from '../../../src/features/graphql.js';

/** Plausible values for required arguments. `samples` in the options replaces them. */
const plausible: Readonly<Record<string, string>> = {
  q: '"bo"',
  txHash: `"0x${'1'.repeat(64)}"`,
  number: '1',
  agentId: '"bob"',
  code: '"nothing"',
  holderAddress: `"0x${'1'.repeat(40)}"`,
};

type Options = {
  /** The fields to exclude, as `Type.field`. */
  readonly without: ReadonlySet<string>;
  readonly depth: number;
  readonly samples?: Readonly<Record<string, string>>;
};

/** Selects a field of Query with all its subfields down to the given depth. Returns the text of the selection. */
export function wholeOf(field: GraphQLField<unknown, unknown>, options: Options, owner = 'Query'): string {
  const schema = graphqlSchema();
  const type = getNamedType(field.type);
  const samples = { ...plausible, ...options.samples };
  const given = field.args
    .filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
    .map(({ name }) => `${name}: ${samples[name]}`);
  // `agent` takes one of several arguments, so the schema requires none of them.
  if (owner === 'Query' && field.name === 'agent') given.push(`agentId: ${samples.agentId}`);
  if (field.args.some(({ name }) => name === 'first')) given.push('first: 3');
  const args = given.length ? `(${given.join(', ')})` : '';
  if (!isCompositeType(type)) return field.name + args;
  if (options.depth === 0) return `${field.name}${args} { __typename }`;
  const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  const parts = objects.flatMap((object) => {
    const below = Object.values(object.getFields())
      // `edges` leads to the same objects as `nodes`.
      .filter(({ name }) => name !== 'edges' && !options.without.has(`${object.name}.${name}`))
      .map((each) => wholeOf(each, { ...options, depth: options.depth - 1 }, object.name));
    return below.length === 0 ? [] : `... on ${object.name} { __typename ${below.join(' ')} }`;
  });
  return `${field.name}${args} { ${parts.join(' ')} }`;
}
