import { ensureData } from '../dataset/databases.js';
import { startPeer, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { measure, throughputLine } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';

const reads = {
  agents: '/api/agents?limit=20',
  trending: '/api/trending',
  'season leaderboard': '/api/seasons/leaderboard',
};

/** Removes the fields that depend on the second of the answer: its time and the scores. */
const timeless = (text: string) =>
  text.replace(/,"updatedAt":"[^"]+"\}$/, '}').replace(/"trendScore":\d+/g, '"trendScore":0');

export const restCached: Row = {
  name: 'rest-cached',
  title: 'the public hot reads, with the cache, beside node:http and pg',
  explanation:
    'a cached answer costs its transfer. Single runs of the list of agents gave 9.0 to 14.0 on an AMD EPYC whose speed varied by half. The season leaderboard has 50 rows, so its answer is the largest: 8.1 to 12.0',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      const peer = started(await startPeer('http.mjs', database));
      const lines: Omit<Line, 'row'>[] = [];
      for (const [name, path] of Object.entries(reads)) {
        const same = name === 'trending' ? { same: timeless } : {};
        const [service, byHand] = await measure(
          [
            { name: `Curvet, ${name}`, server: product, request: { path }, ...same },
            { name: 'node:http + pg', server: peer, request: { path }, ...same },
          ],
          database,
          options,
        );
        if (!service || !byHand) throw new Error('not measured');
        const work = `\`GET ${path}\`, with the cache`;
        lines.push(throughputLine({ work, against: 'node:http + pg', least: 12 }, service, byHand));
      }
      return lines;
    });
  },
};
