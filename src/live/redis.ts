import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Live } from './live.js';
import { processLive } from './process.js';

/** Longer than this no call waits for Redis; a connection that is silent for so long while it owes an answer is dead. */
const ANSWERS_WITHIN_MS = 1000;

/**
 * The calls of all replicas. While Redis is away each hears its own, and what it missed is looked for when Redis is back
 * (and once a second meanwhile, by those who wait).
 */
export function redisLive({ url, prefix, log }: { url: string; prefix: string; log: Logger }): Live {
  const own = processLive();
  const self = randomUUID();
  const channel = `${prefix}live`;
  const connect = () =>
    new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      connectTimeout: ANSWERS_WITHIN_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    });
  const [speaker, hearer] = [connect(), connect()];
  let gone = false;
  const lost = (error: unknown) => {
    if (!gone) log.warn({ err: error }, 'Redis does not answer: live events of other replicas come later');
    gone = true;
  };
  speaker.on('error', lost);
  hearer.on('error', lost);
  hearer.on('ready', () => {
    hearer.subscribe(channel).then(() => {
      if (gone) log.info('Redis answers again: live events of other replicas come at once');
      gone = false;
      own.wake();
    }, lost);
  });
  hearer.on('message', (_channel, from) => {
    if (from !== self) own.wake();
  });
  for (const redis of [speaker, hearer]) redis.connect().catch(() => {});
  return {
    wake() {
      own.wake();
      if (speaker.status === 'ready') speaker.publish(channel, self).catch(lost);
    },
    listen: own.listen,
    async close() {
      await own.close();
      speaker.disconnect();
      hearer.disconnect();
    },
  };
}
