import { ensureData } from '../dataset/databases.js';
import { median, quantile } from '../support/figures.js';
import { type Load, load } from '../support/load.js';
import { startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { type Server, unpin } from '../support/servers.js';
import { stopAll } from '../support/stops.js';

const COUNTS = [1, 2] as const;
const CONNECTIONS = 32;
const path = '/api/agents?limit=20';
/** Header that makes the service bypass its cache. */
const headers = { 'cache-control': 'no-cache' };

/** Requests per second, and the 99th percentile of the latencies. */
type Figures = { readonly perSecond: number; readonly p99: number };

/** Sends the load to all processes at the same time, as a proxy that distributes it evenly would. */
async function together(servers: readonly Server[], seconds: number): Promise<Figures> {
  const connections = CONNECTIONS / servers.length;
  const loads: Load[] = await Promise.all(servers.map(({ url }) => load(url, { path, headers }, { connections, seconds })));
  return {
    perSecond: loads.reduce((sum, { requests, seconds: took }) => sum + requests / took, 0),
    p99: quantile(
      loads.flatMap(({ latencies }) => [...latencies]),
      0.99,
    ),
  };
}

export const processes: Row = {
  name: 'processes',
  title: '1 and 2 processes of the service on this machine, which share it with the load and PostgreSQL',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const servers: Server[] = [];
      for (let i = 0; i < Math.max(...COUNTS); i++) {
        const server = started(await startProduct(database));
        unpin(server.pid);
        servers.push(server);
      }
      const taken = COUNTS.map((): Figures[] => []);
      for (let round = 0; round <= options.rounds; round++) {
        for (const [i, count] of COUNTS.entries()) {
          const figures = await together(servers.slice(0, count), options.seconds);
          if (round > 0) taken[i]?.push(figures);
        }
      }
      const [one, two] = taken.map((list) => ({
        perSecond: median(list.map(({ perSecond }) => perSecond)),
        p99: median(list.map(({ p99 }) => p99)),
      })) as [Figures, Figures];
      return [lineOf(`2 processes: \`GET ${path}\`, nothing cached`, two, one)];
    });
  },
};

const inWords = ({ perSecond, p99 }: Figures): string => `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms`;

const lineOf = (work: string, figures: Figures, one: Figures): Omit<Line, 'row'> => ({
  work,
  against: 'itself in one process',
  product: inWords(figures),
  peer: inWords(one),
  value: figures.perSecond / one.perSecond,
  // The machine of CI has only two cores, which the load and the database use as well, so two processes cannot be much faster
  // there.
  target: { at: 'least', value: 0.8, unit: 'times' },
  note: 'processes on all cores, load on one core, connections spread evenly, no proxy',
});
