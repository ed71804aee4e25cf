import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';

/** With fragments written out: compiling more takes longer than it is worth. */
const MOST_FIELDS = 300;

/**
 * A query as JavaScript that was made for it; null where the compiler is not to be trusted, and graphql-js answers. It
 * takes a text in the document for code if it is written so (what a caller may write must never come near it), takes two
 * paths for one if a name has an underscore, and loses fields below a fragment that directives leave out.
 */
export function compile(schema: GraphQLSchema, document: DocumentNode): CompiledQuery['query'] | null {
  if (!isCompilable(document)) return null;
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
    // The types of the resolvers say that numbers are numbers and texts are texts.
    disableLeafSerialization: !hasOtherNames(schema, document),
  });
  return isCompiledQuery(compiled) ? compiled.query : null;
}

/** Whether it asks for an enum whose values are called otherwise in the core. */
function hasOtherNames(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = () => {
    const type = getNamedType(types.getType());
    if (isEnumType(type) && type.getValues().some(({ name, value }) => name !== value)) found = true;
  };
  visit(document, visitWithTypeInfo(types, { Field: look }));
  return found;
}

/** Variables that may be null but are used where null is an error, which the compiler tells as one of its own. */
export function neverNull(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const strict = new Set<string>();
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type } of node.variableDefinitions ?? []) {
      if (type.kind !== Kind.NON_NULL_TYPE) strict.add(variable.name.value);
    }
  }
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const look = ({ name }: VariableNode) => {
    if (isNonNullType(types.getInputType())) used.add(name.value);
  };
  visit(document, visitWithTypeInfo(types, { Variable: look }));
  return new Set([...strict].filter((name) => used.has(name)));
}

export function isCompilable(document: DocumentNode): boolean {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length !== 1 || operations[0]?.operation !== 'query') return false;
  let plain = true;
  const refuse = (): void => {
    plain = false;
  };
  visit(document, {
    StringValue: refuse,
    Directive: refuse,
    Name: ({ value }) => {
      if (value.includes('_') && value !== '__typename') plain = false;
    },
  });
  return plain && fieldsOf(document, operations[0].selectionSet) <= MOST_FIELDS;
}

/** How many fields it has, fragments written out; counted no further than is of use. */
function fieldsOf(document: DocumentNode, set: SelectionSetNode | undefined): number {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  let count = 0;
  const walk = (selections: SelectionSetNode | undefined): void => {
    for (const selection of selections?.selections ?? []) {
      if (count > MOST_FIELDS) return;
      if (selection.kind === Kind.FIELD) count++;
      walk(
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(selection.name.value)?.selectionSet
          : selection.selectionSet,
      );
    }
  };
  walk(set);
  return count;
}
