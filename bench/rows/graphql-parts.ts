import { join } from 'node:path';
import { ensureData } from '../dataset/databases.js';
import { root, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { measure, throughputLine } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';
import { uncached } from './graphql.js';

/** Each optimisation of the GraphQL engine, with the minimum gain in throughput that justifies it. */
const parts = [
  { module: 'engine/compile', name: 'graphql-jit', least: 1.2 },
  { module: 'engine/direct', name: 'direct calls of resolvers', least: 1.1 },
] as const;

export const graphqlParts: Row = {
  name: 'graphql-parts',
  title: 'the service beside itself without one of the optimisations of GraphQL',
  explanation:
    'the gain of the direct calls is small beside the variation of this machine: single runs gave 0.85 to 1.41',
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
        const work = 'GraphQL: 20 agents × 5 trades × trader, nothing cached';
        return throughputLine({ work, against: `Curvet without ${name}`, least }, product, peer);
      });
    });
  },
};
