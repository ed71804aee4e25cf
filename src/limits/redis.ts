import { Redis, ReplyError, type Result } from 'ioredis';
import type { Times } from '../config/timeouts.js';
import { type Outages, refusesLogin } from '../observe/outages.js';
import { within } from '../tasks.js';
import { LINGER_MS, type Limits, verdict, type Window, type WindowUsage, windowCost } from './limits.js';

type Shared = { readonly url: string; readonly prefix: string; readonly outages: Outages; readonly times: Times };

/**
 * Rate limits that all replicas share. Fails open: while Redis does not answer, requests pass. Supports one primary
 * with replicas, but not Redis Cluster, because the keys of a request may be in different hash slots.
 */
export function redisLimits({ url, prefix, outages, times }: Shared): Limits {
  /** The error with which the connection was last lost, for the log: commands say only that there is no connection. */
  let lost: unknown;
  const redis = clientOf(url, prefix, times);
  redis.defineCommand('slidingWindows', { lua: SCRIPT });
  // Without a listener, ioredis would print errors to the console. The outage is logged when a request fails.
  redis.on('error', (error) => (lost = error));
  redis.on('ready', () => {
    lost = undefined;
    outages.end('redis', 'rate limits');
  });
  const connecting = redis.connect().catch(() => {});
  const connected = within(times, times.redisLimit, connecting);

  const run = (windows: readonly Window[], now: number, take: boolean) =>
    redis.slidingWindows(
      windows.length,
      ...windows.map(({ key }) => key),
      now,
      take ? 1 : 0,
      LINGER_MS,
      ...windows.flatMap((window) => [window.max, window.seconds * 1000, windowCost(window)]),
    );

  async function readUsages(windows: readonly Window[], now: number, take: boolean): Promise<WindowUsage[]> {
    await connected;
    try {
      const reply = await run(windows, now, take);
      // A Redis that has become read-only still answers `peek`, so only a successful `take` ends the outage.
      if (take) outages.end('redis', 'rate limits');
      return reply.map(([used, oldest, passesAt]) => ({ used, oldest, passesAt }));
    } catch (error) {
      outages.begin('redis', 'rate limits', error instanceof ReplyError ? error : (lost ?? error));
      // A request runs up to four commands. After a timeout, this disconnects, so that the others fail without waiting.
      if (redis.status === 'ready' && !(error instanceof ReplyError)) redis.disconnect(true);
      return windows.map(() => ({ used: 0, oldest: null, passesAt: now }));
    }
  }

  const judge = async (windows: readonly Window[], now: number, take: boolean) =>
    verdict(windows, await readUsages(windows, now, take), now, take);

  return {
    take: (windows, now) => judge(windows, now, true),
    peek: (windows, now) => judge(windows, now, false),
    isUp: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    async login() {
      await within(times, times.redisConnect, connecting);
      const error = lost ?? (await run([LOGIN], 0, false).catch((failure: unknown) => failure));
      if (refusesLogin(error)) throw error;
    },
    async close() {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

/** A window for `login`, which only peeks at it, to see whether the user has the right to run the script. */
const LOGIN: Window = { key: 'login', max: 1, seconds: 1 };

const clientOf = (url: string, prefix: string, times: Times): Redis =>
  new Redis(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    // The client neither queues nor retries: a request that passed during an outage must not use up a limit later.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: times.redisLimit,
    // Closes a new connection that never answers, although the other side has not closed it.
    socketTimeout: 4 * times.redisLimit,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });

declare module 'ioredis' {
  interface RedisCommander<Context> {
    slidingWindows(
      keys: number,
      ...keysAndArguments: (string | number)[]
    ): Result<[used: number, oldest: number | null, passesAt: number | null][], Context>;
  }
}

/**
 * Checks all windows of a request atomically and, if all pass and `take` is set, consumes in each. Same rules as in
 * process.ts. A key is a sorted set of accepted requests: the score is the time, the member is '<cumulated cost before
 * it>:<its cost>', padded so that requests of the same millisecond stay in order.
 */
const SCRIPT = `
local now, take, linger = tonumber(ARGV[1]), ARGV[2] == '1', tonumber(ARGV[3])

local function costs(member)
  return tonumber(string.sub(member, 1, 16)), tonumber(string.sub(member, 18))
end

local function passesAt(key, oldest, before, excess, span)
  local low, high = redis.call('ZRANK', key, oldest), redis.call('ZCARD', key) - 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    local costBefore, cost = costs(redis.call('ZRANGE', key, middle, middle)[1])
    if costBefore + cost - before >= excess then high = middle else low = middle + 1 end
  end
  return tonumber(redis.call('ZRANGE', key, low, low, 'WITHSCORES')[2]) + span
end

local usages, entries, fits = {}, {}, true
for i, key in ipairs(KEYS) do
  local max, span, cost = tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  local newest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  local time = math.max(now, tonumber(newest[2] or now))
  local start = string.format('%.0f', time - span)
  local oldest = redis.call('ZRANGEBYSCORE', key, '(' .. start, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local before, total = 0, 0
  if oldest[1] then
    before = costs(oldest[1])
    local costBefore, newestCost = costs(newest[1])
    total = costBefore + newestCost
  end
  local excess = total - before + cost - max
  local passes = now
  if excess > 0 then
    fits = false
    passes = cost <= max and passesAt(key, oldest[1], before, excess, span)
  end
  usages[i] = { total - before, oldest[2] and tonumber(oldest[2]) or false, passes }
  entries[i] = { time = time, start = start, cost = cost, member = string.format('%016.0f:%.0f', total, cost), span = span }
end

if take and fits then
  for i, key in ipairs(KEYS) do
    local entry = entries[i]
    if entry.cost > 0 then
      redis.call('ZREMRANGEBYSCORE', key, '-inf', entry.start)
      redis.call('ZADD', key, entry.time, entry.member)
      redis.call('PEXPIRE', key, entry.span + linger)
    end
  end
end
return usages
`;
