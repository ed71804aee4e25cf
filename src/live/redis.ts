import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Times } from '../config/timeouts.js';
import type { Outages } from '../observe/outages.js';
import type { Live } from './live.js';
import { processLive } from './process.js';

/**
 * Wake-ups across replicas over Redis pub/sub. During an outage, each process hears only itself. No event is lost: subscribers also
 * poll the database once a second, and all are woken when Redis is back.
 */
export function redisLive(options: { url: string; prefix: string; outages: Outages; times: Times }): Live {
  const { url, prefix, outages, times } = options;
  const local = processLive();
  const processId = randomUUID();
  const channel = `${prefix}live`;
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
  const beginOutage = (by: 'publisher' | 'subscriber') => (error: unknown) => outages.begin('redis', by, error);
  publisher.on('error', beginOutage('publisher'));
  publisher.on('ready', () => outages.end('redis', 'publisher'));
  subscriber.on('error', beginOutage('subscriber'));
  subscriber.on('ready', () => {
    subscriber.subscribe(channel).then(() => {
      outages.end('redis', 'subscriber');
      local.wake();
    }, beginOutage('subscriber'));
  });
  subscriber.on('message', (_channel, sender) => {
    if (sender !== processId) local.wake();
  });
  for (const redis of [publisher, subscriber]) redis.connect().catch(() => {});
  return {
    wake() {
      local.wake();
      if (publisher.status !== 'ready') return;
      publisher.publish(channel, processId).then(() => outages.end('redis', 'publisher'), beginOutage('publisher'));
    },
    listen: local.listen,
    async close() {
      await local.close();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
