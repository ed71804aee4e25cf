import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, Kind, type NameNode, parse, type ValueNode, visit } from 'graphql';
import { refuseCharacters } from '../../../core/text/characters.js';
import { AppError } from '../../../errors.js';
import { BoundedMap } from '../../bounded-map.js';
import { checkParts, checkTokens } from './cost.js';
import { badRequest, refused } from './refused-request.js';

/** Maximum nesting of the JSON of a request. */
export const MAX_DEPTH = 8;

/** Documents and persisted queries that a process keeps. The least recently used are evicted. */
const MAX_DOCUMENTS = 500;
/** Maximum total length of the cached documents. A document takes about 60 bytes per character, and 400 once it is compiled. */
const MAX_DOCUMENT_CHARACTERS = 100_000;

/** A request as the client sent it. The parser checks its fields. */
export type GraphRequest = {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
};

export type ParsedRequest = {
  readonly document: DocumentNode;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly documentHash: string;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** The text to register as a persisted query, once it is valid. */
  readonly textToPersist: string | undefined;
};

type ParsedDocument = Pick<ParsedRequest, 'document' | 'documentHash'>;

/** Stage 1: turns a request into a document and its variables. Parses each text once while it is cached. */
export class RequestParser {
  readonly #documents = new BoundedMap<ParsedDocument>(MAX_DOCUMENTS, MAX_DOCUMENT_CHARACTERS);
  readonly #persistedQueries = new BoundedMap<string>(MAX_DOCUMENTS);

  parse(request: GraphRequest): ParsedRequest {
    const { operationName, variables } = request;
    const namedHash = persistedHash(request);
    const text = this.#textOf(request, namedHash);
    const parsed = this.#documents.get(text) ?? this.#read(text);
    if (namedHash !== undefined && namedHash !== parsed.documentHash) {
      throw badRequest('The sha256Hash is not the hash of the query');
    }
    if (variables != null && !isRecord(variables)) {
      throw new AppError('INVALID_FIELD', { field: 'variables', expected: 'an object' });
    }
    if (operationName != null && typeof operationName !== 'string') {
      throw new AppError('INVALID_FIELD', { field: 'operationName', expected: 'a string' });
    }
    const variableValues = variables ?? {};
    checkVariables(parsed.document, variableValues);
    return {
      ...parsed,
      operationName: operationName ?? undefined,
      variableValues,
      textToPersist: namedHash === undefined ? undefined : text,
    };
  }

  /** Registers the persisted query of a valid request. */
  register({ documentHash, textToPersist }: ParsedRequest): void {
    if (textToPersist !== undefined) this.#persistedQueries.set(documentHash, textToPersist);
  }

  /** The query of the request, or the persisted query with the hash that the request names. */
  #textOf({ query }: GraphRequest, namedHash: string | undefined): string {
    if (typeof query === 'string') return query;
    if (namedHash === undefined) throw new AppError('MISSING_FIELD', { field: 'query' });
    const text = this.#persistedQueries.get(namedHash);
    if (text === undefined) throw refused('PERSISTED_QUERY_NOT_FOUND', [new GraphQLError('PersistedQueryNotFound')]);
    return text;
  }

  /** Parses a text. The text is checked before it is parsed, and the syntax tree before its fragments are expanded. */
  #read(text: string): ParsedDocument {
    let document: DocumentNode;
    try {
      checkTokens(text);
      document = parse(text);
    } catch (error) {
      if (error instanceof GraphQLError) throw refused('GRAPHQL_PARSE_FAILED', [error]);
      throw error;
    }
    checkParts(document);
    checkLiterals(document);
    const parsed = { document, documentHash: hash('sha256', text, 'hex') };
    this.#documents.set(text, parsed);
    return parsed;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The hash of the persisted query that a request names, if any. */
function persistedHash({ extensions }: GraphRequest): string | undefined {
  const persisted = isRecord(extensions) ? extensions.persistedQuery : undefined;
  if (!persisted) return undefined;
  if (!isRecord(persisted) || persisted.version !== 1) throw badRequest('Unsupported persisted query version');
  return String(persisted.sha256Hash);
}

/** Refuses the characters that REST refuses in the values that a document contains. */
function checkLiterals(document: DocumentNode): void {
  const check = (name: NameNode, value: ValueNode | undefined): void => {
    if (value?.kind === Kind.STRING) refuseCharacters(name.value, value.value);
  };
  visit(document, {
    Argument: ({ name, value }) => check(name, value),
    ObjectField: ({ name, value }) => check(name, value),
    VariableDefinition: ({ variable, defaultValue }) => check(variable.name, defaultValue),
  });
}

/** Refuses the characters that REST refuses, in the variables that the document declares. */
function checkVariables(document: DocumentNode, variables: Readonly<Record<string, unknown>>): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable } of definition.variableDefinitions ?? []) {
      checkValue(variable.name.value, variables[variable.name.value]);
    }
  }
}

function checkValue(field: string, value: unknown): void {
  if (typeof value === 'string') refuseCharacters(field, value);
  else if (Array.isArray(value)) for (const item of value) checkValue(field, item);
  else if (isRecord(value)) for (const [name, item] of Object.entries(value)) checkValue(name, item);
}
