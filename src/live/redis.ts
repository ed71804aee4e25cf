import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Outages } from '../observe/outage.js';
import { type Times, within } from '../times.js';
import type { Live } from './live.js';
import { processLive } from './process.js';

/**
 * Wake-ups across replicas over Redis pub/sub. During an outage each process hears only itself; subscribers also poll
 * the database once a second, and all are woken when Redis is back.
 */
export function redisLive(options: { url: string; prefix: string; outages: Outages; times: Times }): Live {
  const { url, prefix, outages, times } = options;
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
  const isAway = (by: 'publisher' | 'subscriber') => (error: unknown) => outages.begin('redis', by, error);
  publisher.on('error', isAway('publisher'));
  publisher.on('ready', () => outages.end('redis', 'publisher'));
  subscriber.on('error', isAway('subscriber'));
  subscriber.on('ready', () => {
    subscriber.subscribe(channel, writers).then(() => {
      outages.end('redis', 'subscriber');
      local.wake();
    }, isAway('subscriber'));
  });
  subscriber.on('message', (to, text) => {
    if (to === channel && text !== processId) local.wake();
    if (to === writers) for (const listener of writerListeners) listener(text);
  });
  const publish = (to: string, text: string): Promise<void> =>
    publisher.publish(to, text).then(() => outages.end('redis', 'publisher'), isAway('publisher'));
  for (const redis of [publisher, subscriber]) redis.connect().catch(() => {});
  return {
    wake() {
      local.wake();
      if (publisher.status === 'ready') void publish(channel, processId);
    },
    listen: local.listen,
    async tellWriter(caller) {
      if (publisher.status !== 'ready') return;
      await within(times, times.redisTell, publish(writers, caller));
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
