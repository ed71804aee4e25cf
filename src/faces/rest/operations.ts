import { z } from 'zod';
import { readiness } from '../../core/desk/queries.js';
import { endpoint } from './endpoint.js';

const health = endpoint({
  method: 'GET',
  path: '/health',
  tag: 'Operations',
  summary: 'Whether the process is alive, and which chain and contract it serves',
  auth: 'none',
  limit: 'global',
  output: z.object({
    status: z.literal('ok'),
    chainId: z.int(),
    contractAddress: z.string(),
    rpcUrl: z.string().optional(),
  }),
  errors: [],
  async handle({ market, config }) {
    return {
      status: 'ok' as const,
      chainId: market.chainId,
      contractAddress: market.contract,
      ...(config.chainEmbedded ? { rpcUrl: market.rpcUrl } : {}),
    };
  },
});

const part = z.object({ state: z.enum(['ok', 'down']), detail: z.string().optional() });

const ready = endpoint({
  method: 'GET',
  path: '/ready',
  tag: 'Operations',
  summary: 'Whether the service can do its work: database, chain, and how far the index is behind it',
  auth: 'none',
  limit: 'global',
  output: z.object({
    ready: z.boolean(),
    database: part,
    chain: part.extend({ blockNumber: z.int().nullable() }),
    index: part.extend({ blockNumber: z.int().nullable(), lagBlocks: z.int().nullable() }),
  }),
  errors: [],
  handle: (deps) => readiness(deps),
});

export const operations = [health, ready];
