import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, type NameNode, parse, type ValueNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { refuseCharacters } from '../inputs.js';
import { CompiledQuery } from './compiled.js';
import { checkParts, checkTokens } from './cost.js';
import { isCacheable } from './types/object-types.js';

/** Documents that a process keeps, and their maximum total size. A document takes 60 to 100 bytes per character. */
const KEPT = { max: 500, maxSize: 300_000 };

/** The execution of a document at which a query is compiled. Most documents are sent once. */
const COMPILED_AT = 3;

/** A document whose size is within the limits. */
export class KnownDocument {
  /** Query cost by the name of the operation, if the document has no variables. */
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

  /** Size in the memory: characters of its text, and for each field of its plans as much as ten characters take. */
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
   * Whether it changes nothing, and selects no uncacheable field. The query cost must be known, because this visits the whole
   * document.
   */
  get isCacheable(): boolean {
    this.#isCacheable ??= isCacheable(this.schema, this.document);
    return this.#isCacheable;
  }

  /** Whether all callers get the same answer. The query cost must be known. */
  get isPublic(): boolean {
    const { definitions } = this.document;
    const isLive = definitions.some((one) => 'operation' in one && one.operation === 'subscription');
    return !isLive && this.isCacheable;
  }
}

/** The valid documents of clients and of the dashboard: the document store of Apollo Server, and its persisted queries. */
export class Documents {
  /** The documents of the dashboard, by hash. They are valid, and never evicted. */
  readonly #own = new Map<string, KnownDocument>();
  readonly #valid = new LRUCache<string, KnownDocument>({ ...KEPT, sizeCalculation: ({ size }) => size });
  /** Hashes by text. Without this map, a cached answer takes 1.02 to 1.06 times the CPU time. */
  readonly #hashes = new LRUCache<string, string>({ ...KEPT, sizeCalculation: (_, text) => text.length + 1 });

  readonly documentStore = {
    ...this.#storeOf(({ document }) => document),
    /** Apollo Server stores a document when it has found it valid. */
    set: async (key: string, document: DocumentNode): Promise<void> => {
      const { body = '' } = document.loc?.source ?? {};
      this.#hashes.set(body, hashIn(key));
      this.#valid.set(hashIn(key), new KnownDocument(this.schema, body, hashIn(key), document));
    },
  };
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

  /** Counts an execution of a query. undefined if graphql-js must execute it. */
  execution(sha256: string, name: string | undefined, variables: Readonly<Record<string, unknown>>) {
    const known = this.byHash(sha256);
    if (known === undefined || ++known.executions < COMPILED_AT || !known.isCacheable) return undefined;
    const { size } = known;
    const execute = known.compiled(name).prepare(variables);
    // The cache calculates the size when it stores a document.
    if (known.size !== size && this.#valid.delete(sha256)) this.#valid.set(sha256, known);
    return execute;
  }

  /** undefined if the text has a syntax error, which Apollo Server reports. Throws if the document is too large. */
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

/** The keys of Apollo Server are a prefix, a colon and the hash. */
const hashIn = (key: string): string => key.slice(key.indexOf(':') + 1);

/** Checks the text before it is parsed, and the syntax tree before its fragments are expanded. */
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
