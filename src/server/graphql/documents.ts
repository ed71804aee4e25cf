import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, type NameNode, parse, type ValueNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { refuseCharacters } from '../inputs.js';
import { CompiledQuery } from './compiled.js';
import { checkParts, checkTokens } from './cost.js';
import { isCacheable } from './types/object-types.js';

/** Maximum number of cached documents, and of their characters together. A document takes 60 to 100 bytes per character. */
const KEPT = { max: 500, maxSize: 300_000 };

/** Number of the execution at which a query is compiled. Compiling at the first would be wasted: most documents are sent once. */
const COMPILED_AT = 3;

/** A parsed document that is within `documentLimits`. */
export class KnownDocument {
  /** Query cost by the name of the operation. Only for documents without variables, on which the cost can depend. */
  readonly fixedCosts = new Map<string | undefined, number>();
  readonly #compiled = new Map<string | undefined, CompiledQuery>();
  executions = 0;
  #isCacheable: boolean | undefined;

  constructor(
    private readonly schema: GraphQLSchema,
    readonly text: string,
    readonly hash: string,
    readonly document: DocumentNode,
  ) {}

  /** Size in the cache, in characters. Each field of a compiled plan counts as ten, because it takes about as much memory. */
  get size(): number {
    let fields = 0;
    for (const query of this.#compiled.values()) fields += query.fields;
    return this.text.length + 1 + 10 * fields;
  }

  compiled(name: string | undefined): CompiledQuery {
    const compiled = this.#compiled.get(name) ?? new CompiledQuery(this.schema, this.document, name);
    this.#compiled.set(name, compiled);
    return compiled;
  }

  /**
   * Whether the document has no mutation and no uncacheable field. This visits the whole document, so the query cost must have been
   * checked before.
   */
  get isCacheable(): boolean {
    this.#isCacheable ??= isCacheable(this.schema, this.document);
    return this.#isCacheable;
  }

  /** Whether all callers get the same answer. As for `isCacheable`, the query cost must have been checked before. */
  get isPublic(): boolean {
    const { definitions } = this.document;
    const isLive = definitions.some((one) => 'operation' in one && one.operation === 'subscription');
    return !isLive && this.isCacheable;
  }
}

/**
 * Cache of the valid documents of clients and of the dashboard. Apollo Server uses it as document store and for persisted queries.
 */
export class Documents {
  /** The documents of the dashboard, by hash. They are valid, and never evicted. */
  readonly #own = new Map<string, KnownDocument>();
  readonly #valid = new LRUCache<string, KnownDocument>({ ...KEPT, sizeCalculation: ({ size }) => size });
  /** Hashes by text, so that a text is hashed once. Without this cache, a cached answer takes 1.02 to 1.06 times the CPU time. */
  readonly #hashes = new LRUCache<string, string>({ ...KEPT, sizeCalculation: (_, text) => text.length + 1 });

  readonly documentStore = {
    ...this.#storeOf(({ document }) => document),
    /** Apollo Server calls this when it has found a document valid. */
    set: async (key: string, document: DocumentNode): Promise<void> => {
      const { body = '' } = document.loc?.source ?? {};
      this.#hashes.set(body, hashIn(key));
      this.#valid.set(hashIn(key), new KnownDocument(this.schema, body, hashIn(key), document));
    },
  };
  // `set` does nothing, because `documentStore.set` has already stored a valid document, by the same hash.
  readonly persistedQueries = {
    cache: { ...this.#storeOf(({ text }) => text), set: async (): Promise<void> => {} },
  };

  constructor(
    private readonly schema: GraphQLSchema,
    own: Iterable<string>,
  ) {
    for (const text of own) {
      const known = this.byText(text);
      if (known === undefined) continue;
      this.#own.set(known.hash, known);
      this.#hashes.set(text, known.hash);
    }
  }

  byHash(sha256: string): KnownDocument | undefined {
    return this.#own.get(sha256) ?? this.#valid.get(sha256);
  }

  /** Counts an execution of a query, and returns its compiled form. undefined if graphql-js must execute the query. */
  execution(sha256: string, name: string | undefined, variables: Readonly<Record<string, unknown>>) {
    const known = this.byHash(sha256);
    if (known === undefined || ++known.executions < COMPILED_AT || !known.isCacheable) return undefined;
    const { size } = known;
    const execute = known.compiled(name).prepare(variables);
    // The cache calculates the size of a document only when it stores it, so a document that has grown is stored again.
    if (known.size !== size && this.#valid.delete(sha256)) this.#valid.set(sha256, known);
    return execute;
  }

  /**
   * The parsed document. undefined if the text has a syntax error, which Apollo Server reports. Throws if the document is too
   * large.
   */
  byText(text: string): KnownDocument | undefined {
    const sha256 = this.#hashes.get(text) ?? hash('sha256', text, 'hex');
    const known = this.byHash(sha256);
    if (known) return known;
    const document = readDocument(text);
    return document && new KnownDocument(this.schema, text, sha256, document);
  }

  #storeOf<V>(contentOf: (known: KnownDocument) => V) {
    return {
      get: async (key: string): Promise<V | undefined> => {
        const known = this.byHash(hashIn(key));
        return known && contentOf(known);
      },
      delete: async (): Promise<void> => {},
    };
  }
}

/** The hash in a key of Apollo Server, which is a prefix, a colon and the hash. */
const hashIn = (key: string): string => key.slice(key.indexOf(':') + 1);

/**
 * Parses a document. undefined if it has a syntax error. Limits are checked on the text before it is parsed, and on the syntax tree
 * before fragments are expanded.
 */
function readDocument(text: string): DocumentNode | undefined {
  let document: DocumentNode;
  try {
    checkTokens(text);
    document = parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
  checkParts(document);
  checkLiterals(document);
  return document;
}

/** Refuses the characters that REST refuses (`refuseCharacters`), in all strings that a document contains. */
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
