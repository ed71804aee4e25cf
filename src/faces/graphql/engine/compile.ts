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
import type { Operation } from './validate.js';

/** Maximum number of fields of a compiled query, with fragments expanded. Compiling a larger one costs more than it saves. */
const MAX_FIELDS = 300;

/** A query is compiled at its third execution. Compiling costs about as much as 100 compiled executions save. */
const COMPILE_AT = 3;

type Compiled = { readonly run: CompiledQuery['query']; readonly nonNullUses: ReadonlySet<string> };

/**
 * Compiles queries to JavaScript with graphql-jit. Uncached queries get 1.2 to 1.5 times the throughput of graphql-js (measured
 * by the row `graphql-parts` of the benchmark). Without this file, the executor works the same, only slower.
 */
export class QueryCompiler {
  readonly #executions = new WeakMap<DocumentNode, number>();
  readonly #compiled = new WeakMap<DocumentNode, Compiled | null>();

  constructor(private readonly schema: GraphQLSchema) {}

  /** The compiled query of an operation; null if graphql-js must execute it. */
  find({ document, node, variableValues }: Operation): CompiledQuery['query'] | null {
    if (node.operation !== 'query') return null;
    let compiled = this.#compiled.get(document);
    if (compiled === undefined) {
      const executions = (this.#executions.get(document) ?? 0) + 1;
      this.#executions.set(document, executions);
      if (executions < COMPILE_AT) return null;
      const run = compile(this.schema, document);
      compiled = run && { run, nonNullUses: nonNullUses(this.schema, document) };
      this.#compiled.set(document, compiled);
    }
    if (compiled === null) return null;
    return [...compiled.nonNullUses].some((name) => variableValues[name] === null) ? null : compiled.run;
  }
}

/**
 * Compiles a query, or returns null if graphql-jit would execute it unsafely or wrongly. graphql-jit runs strings of a certain
 * form as code, confuses paths if a name has an underscore, and loses fields below a fragment that a directive skips.
 */
export function compile(schema: GraphQLSchema, document: DocumentNode): CompiledQuery['query'] | null {
  if (!isCompilable(document)) return null;
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
    // TypeScript already guarantees that resolvers return the right types of leaves.
    disableLeafSerialization: !hasRenamedEnum(schema, document),
  });
  return isCompiledQuery(compiled) ? compiled.query : null;
}

/** Whether the query selects an enum whose values have other names in the core. */
function hasRenamedEnum(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = () => {
    const type = getNamedType(types.getType());
    if (isEnumType(type) && type.getValues().some(({ name, value }) => name !== value)) found = true;
  };
  visit(document, visitWithTypeInfo(types, { Field: look }));
  return found;
}

/** Nullable variables that are used where null is an error. graphql-jit reports this error differently, so graphql-js executes these queries. */
function nonNullUses(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const nullable = new Set<string>();
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type } of node.variableDefinitions ?? []) {
      if (type.kind !== Kind.NON_NULL_TYPE) nullable.add(variable.name.value);
    }
  }
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const look = ({ name }: VariableNode) => {
    if (isNonNullType(types.getInputType())) used.add(name.value);
  };
  visit(document, visitWithTypeInfo(types, { Variable: look }));
  return new Set([...nullable].filter((name) => used.has(name)));
}

function isCompilable(document: DocumentNode): boolean {
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
  return plain && fieldsOf(document, operations[0].selectionSet) <= MAX_FIELDS;
}

/** The number of fields with fragments expanded. The count stops above the maximum. */
function fieldsOf(document: DocumentNode, set: SelectionSetNode | undefined): number {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  let count = 0;
  const walk = (selections: SelectionSetNode | undefined): void => {
    for (const selection of selections?.selections ?? []) {
      if (count > MAX_FIELDS) return;
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
