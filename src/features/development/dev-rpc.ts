import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import {
  BOUNDED_PARAMS,
  boundedParams,
  DEV_RPC_METHODS,
  MAX_SIMULATION_GAS,
} from '../../server/chain-relay/rpc-methods.js';
import { oneOf } from '../../server/fields.js';
import { operation } from '../../server/operation.js';

/** Maximum number of blocks in one eth_getLogs call. */
const MAX_LOG_BLOCKS = 2000;

const id = z.union([z.string(), z.number(), z.null()]);

export const devRpc = operation({
  rest: 'POST /dev/rpc',
  tag: 'Development',
  summary: 'Call the embedded chain from a web page',
  description:
    'Available only on the embedded chain. Accepts one JSON-RPC call with a listed method. `eth_getLogs` reads at most ' +
    `${MAX_LOG_BLOCKS} blocks. \`eth_call\` and \`eth_estimateGas\` use at most ${MAX_SIMULATION_GAS} gas and accept ` +
    'no overrides. The answer contains `result` or `error` of the node, both with status 200, so that an EIP-1193 ' +
    '`request` can return `result` or throw `error`. Programs and wallet extensions use the `rpcUrl` of `GET /health` ' +
    'instead.',
  auth: 'none',
  limit: 'global',
  jsonRpc: true,
  input: z.object({
    jsonrpc: z.literal('2.0').default('2.0').meta({ expected: 'the string "2.0"' }),
    id: id.default(null).meta({ expected: 'a string, a number or null' }),
    method: oneOf(...DEV_RPC_METHODS),
    params: z.array(z.unknown()).default([]).meta({ expected: 'an array with the parameters of the method' }),
  }),
  output: z.object({
    jsonrpc: z.literal('2.0'),
    id,
    result: z.unknown().optional().describe('Result of the method. Absent if the node answered with an error.'),
    error: z
      .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
      .meta({ id: 'RpcError' })
      .optional()
      .describe('Error of the node. Absent if there is a result.'),
  }),
  errors: ['INVALID_FIELD', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
    response: { jsonrpc: '2.0', id: 1, result: '0x2a' },
  },
  async handle({ deps }, { method, ...body }) {
    const { dev } = deps;
    if (!dev) throw new AppError('NOT_FOUND');
    if (method === 'eth_getLogs') await checkLogRange(deps, body.params[0]);
    const params = boundedParams(method, body.params);
    if (params === null) throw new AppError('INVALID_FIELD', { field: 'params', expected: BOUNDED_PARAMS });
    const reply = await dev.rpc({ method, params });
    const answer = { jsonrpc: '2.0' as const, id: body.id };
    if (!('error' in reply)) return { ...answer, result: reply.result };
    const { code, message, data } = reply.error;
    return { ...answer, error: { code, message: message ?? '', data } };
  },
});

/** Refuses block ranges that are too long, and block tags for which only the node knows the length of the range. */
async function checkLogRange({ market }: Deps, filter: unknown): Promise<void> {
  const { fromBlock, toBlock, blockHash } = (filter ?? {}) as Record<string, unknown>;
  if (blockHash !== undefined && fromBlock === undefined && toBlock === undefined) return;
  const head = await market.blockNumber();
  const [from, to] = [fromBlock, toBlock].map((block) => {
    if (block === 'earliest') return 0;
    if (block === undefined || block === null || TAGS.has(block)) return head;
    return typeof block === 'string' && /^0x[0-9a-f]{1,12}$/i.test(block) ? Number(block) : Number.NaN;
  }) as [number, number];
  // A block in another form becomes NaN, and every comparison with NaN is false.
  if (Math.min(to, head) - from < MAX_LOG_BLOCKS) return;
  const expected = `[filter], whose fromBlock and toBlock are tags or hexadecimal, at most ${MAX_LOG_BLOCKS} blocks`;
  throw new AppError('INVALID_FIELD', { field: 'params', expected });
}
const TAGS = new Set<unknown>(['latest', 'pending', 'safe', 'finalized']);
