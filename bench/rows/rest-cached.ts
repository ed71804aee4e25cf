import { ensureData } from '../dataset/databases.js';
import { walletOf } from '../dataset/people.js';
import { startConstant, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { limitLine, measure } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';

/** Cached reads: name, path, and target as a share of the limit (`limitLine`), which is a bit under the lowest of three runs. */
const reads = [
  ['agents', '/api/agents?limit=20', 0.3],
  ['trending', '/api/trending', 0.3],
  ['season leaderboard', '/api/seasons/leaderboard', 0.35],
  ['an agent', `/api/agents/${walletOf(0)}`, 0.28],
  ['feed', '/api/feed', 0.32],
  ['page of the market', '/', 0.16],
] as const;

/** Removes what depends on the second of the answer, namely its time and its scores, so that answers can be compared. */
const timeless = (text: string) => text.replace(/,"updatedAt":"[^"]+"\}$/, '}').replace(/"trendScore":\d+/g, '"trendScore":0');

/** The part of an answer that must be equal, if it is not the whole text. */
const compared: Readonly<Record<string, (text: string) => unknown>> = {
  trending: timeless,
  // The page contains figures of the last 24 hours, which change, so only the presence of the answer is compared.
  'page of the market': (text) => text.includes('id="first-answer"'),
};

export const restCached: Row = {
  name: 'rest-cached',
  title: 'public hot reads, with the cache, beside a constant answer of bare node:http',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      const lines: Omit<Line, 'row'>[] = [];
      for (const [name, path, least] of reads) {
        const same = compared[name] === undefined ? {} : { same: compared[name] };
        const constant = started(await startConstant(product, { path }));
        const [service, limit] = await measure(
          [
            { name: `Curvet, ${name}`, server: product, request: { path }, ...same },
            { name: 'a constant answer', server: constant, request: { path }, ...same },
          ],
          database,
          options,
        );
        if (!service || !limit) throw new Error('not measured');
        lines.push(limitLine(`\`GET ${path}\`, with the cache`, least, service, limit));
      }
      return lines;
    });
  },
};
