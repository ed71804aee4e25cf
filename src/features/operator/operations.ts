import { z } from 'zod';
import { VERSION } from '../../config/config.js';
import { AppError } from '../../errors/errors.js';
import { operation } from '../../server/operation.js';
import { CONTRACT } from '../examples.js';
import { stateNow } from './state.js';

const databaseState = z
  .enum(['ok', 'down', 'read-only', 'full'])
  .describe(
    '`read-only`, `full`: reads are answered, and writes are refused, because the database is read-only or its disk is full.',
  );
const chainState = z.enum(['ok', 'down', 'still']).describe('`still`: the chain answers, but has no new block.');
const indexState = z
  .enum(['ok', 'down', 'still'])
  .describe('`still`: there are blocks to index, and none was indexed for a minute, or none can be.');

export const health = operation({
  rest: 'GET /health',
  tag: 'Operations',
  summary: 'Whether the process is alive, and which chain and contract it serves',
  description:
    'Returns 200 while the process runs, and waits for no other part. `database`, `chain` and `index` are what the process has last seen of them. ' +
    '`rpcUrl` is present only with the embedded chain.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
  output: z.object({
    status: z.literal('ok'),
    version: z.string().describe('Version of the service.'),
    chainId: z.int(),
    contractAddress: z.string(),
    rpcUrl: z.string().optional(),
    database: databaseState.optional(),
    chain: chainState.optional(),
    index: indexState.optional(),
  }),
  example: {
    response: {
      status: 'ok',
      version: VERSION,
      chainId: 84532,
      contractAddress: CONTRACT,
      rpcUrl: 'http://127.0.0.1:8545',
      database: 'ok',
      chain: 'ok',
      index: 'ok',
    },
  },
  async handle({ deps: { chain, config, seen } }) {
    return {
      status: 'ok' as const,
      version: VERSION,
      chainId: chain.chainId,
      contractAddress: chain.contract,
      ...(config.chainEmbedded ? { rpcUrl: chain.rpcUrl } : {}),
      database: seen.state?.database.state,
      chain: seen.state?.chain.state,
      index: seen.state?.index.state,
    };
  },
});

const detail = z.string().optional();
const database = z.object({ state: databaseState, detail }).meta({ id: 'DatabaseState' });
const chain = z
  .object({
    state: chainState,
    detail,
    blockNumber: z.int().nullable(),
    ageSeconds: z.int().nullable().describe('Age of the newest block.'),
    blockSeconds: z.number().nullable().describe('Usual time between two blocks. Null if blocks have no rhythm.'),
  })
  .meta({ id: 'ChainState' });
const index = z
  .object({ state: indexState, detail, blockNumber: z.int().nullable(), lagBlocks: z.int().nullable() })
  .meta({ id: 'IndexState' });

export const ready = operation({
  rest: 'GET /ready',
  tag: 'Operations',
  summary: 'Whether the service is ready: state of the database, the chain and the index',
  description:
    'With 503, the fields `database`, `chain` and `index` show which part is not as it should be. Stored data is still served, ' +
    'unless the database is `down`. ' +
    'The answer is at most one second old.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
  output: z.object({
    ready: z.boolean(),
    database,
    chain,
    index,
  }),
  errors: ['NOT_READY'],
  example: {
    response: {
      ready: true,
      database: { state: 'ok' },
      chain: { state: 'ok', blockNumber: 4711, ageSeconds: 1, blockSeconds: 2 },
      index: { state: 'ok', blockNumber: 4711, lagBlocks: 0 },
    },
  },
  async handle({ deps }) {
    const state = await stateNow(deps);
    if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
    return state;
  },
});
