import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Times, within } from '../times.js';
import type { Live } from './live.js';
import { processLive } from './process.js';

/**
 * Wake-ups across replicas over Redis pub/sub. During an outage each process hears only itself; subscribers also poll
 * the database once a second, and all are woken when Redis is back.
 */
export function redisLive(options: { url: string; prefix: string; log: Logger; times: Times }): Live {
  const { url, prefix, log, times } = options;
  const local = processLive();
  const processId = randomUUID();
  const channel = `${prefix}live`;
  const writers = `${prefix}writers`;
  const writerListeners = new Set<(caller: string) => void>();
  const connect = () =>
    new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      connectTimeout: times.redisConnect,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    });
  const [publisher, subscriber] = [connect(), connect()];
  let unreachable = false;
  const onError = (error: unknown) => {
    if (!unreachable) log.warn({ err: error }, 'Redis is unreachable: live events of other replicas are delayed');
    unreachable = true;
  };
  publisher.on('error', onError);
  subscriber.on('error', onError);
  subscriber.on('ready', () => {
    subscriber.subscribe(channel, writers).then(() => {
      if (unreachable) log.info('Redis is reachable again: live events of other replicas are immediate');
      unreachable = false;
      local.wake();
    }, onError);
  });
  subscriber.on('message', (to, text) => {
    if (to === channel && text !== processId) local.wake();
    if (to === writers) for (const listener of writerListeners) listener(text);
  });
  for (const redis of [publisher, subscriber]) redis.connect().catch(() => {});
  return {
    wake() {
      local.wake();
      if (publisher.status === 'ready') publisher.publish(channel, processId).catch(onError);
    },
    listen: local.listen,
    async tellWriter(caller) {
      if (publisher.status !== 'ready') return;
      const told = publisher.publish(writers, caller).catch(onError);
      await within(times, times.redisTell, told);
    },
    onWriter(listener) {
      writerListeners.add(listener);
    },
    async close() {
      await local.close();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
