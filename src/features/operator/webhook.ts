import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { syncFromHint } from '../../index/ingest.js';
import { countRefused } from '../../server/authenticate.js';
import { readBytes } from '../../server/http/body.js';

export const WEBHOOK_PATH = '/webhooks/chain';
const MAX_BYTES = 1_000_000;

/**
 * The chain-event webhook. A signed payload is only a hint that the contract has new logs. The logs are read from the
 * chain, so a replayed, reordered or wrong payload changes nothing. The webhook answers first and reads afterwards.
 */
export async function serveWebhook(deps: Deps, signingKeys: readonly string[], ctx: Context): Promise<void> {
  const body = await readBytes(ctx.req, MAX_BYTES);
  const signature = ctx.get('x-alchemy-signature');
  if (!signingKeys.some((key) => isSigned(body, signature, key))) {
    return countRefused(deps, ctx, new AppError('INVALID_SECRET'));
  }
  const logs = countLogs(body, deps.chain.contract);
  if (logs > 0) void syncFromHint(deps);
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ success: true, logs });
}

/**
 * Compares the signature with the hex HMAC-SHA256 of the raw body. Both are hashed again to get equal lengths, so the comparison
 * takes constant time.
 */
function isSigned(body: Buffer, signature: string, key: string): boolean {
  const expected = createHmac('sha256', key).update(body).digest('hex');
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(digest(expected), digest(signature.toLowerCase()));
}

type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null | undefined;

/** Number of logs of the contract in a payload. The payload can have the GraphQL form or the address-activity form. */
function countLogs(body: Buffer, contract: string): number {
  let payload: Json;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
  const event = field(payload, 'event');
  const logs = list(field(field(field(event, 'data'), 'block'), 'logs')).map((log) => field(log, 'account'));
  const activity = list(field(event, 'activity')).map((entry) => field(entry, 'log') ?? entry);
  const addresses = [
    ...logs.map((account) => field(account, 'address')),
    ...activity.map((entry) => field(entry, 'address') ?? field(entry, 'toAddress')),
  ];
  // A custom GraphQL query selects its fields. The query may omit the address, so a log without one may be a log of the contract.
  return addresses.filter((address) => address === undefined || String(address).toLowerCase() === contract).length;
}

const field = (value: Json, name: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: Json })[name]
    : undefined;
const list = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
