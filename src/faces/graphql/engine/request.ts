import { type DocumentNode, Kind, parse, visit } from 'graphql';
import type { Context } from 'koa';
import { refuseCharacters } from '../../../core/text/characters.js';
import { AppError } from '../../../errors.js';
import { depthOf, readBytes } from '../../http/body.js';
import { checkParts, checkTokens } from './cost.js';

export const MAX_BYTES = 20_480;
export const MAX_DEPTH = 8;

/** What a caller sends, over POST or GET. Its parts are judged by the server. */
export type GraphRequest = {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
};

/** The body of a POST; size and depth are counted before it is parsed. One of another type is read by nobody. */
export async function readPost(ctx: Context): Promise<GraphRequest> {
  const text = (await readBytes(ctx.req, MAX_BYTES)).toString('utf8');
  if (ctx.get('content-type') !== 'application/json' && !ctx.is('application/json')) return {};
  if (depthOf(text) > MAX_DEPTH) throw new AppError('BODY_TOO_DEEP', { max: MAX_DEPTH });
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
  throw new AppError('INVALID_JSON');
}

/** The same from the parameters of a GET. */
export function readGet(ctx: Context): GraphRequest {
  // Not ctx.URL: it depends on the Host header.
  const searchParams = new URLSearchParams(ctx.querystring);
  if (ctx.querystring.length >= MAX_BYTES) throw new AppError('BODY_TOO_LARGE', { max: MAX_BYTES });
  const json = (name: string): unknown => {
    const text = searchParams.get(name);
    if (text === null) return undefined;
    if (depthOf(text) > MAX_DEPTH) throw new AppError('BODY_TOO_DEEP', { max: MAX_DEPTH });
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new AppError('INVALID_JSON', {}, { cause });
    }
  };
  return {
    query: searchParams.get('query') ?? undefined,
    operationName: searchParams.get('operationName') ?? undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The hash of a persisted query, if the request names one. */
export function persistedHash({ extensions }: GraphRequest): string | undefined {
  const persisted = isRecord(extensions) ? extensions.persistedQuery : undefined;
  return isRecord(persisted) && typeof persisted.sha256Hash === 'string' ? persisted.sha256Hash : undefined;
}

/** The document of a text that keeps the limits; null if it is no GraphQL, which the server then says. */
export function readDocument(text: string): DocumentNode | null {
  let document: DocumentNode;
  try {
    checkTokens(text);
    document = parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return null;
  }
  checkParts(document);
  checkLiterals(document);
  return document;
}

/** No declared text may contain what REST refuses in it; the document itself is not one. */
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

/** The same of the variables that the document declares. */
export function checkVariables(document: DocumentNode, variables: Readonly<Record<string, unknown>>): void {
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
