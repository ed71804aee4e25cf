import { ensureData } from '../dataset/databases.js';
import { walletOf } from '../dataset/people.js';
import { sizes } from '../dataset/plan.js';
import { quantile } from '../support/figures.js';
import { load, type Request } from '../support/load.js';
import { startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { stopAll } from '../support/stops.js';

/** Header that makes the service bypass its cache. */
const fresh = { 'cache-control': 'no-cache' };
const query = `query Soak { agents(first: 20) { nodes { name trades(first: 5, side: RECEIVED) { nodes { price trader { name } } } } } }`;

/** Returns a function that makes typical requests: lists with and without cache, single agents, searches, GraphQL. */
function mixture(agents: number): () => Request {
  let turn = 0;
  return () => {
    turn++;
    switch (turn % 8) {
      case 0:
        return { path: '/api/agents?limit=20', headers: fresh };
      case 1:
        return { path: '/graphql', body: JSON.stringify({ query }), headers: fresh };
      case 2:
      case 3:
        return { path: `/api/agents/${walletOf((turn * 7919) % agents)}` };
      case 4:
        return { path: `/api/search?q=otter%20${turn % 60}` };
      case 5:
        return { path: '/api/feed' };
      case 6:
        return { path: '/api/trending' };
      default:
        return { path: '/api/leaderboard' };
    }
  };
}

/**
 * The minimum of the samples in an interval. `from` and `to` are shares of the whole time. Garbage collection makes memory
 * fluctuate, and the minimum is what remains in use.
 */
const lowest = (samples: readonly number[], from: number, to: number): number =>
  Math.min(...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));

export const soak: Row = {
  name: 'soak',
  title: 'resident memory over 10 minutes at half load',
  explanation:
    'all caches are bounded (answers, documents, totals, statements); the rest is free space that the garbage collector keeps',
  // A quick run would end while the service is still warming up.
  needsAllData: true,
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, 'small', options.say);
    return stopAll(async (started) => {
      const server = started(await startProduct(database));
      const next = mixture(sizes.small.agents);
      const full = await load(server.url, next, { connections: 16, seconds: 20 });
      const perSecond = full.requests / full.seconds / 2;
      const seconds = 600;
      options.say(`  ${perSecond.toFixed(0)} requests a second for ${seconds} s`);
      const samples: number[] = [];
      const sampling = setInterval(() => samples.push(server.resident() / 2 ** 20), 1000);
      const { latencies } = await load(server.url, next, { connections: 16, seconds, perSecond }).finally(() =>
        clearInterval(sampling),
      );
      const [before, after] = [lowest(samples, 0.2, 0.5), lowest(samples, 0.7, 1)];
      return [
        {
          work: `Growth of memory in ${seconds} s at half load`,
          against: 'absolute',
          product: `${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`,
          peer: '',
          value: Math.max(0, after - before),
          target: { at: 'most', value: 10, unit: 'MB' },
          note: `minimum of the second to fifth tenth of the time, and of the last three tenths; ${latencies.length} requests of eight kinds, p99 ${quantile(latencies, 0.99).toFixed(0)} ms; 10 MB is within the fluctuation of garbage collection`,
        },
      ];
    });
  },
};
