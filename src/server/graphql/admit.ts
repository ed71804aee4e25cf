import type { GraphQLRequest } from '@apollo/server';
import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import type { Window, WindowState } from '../../limits/limits.js';
import { MAX_REQUEST_BYTES } from '../document-limits.js';
import { isRecord, parseJson, parseObject, readText } from '../http/body.js';
import { refuseCharacters } from '../inputs.js';
import { queryCostLimits, takeWindows, windowsOf } from '../rate-limits.js';
import { costOf } from './cost.js';
import type { Documents, KnownDocument } from './documents.js';

/** The rate limit windows in which the query costs of a caller count. */
export const costWindows = (actor: Actor | null, ip: string): Window[] =>
  windowsOf([actor ? queryCostLimits.perKey : queryCostLimits.perIp], actor, ip);

/** The client that sent a request: its IP address, and its agent if it sent a key. */
export type Caller = {
  readonly actor: Actor | null;
  readonly ip: string;
  /** Is called with the points that the caller was charged, and the state of its windows afterwards. */
  readonly announce?: (windows: readonly WindowState[], points: number) => void;
};

/** The fields of a request, as the client sent them. Their types are not checked yet. */
export type GraphRequest = { readonly [Field in (typeof fields)[number][0]]?: unknown };

/** A request as a transport received it. */
export type GraphqlCall = Caller & {
  readonly request: GraphRequest;
  /** false: Apollo Server will refuse the request, so its query cost is not measured. @default true */
  readonly isExecutable?: boolean;
};

type Variables = Readonly<Record<string, unknown>>;

export type Admitted = {
  readonly request: GraphQLRequest;
  /** The parsed document. undefined if Apollo Server will refuse the request, for example because of a syntax error. */
  readonly known: KnownDocument | undefined;
  /** Query cost of one execution, which the caller pays. */
  readonly cost: number;
};

/**
 * Checks size, depth and query cost of a request, and charges the cost to its caller. Apollo Server gets the request only
 * afterwards, because its validation can take seconds for a malicious document.
 */
export class Admission {
  constructor(
    private readonly deps: Deps,
    private readonly schema: GraphQLSchema,
    private readonly documents: Documents,
  ) {}

  /** Checks and charges a request. A refused request costs one point. */
  async admit({ request, isExecutable = true, ...caller }: GraphqlCall): Promise<Admitted> {
    let measured: Admitted | undefined;
    let refusal: unknown;
    try {
      measured = this.#measure(typed(request), isExecutable);
    } catch (error) {
      refusal = error;
    }
    await this.#charge(caller, measured?.cost ?? 1);
    if (measured === undefined) throw refusal;
    return measured;
  }

  async #charge({ actor, ip, announce }: Caller, cost: number): Promise<void> {
    const charged = costWindows(actor, ip).map((window) => ({ ...window, cost }));
    const windows = await takeWindows(this.deps, charged);
    announce?.(windows, cost);
  }

  #measure(request: GraphQLRequest, isExecutable: boolean): Admitted {
    const { operationName, variables = {} } = request;
    const known = isExecutable ? this.#documentOf(request) : undefined;
    if (known === undefined) return { request, known, cost: 1 };
    checkVariables(known.document, variables);
    return { request, known, cost: this.#costOf(known, operationName, variables) };
  }

  /** The document of a request or of its persisted query. undefined if Apollo Server will refuse the request, and say why. */
  #documentOf({ query, extensions }: GraphQLRequest): KnownDocument | undefined {
    const { persistedQuery } = extensions ?? {};
    if (!persistedQuery) return query === undefined ? undefined : this.documents.byText(query);
    const { version, sha256Hash } = persistedQuery;
    if (typeof sha256Hash !== 'string') {
      throw new AppError('INVALID_FIELD', { field: 'sha256Hash', expected: 'the hash in hexadecimal digits' });
    }
    const known = query === undefined ? this.documents.byHash(sha256Hash) : this.documents.byText(query);
    return version === 1 && known?.hash === sha256Hash ? known : undefined;
  }

  #costOf({ document, fixedCosts }: KnownDocument, operationName: string | undefined, variables: Variables): number {
    const fixed = fixedCosts.get(operationName);
    if (fixed !== undefined) return fixed;
    const cost = costOf(this.schema, document, operationName, variables);
    const hasVariables = document.definitions.some(
      (node) => node.kind === Kind.OPERATION_DEFINITION && node.variableDefinitions?.length,
    );
    // Only names of existing operations are stored, so that clients cannot fill the memory with invented names.
    if (!hasVariables && getOperationAST(document, operationName)) fixedCosts.set(operationName, cost);
    return cost;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';

const fields = [
  ['query', isText, 'a string'],
  ['operationName', isText, 'a string'],
  ['variables', isRecord, 'an object'],
  ['extensions', isRecord, 'an object'],
] as const;

/** Checks the types of the fields, and drops those that are null. Apollo Server does this only for plain HTTP. */
function typed(request: GraphRequest): GraphQLRequest {
  const given: Record<string, unknown> = {};
  for (const [field, isRight, expected] of fields) {
    const value = request[field] ?? undefined;
    if (value === undefined) continue;
    if (!isRight(value)) throw new AppError('INVALID_FIELD', { field, expected });
    given[field] = value;
  }
  return given;
}

/** Refuses the characters that REST refuses (`refuseCharacters`), in the variables that the document declares. */
function checkVariables(document: DocumentNode, variables: Variables): void {
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

/** Maximum nesting depth of the JSON of a request. */
export const MAX_GRAPHQL_DEPTH = 8;

/** Reads a request from the body of a POST or the parameters of a GET. Size and depth are checked before JSON is parsed. */
export const readRequest = async (ctx: Context): Promise<GraphRequest> => (ctx.method === 'POST' ? readPost(ctx) : readGet(ctx));

async function readPost(ctx: Context): Promise<GraphRequest> {
  const text = await readText(ctx.req, MAX_REQUEST_BYTES);
  // With another content type, Apollo Server gets an empty request, refuses it, and says why.
  if (ctx.get('content-type') !== 'application/json' && !ctx.is('application/json')) return {};
  return parseObject(text, MAX_GRAPHQL_DEPTH);
}

function readGet(ctx: Context): GraphRequest {
  if (ctx.querystring.length >= MAX_REQUEST_BYTES) throw new AppError('BODY_TOO_LARGE', { max: MAX_REQUEST_BYTES });
  // ctx.URL is not used, because it depends on the Host header.
  const parameters = new URLSearchParams(ctx.querystring);
  const json = (name: string): unknown => {
    const text = parameters.get(name);
    return text === null ? undefined : parseJson(text, MAX_GRAPHQL_DEPTH);
  };
  return {
    query: parameters.get('query') ?? undefined,
    operationName: parameters.get('operationName') ?? undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}
