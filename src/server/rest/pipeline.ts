import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { hashKey, KeyEnded } from '../../keys.js';
import type { Ctx } from '../../use-case.js';
import { type Actor, authenticate, countRefused, countUnmatched, isUnderApi, takeLimits } from '../access.js';
import { fromTexts, parseFields, readFields, readQuery } from '../fields.js';
import { MAX_BYTES, parseBody, readText } from '../http/body.js';
import { isUnchanged, publicBytes, sendPublic } from '../http/public-answer.js';
import { KEY_FORMAT, storedAnswer, type WriteIdentity } from '../idempotency/keys.js';
import { refuseMisspelled } from '../misspelled.js';
import { type Endpoint, isRead, type ReadOperation } from '../operation.js';
import { type Call, identityFor, perform, performRead, publicReadDeps } from '../perform.js';
import { restAnswer } from '../resources/answers.js';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** The header as a parameter of an OpenAPI operation. Without an example, because tools would send it with every write. */
export const idempotencyParameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: a request with the same key, path and body executes once, and retries get its answer for 24 hours. ' +
    `Use a new random value for each write, such as a UUID. ${KEY_FORMAT}, bare or in double quotes.`,
  schema: { type: 'string', minLength: 1, pattern: '^[!-~]+$' },
} as const;

/** Creates the router of a list of endpoints. A trailing slash is another path, so that a proxy rule has one spelling to deny. */
export function mount(deps: Deps, endpoints: readonly Endpoint[]): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const declared of [...endpoints].sort(compareRoutes)) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    const route = { deps, declared, format: restAnswer(declared.output).format as (result: unknown) => object };
    router.register(path, [declared.method], (ctx) => serve(route, ctx));
  }
  return router;
}

/** Sorts `/api/agents/me` before `/api/agents/{address}`, independent of the order of declaration. */
function compareRoutes(a: Endpoint, b: Endpoint): number {
  const rank = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '~');
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

type Route = {
  readonly deps: Deps;
  readonly declared: Endpoint;
  readonly format: (result: unknown) => object;
};

type Identify = (() => Promise<WriteIdentity>) | undefined;

/** The steps of every request in order: key, limits, input, use case, answer. */
async function serve(route: Route, ctx: Context): Promise<void> {
  const { deps, declared } = route;
  let reading: Promise<string> | undefined;
  const bodyText = () => {
    reading ??= readText(ctx.req, MAX_BYTES);
    return reading;
  };
  const identify = identityReader(deps, declared, ctx, bodyText);
  const actor = await admit(deps, declared, ctx, identify).catch((error: unknown) => countRefused(deps, ctx, error));
  ctx.state.agent = actor?.agentId;
  if (declared.auth === 'optional') ctx.vary('X-Api-Key');
  const call: Call = {
    deps,
    actor,
    ip: ctx.state.ip,
    given: ctx.params,
    take: (windows) => takeLimits(deps, ctx, windows),
    // Another middleware has already counted the requests outside /api.
    isCounted: !isUnderApi(declared.path),
  };
  const input = (of: Deps) => inputOf(declared, { deps: of, ctx, actor, bodyText });
  if (isRead(declared)) return read(route, declared, { ctx, call, input });
  const { answer, replayed } = await perform(declared, call, {
    input() {
      // A key that is no longer valid may only replay a stored answer. There is none here: the stored answer may have
      // expired in the meantime.
      if (declared.auth === 'required' && actor === null) throw new KeyEnded();
      return input(deps);
    },
    format: (result) => Buffer.from(textOf(route.format(result))),
    identify,
  });
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  send(ctx, declared, answer);
}

type Reading = {
  readonly ctx: Context;
  readonly call: Call;
  readonly input: (deps: Deps) => Promise<Record<string, unknown>>;
};

async function read(
  { declared, format }: Route,
  { handle }: ReadOperation,
  { ctx, call, input }: Reading,
): Promise<void> {
  const { auth, cache, identity } = declared as Endpoint & ReadOperation;
  // Reads of private data may mark rows as read, and probes ask for the state of the primary.
  const isReplicated = auth !== 'required' && isUnderApi(declared.path);
  const deps = isReplicated ? publicReadDeps(call.deps, call.actor) : call.deps;
  const load = async (of: Ctx) => format(await handle({ ...of, deps }, await input(deps)));
  if (cache === 'public' && (auth === 'none' || call.actor === null)) {
    const bytes = await performRead(declared, call, (of) =>
      publicBytes(deps.caches.restAnswers, ctx, ctx.url, async () => textOf(await load(of))),
    );
    return sendPublic(ctx, 'application/json', bytes);
  }
  const output = await performRead(declared, call, load);
  send(ctx, declared, textOf(output));
  if (identity && isUnchanged(ctx, identity(output as Record<string, unknown>))) ctx.status = 304;
}

const textOf = (output: object): string => JSON.stringify({ success: true, ...output });

async function inputOf(
  { input, params, query, body, jsonRpc, ignored }: Endpoint,
  { deps, ctx, actor, bodyText }: { deps: Deps; ctx: Context; actor: Actor | null; bodyText: () => Promise<string> },
) {
  const inPath = params && fromTexts(params, ctx.params);
  // An error in the path comes before those in the query and in the body.
  if (params && inPath) parseFields(params, inPath);
  const search = new URLSearchParams(ctx.querystring);
  const dropped = ignored?.(actor, ctx.params) ?? [];
  for (const name of dropped) search.delete(name);
  const inQuery = query && readQuery(search);
  const inBody = body && parseBody(await bodyText(), jsonRpc);
  refuseMisspelled(input, [...dropped, ...Object.keys({ ...inQuery, ...inBody, ...inPath })]);
  const given = { ...(query && inQuery && fromTexts(query, inQuery)), ...inBody, ...inPath };
  return readFields(deps, input, given, query ? 'INVALID_QUERY' : 'INVALID_FIELD');
}

function send(ctx: Context, declared: Endpoint, body: string | Buffer): void {
  ctx.status = declared.status ?? 200;
  ctx.type = 'application/json';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = body;
}

/**
 * Identifies the caller. Refuses retired endpoints, wrong keys, and a missing key where one is required. A key that is no
 * longer valid passes if the request repeats a DELETE, such as that of its agent: the stored answer is then replayed.
 */
async function admit(deps: Deps, declared: Endpoint, ctx: Context, identify: Identify): Promise<Actor | null> {
  // Another middleware has already checked the keys outside /api.
  if (!isUnderApi(declared.path)) return null;
  const repeatsDeletion = async () =>
    declared.method === 'DELETE' && identify !== undefined && (await storedAnswer(deps, await identify())) !== null;
  const key = ctx.get('x-api-key') || undefined;
  const actor = await authenticate(deps, key, ctx.state.ip).catch(async (refusal: unknown) => {
    if (refusal instanceof KeyEnded && (await repeatsDeletion())) return null;
    throw refusal;
  });
  if (declared.retired?.(deps.config)) throw new AppError('DEPRECATED');
  if (declared.auth === 'required' && key === undefined) throw new AppError('MISSING_KEY');
  return actor;
}

/** A function that identifies a write by the header Idempotency-Key. undefined without the header, and for reads. */
function identityReader(deps: Deps, declared: Endpoint, ctx: Context, bodyText: () => Promise<string>): Identify {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined || isRead(declared)) return undefined;
  return async () => {
    const apiKey = ctx.get('x-api-key') || undefined;
    return identityFor({ deps, ip: ctx.state.ip }, apiKey && hashKey(apiKey).toString('hex'), {
      key: String(key),
      field: IDEMPOTENCY_HEADER,
      operation: `${declared.method} ${declared.path}`,
      content: `${ctx.path}\n${declared.body ? await bodyText() : ''}`,
    });
  };
}

/**
 * Answers methods that a path does not serve with 405. A literal path takes precedence over a parameter:
 * GET /api/agents/follow is not a request for an agent named "follow", since that path serves POST only.
 */
export function methodsOf(deps: Deps, router: Router) {
  const layers = router.stack.filter(({ paramNames }) => paramNames.length === 0);
  const byPath = Map.groupBy(layers, ({ path }) => String(path));
  const methodsOfAll = (some: typeof layers) => new Set(some.flatMap(({ methods }) => methods));
  const literals = new Map([...byPath].map(([path, some]) => [path, methodsOfAll(some)]));
  const methodsAt = ({ path, method }: Context): ReadonlySet<string> =>
    literals.get(path) ?? methodsOfAll(router.match(path, method).path);

  /** Answers requests that no route serves: 404, 405, or OPTIONS. */
  async function otherwise(ctx: Context): Promise<void> {
    const methods = methodsAt(ctx);
    await countUnmatched(deps, ctx);
    if (methods.size === 0) throw new AppError('NOT_FOUND');
    const allow = [...methods].sort().join(', ');
    if (ctx.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED', { allow });
    ctx.status = 204;
    ctx.set('Allow', allow);
  }

  /** Runs before the routes, so that a literal path without the method is not taken for a path with a parameter. */
  function literalFirst(ctx: Context, next: Next): Promise<void> {
    return literals.get(ctx.path)?.has(ctx.method) === false ? otherwise(ctx) : next();
  }

  return { literalFirst, otherwise };
}
