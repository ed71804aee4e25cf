import { ensureData } from '../dataset/databases.js';
import { startPeer, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { measure, throughputLine } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';

const path = '/api/agents?limit=20';

/** Header that makes the service bypass its cache. */
const fresh = { 'cache-control': 'no-cache' };

export const restList: Row = {
  name: 'rest-list',
  title: 'GET /api/agents?limit=20, nothing cached, beside node:http and Fastify',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      const plain = started(await startPeer('http.mjs', database));
      const fastify = started(await startPeer('fastify.mjs', database));
      const [service, byHand, byFastify] = await measure(
        [
          { name: 'Curvet', server: product, request: { path, headers: fresh } },
          { name: 'node:http + pg', server: plain, request: { path } },
          { name: 'Fastify + pg', server: fastify, request: { path } },
        ],
        database,
        options,
      );
      if (!service || !byHand || !byFastify) throw new Error('not measured');
      const work = `\`GET ${path}\`, nothing cached`;
      return [
        throughputLine({ work, against: 'node:http + pg', least: 1.5 }, service, byHand),
        throughputLine({ work, against: 'Fastify + pg', least: 1.5 }, service, byFastify),
      ];
    });
  },
};
