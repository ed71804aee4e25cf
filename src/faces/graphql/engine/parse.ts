import { createHash } from 'node:crypto';
import { type DocumentNode, GraphQLError, Kind, parse, visit } from 'graphql';
import { refuseCharacters } from '../../../core/text/characters.js';
import { AppError } from '../../../errors.js';
import { BoundedMap } from './bounded-map.js';
import { checkParts, checkTokens } from './cost.js';
import { badRequest, refused } from './refused-request.js';

/** Maximum size of a request, in bytes. */
export const MAX_BYTES = 20_480;
/** Maximum nesting of the JSON of a request. */
export const MAX_DEPTH = 8;

/** Documents and persisted queries that a process keeps. The least recently used are evicted. */
const MAX_DOCUMENTS = 500;
/** A parsed document takes about 60 bytes per character, and 400 once it is compiled. */
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
  /** Identifies the document within this process. */
  readonly documentId: number;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** The text and hash to register as a persisted query once the document is valid. */
  readonly persist?: { readonly hash: string; readonly text: string };
};

type ParsedDocument = { readonly document: DocumentNode; readonly documentId: number };

/** Stage 1: turns a request into a document and its variables. Parses each text once while it is cached. */
export class RequestParser {
  readonly #documents = new BoundedMap<ParsedDocument>(MAX_DOCUMENTS, MAX_DOCUMENT_CHARACTERS);
  readonly #persistedQueries = new BoundedMap<string>(MAX_DOCUMENTS);
  #lastId = 0;

  parse(request: GraphRequest): ParsedRequest {
    const { text, persist } = this.#textOf(request);
    const parsed = this.#documents.get(text) ?? this.#read(text);
    const { operationName, variables } = request;
    if (variables != null && !isRecord(variables)) {
      throw new AppError('INVALID_FIELD', { field: 'variables', expected: 'an object' });
    }
    const variableValues = variables ?? {};
    checkVariables(parsed.document, variableValues);
    return {
      ...parsed,
      operationName: typeof operationName === 'string' ? operationName : undefined,
      variableValues,
      ...(persist ? { persist } : {}),
    };
  }

  /** Registers the persisted query of a valid request. */
  register({ persist }: ParsedRequest): void {
    if (persist) this.#persistedQueries.set(persist.hash, persist.text);
  }

  /** The query of the request, or the one registered under the hash it names. */
  #textOf({ query: sent, extensions }: GraphRequest): Pick<ParsedRequest, 'persist'> & { readonly text: string } {
    const query = sent ?? undefined;
    const persisted = isRecord(extensions) ? extensions.persistedQuery : undefined;
    if (!persisted) {
      if (typeof query !== 'string') throw new AppError('MISSING_FIELD', { field: 'query' });
      return { text: query };
    }
    if (!isRecord(persisted) || persisted.version !== 1) throw badRequest('Unsupported persisted query version');
    const hash = String(persisted.sha256Hash);
    if (typeof query === 'string') {
      if (createHash('sha256').update(query).digest('hex') !== hash) {
        throw badRequest('The sha256Hash is not the hash of the query');
      }
      return { text: query, persist: { hash, text: query } };
    }
    const text = this.#persistedQueries.get(hash);
    if (text === undefined) throw refused('PERSISTED_QUERY_NOT_FOUND', [new GraphQLError('PersistedQueryNotFound')]);
    return { text };
  }

  /** Checks the text before it builds a syntax tree, and the tree before anything walks its fragments. */
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
    this.#lastId += 1;
    const parsed = { document, documentId: this.#lastId };
    this.#documents.set(text, parsed);
    return parsed;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Refuses the characters that REST refuses in the values that a document contains. */
function checkLiterals(document: DocumentNode): void {
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind === Kind.STRING) refuseCharacters(name.value, value.value);
    },
    ObjectField: ({ name, value }) => {
      if (value.kind === Kind.STRING) refuseCharacters(name.value, value.value);
    },
    VariableDefinition: ({ variable, defaultValue }) => {
      if (defaultValue?.kind === Kind.STRING) refuseCharacters(variable.name.value, defaultValue.value);
    },
  });
}

/** Refuses the same characters in the variables that the document declares. */
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
