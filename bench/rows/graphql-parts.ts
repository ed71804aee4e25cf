import { join } from 'node:path';
import { ensureData } from '../dataset/databases.js';
import { root, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { cpuNote, inWords, measure } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';
import { uncached } from './graphql.js';

/** Each optimisation of the GraphQL engine, and the gain in throughput for which it may stay. */
const parts = [{ module: 'compile', name: 'graphql-jit', least: 1.2 }] as const;

export const graphqlParts: Row = {
  name: 'graphql-parts',
  title: 'the service beside itself without one of the optimisations of its GraphQL engine',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const whole = { name: 'Curvet', server: started(await startProduct(database)), request: uncached };
      const reduced = [];
      for (const { module, name } of parts) {
        const env = { WITHOUT: module, NODE_OPTIONS: `--import ${join(root, 'dist/bench/peers/without.js')}` };
        const server = started(await startProduct(database, env));
        reduced.push({ name: `without ${name}`, server, request: uncached });
      }
      const [product, ...others] = await measure([whole, ...reduced], database, options);
      if (!product) throw new Error('not measured');
      return others.map((peer, i) => {
        const { name = '', least = 1 } = parts[i] ?? {};
        return {
          work: 'GraphQL: 20 agents × 5 trades × trader, nothing cached',
          against: `Curvet without ${name}`,
          product: inWords(product),
          peer: inWords(peer),
          value: product.perSecond / peer.perSecond,
          target: { at: 'least' as const, value: least, unit: 'times' as const },
          note: cpuNote(product, peer),
        };
      });
    });
  },
};
