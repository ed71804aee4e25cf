import Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { hashKey } from '../../keys.js';
import { type Actor, authenticate } from '../access/authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../access/limit-rows.js';
import { countRefused, isUnderApi } from '../access/outside-api.js';
import { callerOf, performWrite, publicReadDeps, type WriteRequest } from '../access/perform-write.js';
import { requireRoom, type Spend, spendOnce, takeLimits, type Window } from '../access/rate-limit.js';
import { isUnchanged, publicBytes, sendPublic } from '../http/public-answer.js';
import { storedAnswer } from '../idempotency/records.js';
import { identityOf, parseIdempotencyKey } from '../idempotency/rules.js';
import { parseFields } from '../parse-fields.js';
import type { AnyCall, Endpoint, ReadEndpoint, WriteEndpoint } from './endpoint.js';
import { IDEMPOTENCY_HEADER, takesIdempotencyKey } from './idempotency-key.js';
import { bodyReader, parseBody, readQuery } from './input.js';

/** Creates the router of a list of endpoints. A trailing slash is another path, so that a proxy rule has one spelling to deny. */
export function mount(deps: Deps, endpoints: readonly Endpoint[]): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const declared of [...endpoints].sort(literalFirst)) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [declared.method], (ctx) => serve(deps, declared, ctx));
  }
  return router;
}

/** Sorts `/api/agents/me` before `/api/agents/{address}`, independent of the order of declaration. */
function literalFirst(a: Endpoint, b: Endpoint): number {
  const rank = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '~');
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

/** A request of which the key was checked and the limits are known. */
type Admitted = {
  /** The caller as the answer sees it: null for an endpoint without `auth`. */
  readonly reader: Actor | null;
  /** Hash of the key that was sent, also to an endpoint without `auth`. */
  readonly keyHash: string | undefined;
  readonly bodyText: () => Promise<string>;
  readonly globalWindows: readonly Window[];
  readonly ownWindows: readonly Window[];
};

/** The steps of every request in order: key, limits, input, handler, output. */
async function serve(deps: Deps, declared: Endpoint, ctx: Context): Promise<void> {
  const ip: string = ctx.state.ip;
  const bodyText = bodyReader(ctx.req);
  const identify = identityReader(deps, declared, ctx, bodyText);
  const actor = await admit(deps, declared, ctx, identify).catch((error: unknown) => countRefused(deps, ctx, error));
  ctx.state.agent = actor?.agentId;
  // Without `auth`, a key only selects the limits: the answer is the same for every caller.
  const reader = declared.auth === 'none' ? null : actor;
  const admitted: Admitted = {
    reader,
    keyHash: actor?.keyHash,
    bodyText,
    // Another middleware has already counted the requests outside /api.
    globalWindows: isUnderApi(declared.path) ? windowsOf([globalRow(actor)], actor, ip) : [],
    ownWindows: windowsOf(endpointRows(declared, ctx.params, reader), actor, ip),
  };
  if (declared.auth === 'optional') ctx.vary('X-Api-Key');
  if (declared.method === 'GET') await read(deps, declared, ctx, admitted);
  else await write(deps, declared, ctx, { ...admitted, identify });
}

async function read(deps: Deps, declared: ReadEndpoint, ctx: Context, admitted: Admitted): Promise<void> {
  const { reader, keyHash, globalWindows, ownWindows } = admitted;
  if (ownWindows.length > 0) await requireRoom(deps, [...globalWindows, ...ownWindows]);
  await takeLimits(deps, ctx, globalWindows);
  const spend = spendOnce(() => takeLimits(deps, ctx, ownWindows));
  const source = isPublicRead(declared) ? publicReadDeps(deps, keyHash, ctx.state.ip) : deps;
  const load = async () => declared.handle(source, await callOf(declared, ctx, admitted, spend));
  // A read counts in its own limits only after it succeeded, so an invalid read does not count.
  if (declared.cache === 'public' && reader === null) {
    const bytes = await publicBytes(source.caches.restAnswers, ctx, ctx.url, async () => textOf(await load()));
    await spend();
    sendPublic(ctx, 'application/json', bytes);
  } else {
    const output = await load();
    await spend();
    send(ctx, declared, textOf(output));
    if (declared.identity && isUnchanged(ctx, declared.identity(output))) ctx.status = 304;
  }
}

async function write(
  deps: Deps,
  declared: WriteEndpoint,
  ctx: Context,
  { identify, ...admitted }: Admitted & Pick<WriteRequest, 'identify'>,
): Promise<void> {
  const { keyHash, globalWindows, ownWindows } = admitted;
  const take = (windows: readonly Window[]) => takeLimits(deps, ctx, windows);
  const { answer, replayed } = await performWrite(
    deps,
    { caller: callerOf(keyHash, ctx.state.ip), globalWindows, ownWindows, take, identify },
    async (spend) => {
      // A key that is no longer valid may only replay a stored answer. There is none here: the stored answer may have
      // expired in the meantime.
      if (declared.auth === 'required' && admitted.reader === null) throw new AppError('INVALID_KEY');
      const call = await callOf(declared, ctx, admitted, spend);
      return {
        run: (storing) => declared.run(storing, call),
        format: (result) => Buffer.from(textOf(declared.answer(result, call))),
      };
    },
  );
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  send(ctx, declared, answer);
}

/**
 * Whether a replica of the database may serve the read. Reads of private data may mark rows as read, and probes ask for
 * the state of the primary.
 */
const isPublicRead = ({ auth, path }: ReadEndpoint): boolean => auth !== 'required' && isUnderApi(path);

const textOf = (output: object): string => JSON.stringify({ success: true, ...output });

/** Parses the input of a request. */
async function callOf(
  declared: Endpoint,
  ctx: Context,
  { reader, bodyText }: Admitted,
  spend: Spend,
): Promise<AnyCall> {
  const { params, query, body, jsonRpc } = declared;
  return {
    actor: reader,
    ip: ctx.state.ip,
    spend,
    params: params ? parseFields('path', params, ctx.params) : {},
    query: query ? parseFields('query', query, readQuery(new URLSearchParams(ctx.querystring))) : {},
    body: body ? parseFields('body', body, parseBody(await bodyText(), jsonRpc)) : {},
  };
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
async function admit(
  deps: Deps,
  declared: Endpoint,
  ctx: Context,
  identify: WriteRequest['identify'],
): Promise<Actor | null> {
  // Another middleware has already checked the keys outside /api.
  if (!isUnderApi(declared.path)) return null;
  const repeatsDeletion = async () =>
    declared.method === 'DELETE' && identify !== undefined && (await storedAnswer(deps, await identify())) !== null;
  const key = ctx.get('x-api-key') || undefined;
  const actor = await authenticate(deps, key, ctx.state.ip, repeatsDeletion);
  if (declared.retired?.(deps.config)) throw new AppError('DEPRECATED');
  if (declared.auth === 'required' && key === undefined) throw new AppError('MISSING_KEY');
  return actor;
}

/** A function that identifies a write by the header Idempotency-Key. undefined without the header, and for reads. */
function identityReader(
  { secretKey }: Deps,
  declared: Endpoint,
  ctx: Context,
  bodyText: () => Promise<string>,
): WriteRequest['identify'] {
  const header = ctx.req.headers['idempotency-key'];
  if (header === undefined || !takesIdempotencyKey(declared)) return undefined;
  return async () => {
    const key = parseIdempotencyKey(String(header), IDEMPOTENCY_HEADER);
    const apiKey = ctx.get('x-api-key') || undefined;
    const caller = callerOf(apiKey && hashKey(apiKey).toString('hex'), ctx.state.ip);
    const operation = `${declared.method} ${declared.path}`;
    const content = `${ctx.path}\n${declared.body ? await bodyText() : ''}`;
    return identityOf(secretKey, { key, caller, operation, content });
  };
}

/** The limits of the endpoint, without the global one. */
function endpointRows({ limit }: Endpoint, params: Record<string, string>, actor: Actor | null): readonly LimitRow[] {
  if (limit === 'global') return [];
  return typeof limit === 'function' ? limit({ actor, params }) : limit;
}
