import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  Source,
  TokenKind,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { AppError } from '../../../errors.js';

/** What one document may have. Counted before it is validated: validation itself takes long on a crafted one. */
const MOST = {
  tokens: 1000,
  braces: 30,
  /** Each is compared with every other of the same name. */
  sets: 100,
  depth: 8,
  /** Of a query about the schema: the standard one of clients is 14 deep. */
  schemaDepth: 16,
  aliases: 30,
  directives: 20,
  fragments: 20,
  operations: 20,
  cost: 1000,
} as const;

/** A list without `first` counts so many times. */
const PLAIN_LIST = 10;

/** Of these, one on each way down is all that a query about the schema needs; two make a loop. */
const SCHEMA_LISTS = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

const refuse = (what: string, max: number): never => {
  throw new AppError('QUERY_LIMIT', { what, max });
};

/** On the raw text: nothing is built of a document with too many tokens or levels. What is no GraphQL ends the count. */
export function checkTokens(text: string): void {
  const lexer = new Lexer(new Source(text));
  let level = 0;
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens++) {
    if (tokens >= MOST.tokens) refuse('tokens', MOST.tokens);
    const { kind } = lexer.token;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) level++;
    else if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) level--;
    if (level > MOST.braces) refuse('nested brackets', MOST.braces);
  }
}

/** Counts that need no types and no variables. */
export function checkParts(document: DocumentNode): void {
  let aliases = 0;
  let directives = 0;
  let sets = 0;
  const count = (set: SelectionSetNode | undefined): void => {
    if (set) sets++;
    for (const selection of set?.selections ?? []) {
      directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD && selection.alias) aliases++;
      if (selection.kind !== Kind.FRAGMENT_SPREAD) count(selection.selectionSet);
    }
  };
  const executable = document.definitions.filter(
    (node) => node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION,
  );
  for (const definition of executable) {
    directives += definition.directives?.length ?? 0;
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      for (const variable of definition.variableDefinitions ?? []) directives += variable.directives?.length ?? 0;
    }
    count(definition.selectionSet);
  }
  const fragments = executable.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (fragments > MOST.fragments) refuse('fragments', MOST.fragments);
  if (executable.length - fragments > MOST.operations) refuse('operations', MOST.operations);
  if (sets > MOST.sets) refuse('selection sets', MOST.sets);
  if (aliases > MOST.aliases) refuse('aliases', MOST.aliases);
  if (directives > MOST.directives) refuse('directives', MOST.directives);
}

/** What a selection comes to, fragments included. */
type Measure = {
  readonly cost: number;
  readonly depth: number;
  readonly schemaDepth: number;
  /** How often the lists of the schema follow each other on one way down. */
  readonly schemaLists: number;
};
const NOTHING: Measure = { cost: 0, depth: 0, schemaDepth: 0, schemaLists: 0 };

type Variables = Readonly<Record<string, unknown>>;

/**
 * The cost of the operation that will run: its fields, those below a list as often as it may be long. All operations of
 * the document are measured, since all are validated; a fragment is measured once for each place of another length.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Variables,
): number {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const chosen = getOperationAST(document, operationName);
  let cost = 1;
  for (const operation of operations) {
    const measured = measure(schema, document, operation, variables);
    if (measured.cost > MOST.cost) refuse('cost', MOST.cost);
    if (measured.depth > MOST.depth) refuse('depth', MOST.depth);
    if (measured.schemaDepth > MOST.schemaDepth) refuse('depth of a query about the schema', MOST.schemaDepth);
    if (measured.schemaLists > 1) refuse('nested lists of the schema', 1);
    if (operation === chosen) cost = Math.max(1, measured.cost);
  }
  return cost;
}

function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const defaults = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const known = new Map<string, Measure | 'open'>();

  const lengthOf = (value: ValueNode | undefined): number | undefined => {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const given = variables[value.name.value];
    return typeof given === 'number' ? given : lengthOf(defaults.get(value.name.value));
  };

  const ofSet = (set: SelectionSetNode | undefined, type: GraphQLNamedType | undefined, length: number): Measure => {
    let sum = NOTHING;
    for (const selection of set?.selections ?? []) {
      const part =
        selection.kind === Kind.FIELD
          ? ofField(selection, type, length)
          : selection.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(selection.name.value, length)
            : ofSet(selection.selectionSet, conditionOf(selection.typeCondition?.name.value, type), length);
      sum = {
        cost: sum.cost + part.cost,
        depth: Math.max(sum.depth, part.depth),
        schemaDepth: Math.max(sum.schemaDepth, part.schemaDepth),
        schemaLists: Math.max(sum.schemaLists, part.schemaLists),
      };
    }
    return sum;
  };

  const conditionOf = (name: string | undefined, type: GraphQLNamedType | undefined) =>
    name === undefined ? type : schema.getType(name);

  const ofFragment = (name: string, length: number): Measure => {
    const fragment = fragments.get(name);
    if (fragment === undefined) return NOTHING;
    const key = `${length} ${name}`;
    const before = known.get(key);
    if (before === 'open') return refuse('circular fragments', 0);
    if (before !== undefined) return before;
    known.set(key, 'open');
    const measured = ofSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), length);
    known.set(key, measured);
    return measured;
  };

  /** `length`: how often `edges` or `nodes` of the surrounding connection are. */
  const ofField = (node: FieldNode, type: GraphQLNamedType | undefined, length: number): Measure => {
    const name = node.name.value;
    const field = fieldOf(schema, type, name);
    const first = node.arguments?.find((argument) => argument.name.value === 'first')?.value;
    const declared = field?.args.find((argument) => argument.name === 'first');
    const own = Math.max(1, lengthOf(first) ?? Number(declared?.defaultValue ?? Number.NaN)) || undefined;
    const isList = field !== undefined && listed(field);
    const aboutSchema = type?.name.startsWith('__') === true;
    const times = aboutSchema || !isList ? 1 : (own ?? (length > 0 ? length : PLAIN_LIST));
    // A field that nobody knows is refused later; until then it counts as what it says.
    const handedOn = isList || field === undefined ? 0 : (own ?? 0);
    const below = ofSet(node.selectionSet, field && getNamedType(field.type), handedOn);
    const factor = field === undefined ? (own ?? 1) : times;
    const isMeta = name.startsWith('__') || aboutSchema;
    return {
      cost: 1 + factor * below.cost,
      depth: isMeta ? 1 : 1 + below.depth,
      schemaDepth: isMeta ? 1 + below.schemaDepth : below.schemaDepth,
      schemaLists: below.schemaLists + (SCHEMA_LISTS.has(name) ? 1 : 0),
    };
  };

  const root = schema.getRootType(operation.operation) ?? undefined;
  return ofSet(operation.selectionSet, root, 0);
}

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

function listed({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
