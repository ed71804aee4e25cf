import { ensureData } from '../dataset/databases.js';
import { median, quantile } from '../support/figures.js';
import { load } from '../support/load.js';
import { pinDatabase, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import type { Server } from '../support/servers.js';
import { stopAll } from '../support/stops.js';

/** Header that makes the service bypass its cache. */
const headers = { 'cache-control': 'no-cache' };

const firstPages = {
  agents: '/api/agents?limit=20',
  'agents by holders': '/api/agents?limit=20&sort=holders',
  feed: '/api/feed',
};

const hardOnes = {
  'filtered by price and holders': '/api/agents?limit=20&minPrice=0.001&maxPrice=0.5&minHolder=5&sort=holders',
  'page 4000, by supply': '/api/agents?limit=20&page=4000&sort=supply',
  'by volume of the day': '/api/agents?limit=20&sort=volume',
  'search, common': '/api/search?q=otter',
};

/** Note on the results: the requests bypass cached answers, but totals and daily figures are cached for seconds. */
const NOTE = (path: string) => `\`GET ${path}\`, without cached answers, sequential requests; totals and daily figures are cached`;

/** Median latency in milliseconds. The requests follow one another on one connection, so that throughput has no influence. */
async function delay(server: Server, path: string, seconds: number): Promise<number> {
  const { latencies } = await load(server.url, { path, headers }, { connections: 1, seconds });
  return quantile(latencies, 0.5);
}

export const lists: Row = {
  name: 'lists',
  title: 'first pages at 10,000 and at 100,000 agents; a filter, a deep page, the day and a search at 100,000',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const [fewer, more] = options.quick ? (['quick', 'small'] as const) : (['small', 'large'] as const);
    const databases = [await ensureData(options.server, fewer, options.say), await ensureData(options.server, more, options.say)];
    return stopAll(async (started) => {
      const servers: Server[] = [];
      for (const database of databases) servers.push(started(await startProduct(database)));
      const seconds = Math.min(options.seconds, 2);
      const lines: Omit<Line, 'row'>[] = [];
      for (const [name, path] of Object.entries(firstPages)) {
        const taken: number[][] = [[], []];
        for (let round = 0; round <= options.rounds; round++) {
          for (const [i, server] of servers.entries()) {
            const ms = await delay(server, path, seconds);
            // The first round is a warm-up.
            if (round > 0) taken[i]?.push(ms);
          }
          // After the warm-up, the services have their connections, whose server processes are pinned.
          if (round === 0) for (const database of databases) await pinDatabase(database);
        }
        const [small, large] = taken.map(median) as [number, number];
        options.say(`  ${name}: ${small.toFixed(2)} ms, ${large.toFixed(2)} ms`);
        lines.push({
          work: `First page, ${name}`,
          against: `itself with a tenth of the agents`,
          product: `${large.toFixed(2)} ms`,
          peer: `${small.toFixed(2)} ms`,
          value: large / small,
          target: { at: 'most', value: 1.5, unit: 'times' },
          note: NOTE(path),
        });
      }
      for (const [name, path] of Object.entries(hardOnes)) {
        const server = servers[1] as Server;
        const taken: number[] = [];
        for (let round = 0; round <= options.rounds; round++) {
          const ms = await delay(server, path, seconds);
          if (round > 0) taken.push(ms);
        }
        const ms = median(taken);
        options.say(`  ${name}: ${ms.toFixed(2)} ms`);
        lines.push({
          work: `${options.quick ? '10,000' : '100,000'} agents, ${name}`,
          against: 'absolute',
          product: `${ms.toFixed(1)} ms`,
          peer: '',
          value: ms,
          target: { at: 'most', value: 50, unit: 'ms' },
          note: NOTE(path),
        });
      }
      return lines;
    });
  },
};
