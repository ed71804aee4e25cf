import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql';
import { AppError } from '../../errors/errors.js';
import { documentLimits } from '../document-limits.js';

/** Assumed length of a list without the argument `first`, unless its extension `length` has another one. */
const DEFAULT_LENGTH = 10;

/** Length to which an error shortens the name of a fragment. */
const MAX_NAME = 50;

/**
 * List fields of the introspection types. A path with two of them is refused: it could repeat endlessly, and no client needs it.
 */
const SCHEMA_LISTS = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

/**
 * Throws QUERY_LIMIT. `value` is the number in the document. It is absent for tokens and brackets: their count ends at the limit.
 */
function refuse(what: string, max: number, value?: number, details = {}): never {
  const figures = `${value === undefined ? '' : `${value}, `}at most ${max}`;
  throw new AppError('QUERY_LIMIT', { what, figures }, { details });
}

/** Counts tokens and nested brackets of the raw text, before the parser builds a tree. The lexer throws on invalid text. */
export function checkTokens(text: string): void {
  const lexer = new Lexer(new Source(text));
  let level = 0;
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens++) {
    if (tokens >= documentLimits.tokens) refuse('tokens', documentLimits.tokens);
    const { kind } = lexer.token;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) level++;
    else if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) level--;
    if (level > documentLimits.braces) refuse('nested brackets', documentLimits.braces);
  }
}

/** Checks the limits that need neither types nor variables. */
export function checkParts(document: DocumentNode): void {
  const counts = { fragments: 0, operations: 0, sets: 0, aliases: 0, directives: 0 };
  visit(document, {
    FragmentDefinition: () => void counts.fragments++,
    OperationDefinition: () => void counts.operations++,
    SelectionSet: () => void counts.sets++,
    Field: ({ alias }) => void (alias && counts.aliases++),
    Directive: () => void counts.directives++,
  });
  for (const part of ['fragments', 'operations', 'sets', 'aliases', 'directives'] as const) {
    const max = documentLimits[part];
    if (counts[part] > max) refuse(part === 'sets' ? 'selection sets' : part, max, counts[part]);
  }
}

/** Query cost and depths of a selection set, with fragments expanded. */
type Measure = {
  readonly cost: number;
  readonly depth: number;
  readonly schemaDepth: number;
  /** Maximum number of introspection lists on a path. */
  readonly schemaLists: number;
};
const ZERO: Measure = { cost: 0, depth: 0, schemaDepth: 0, schemaLists: 0 };

type Variables = Readonly<Record<string, unknown>>;

/**
 * The query cost of the operation to execute: the number of its fields, where fields below a list count once per possible
 * item. A field that reads far more than others has another cost by its extension `cost`. `__typename` is free, but a selection set
 * costs at least one point. The limits apply to all operations of the document, because validation processes all of them.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Variables,
): number {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const chosen = getOperationAST(document, operationName);
  const maximum = documentLimits.cost;
  let chosenCost = 1;
  for (const operation of operations) {
    const measured = new Measurement(schema, document, operation, variables).total();
    const { depth, schemaDepth, schemaLists } = measured;
    // A huge page size makes the cost infinite, which JSON cannot express.
    const cost = Math.min(measured.cost, Number.MAX_SAFE_INTEGER);
    if (cost > maximum) refuse('cost', maximum, cost, { cost, maximum });
    if (depth > documentLimits.depth) refuse('depth', documentLimits.depth, depth);
    if (schemaDepth > documentLimits.schemaDepth)
      refuse('depth of a query about the schema', documentLimits.schemaDepth, schemaDepth);
    if (schemaLists > 1) refuse('nested lists of the schema', 1, schemaLists);
    if (operation === chosen) chosenCost = cost;
  }
  return chosenCost;
}

/** Measures one operation. Each fragment is measured once per list length. */
class Measurement {
  /**
   * Measures of fragments, by list length and name. `open`: the fragment is being measured, so another spread of it is circular.
   */
  readonly #fragmentMeasures = new Map<string, Measure | 'open'>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly document: DocumentNode,
    private readonly operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {}

  total(): Measure {
    const root = this.schema.getRootType(this.operation.operation) ?? undefined;
    return this.#ofSet(this.operation.selectionSet, root, 0);
  }

  #ofSet(set: SelectionSetNode | undefined, type: GraphQLNamedType | undefined, length: number): Measure {
    if (set === undefined) return ZERO;
    let sum = ZERO;
    const free = set.selections.find(isTypename);
    for (const selection of set.selections) {
      const part = this.#ofSelection(selection, type, length);
      sum = {
        cost: sum.cost + (selection === free ? 0 : part.cost),
        depth: Math.max(sum.depth, part.depth),
        schemaDepth: Math.max(sum.schemaDepth, part.schemaDepth),
        schemaLists: Math.max(sum.schemaLists, part.schemaLists),
      };
    }
    // A selection set costs at least 1: its list item is loaded, or its fragment expanded, even if it only has `__typename`.
    return { ...sum, cost: Math.max(1, sum.cost) };
  }

  #ofSelection(selection: SelectionNode, type: GraphQLNamedType | undefined, length: number): Measure {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, type, length);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value, length);
    const condition = selection.typeCondition?.name.value;
    return this.#ofSet(selection.selectionSet, condition === undefined ? type : this.schema.getType(condition), length);
  }

  #ofFragment(name: string, length: number): Measure {
    const fragment = this.document.definitions.findLast(
      (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
    ) as FragmentDefinitionNode | undefined;
    if (fragment === undefined) return ZERO;
    const key = `${length} ${name}`;
    const stored = this.#fragmentMeasures.get(key);
    if (stored === 'open') throw new AppError('CIRCULAR_FRAGMENT', { name: name.slice(0, MAX_NAME) });
    if (stored !== undefined) return stored;
    this.#fragmentMeasures.set(key, 'open');
    const type = this.schema.getType(fragment.typeCondition.name.value);
    const measured = this.#ofSet(fragment.selectionSet, type, length);
    this.#fragmentMeasures.set(key, measured);
    return measured;
  }

  /** `length`: the maximum length of `edges` and `nodes` if this selection belongs to a connection; otherwise 0. */
  #ofField(node: FieldNode, type: GraphQLNamedType | undefined, length: number): Measure {
    const name = node.name.value;
    const field = fieldOf(this.schema, type, name);
    const first = node.arguments?.find(({ name: { value } }) => value === 'first' || value === 'ids')?.value;
    const declared = field?.args.find((argument) => argument.name === 'first');
    // undefined if the field has no page size: `Math.max` returns NaN then.
    const pageSize = Math.max(1, this.#lengthOf(first) ?? Number(declared?.defaultValue ?? Number.NaN)) || undefined;
    const isList = field !== undefined && isListType(getNullableType(field.type));
    const aboutSchema = type?.name.startsWith('__') === true;
    const times =
      aboutSchema || !isList ? 1 : (pageSize ?? (length > 0 ? length : Number(field.extensions.length ?? DEFAULT_LENGTH)));
    // Validation refuses unknown fields, but it runs after this check. Here, their argument `first` counts like a page size.
    const childLength = isList || field === undefined ? 0 : (pageSize ?? 0);
    const below = this.#ofSet(node.selectionSet, field && getNamedType(field.type), childLength);
    const factor = field === undefined ? (pageSize ?? 1) : times;
    const isMeta = name.startsWith('__') || aboutSchema;
    return {
      // The factor may be infinite, and infinity times 0 is not a number, which no limit would refuse.
      cost: Number(field?.extensions.cost ?? 1) + (below.cost === 0 ? 0 : factor * below.cost),
      depth: isMeta ? 1 : 1 + below.depth,
      schemaDepth: isMeta ? 1 + below.schemaDepth : below.schemaDepth,
      schemaLists: below.schemaLists + (SCHEMA_LISTS.has(name) ? 1 : 0),
    };
  }

  /** The integer in a literal, in a variable or in the default of a variable. For a list, its length. */
  #lengthOf(value: ValueNode | undefined): number | undefined {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind === Kind.LIST) return value.values.length;
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    const given = this.variables[name];
    if (Array.isArray(given)) return given.length;
    // A fraction is rounded up, because limits count whole points. The execution of the query refuses it anyway.
    if (typeof given === 'number') return Math.ceil(given);
    const definitions = this.operation.variableDefinitions ?? [];
    return this.#lengthOf(definitions.findLast(({ variable }) => variable.name.value === name)?.defaultValue);
  }
}

/**
 * Whether a selection is `__typename` without an alias. Clients add it to each selection set, so it is free once per set. More are
 * not free: repeated fields make validation slow, and aliases make answers long.
 */
const isTypename = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD && selection.name.value === '__typename' && !selection.alias;

const metaFields = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  const meta = metaFields.find((field) => field.name === name);
  if (meta) return meta === TypeNameMetaFieldDef || type === schema.getQueryType() ? meta : undefined;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
