import { z } from 'zod';
import { type Deps, type DevTools, hasEmbeddedPosts } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { BOUNDED_PARAMS, boundedParams, DEV_RPC_METHODS, MAX_SIMULATION_GAS } from '../../server/chain-relay/rpc-methods.js';
import { anyText, choice, walletAddress } from '../../server/inputs.js';
import { operation } from '../../server/operation.js';
import type { LimitRow } from '../../server/rate-limits.js';
import { etherBalance } from '../trading/wallet-resource.js';

export const devLimit: LimitRow = { name: 'dev', max: 300, seconds: 60, per: 'ip' };

/** Tools of the embedded chain. Without the embedded chain, their endpoints answer 404. */
function toolsOf({ dev }: Deps): DevTools {
  if (!dev) throw new AppError('NOT_FOUND');
  return dev;
}

const faucet = operation({
  rest: 'POST /dev/faucet',
  tag: 'Development',
  summary: 'Send 1 ETH of the embedded chain to a wallet',
  description: 'Available only on the embedded chain, where ether has no value.',
  auth: 'none',
  limit: [devLimit],
  input: z.object({ address: walletAddress() }),
  output: z.object({ txHash: z.string(), address: etherBalance.fields.address.schema, amountEth: z.literal('1') }),
  errors: ['INVALID_ADDRESS', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' },
    response: { txHash: `0x${'5c'.repeat(32)}`, address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', amountEth: '1' },
  },
  async handle({ deps }, { address }) {
    return { txHash: await toolsOf(deps).faucet(address), address, amountEth: '1' as const };
  },
});

const handle = anyText()
  .regex(/^[A-Za-z0-9_]{1,15}$/)
  .meta({ expected: '1 to 15 letters, digits and underscores' });

const post = operation({
  rest: 'POST /dev/posts',
  tag: 'Development',
  summary: 'Publish a post on the embedded post host',
  description:
    'Available only on the embedded post host, that is without SOCIAL_TEXT_PROXY. POST /api/agents/verify finds the post under the returned URL.',
  auth: 'none',
  limit: [devLimit],
  input: z.object({ handle, text: anyText().min(1).max(1000) }),
  output: z.object({ url: z.string() }),
  errors: ['MISSING_FIELD', 'INVALID_FIELD', 'FIELD_TOO_LONG'],
  example: {
    request: { handle: 'scout', text: 'I am claiming my agent "Scout" on Curvet. Verification code: CURVET-7K2P' },
    response: { url: 'https://x.com/scout/status/1' },
  },
  async handle({ deps }, { handle, text }) {
    if (!hasEmbeddedPosts(deps)) throw new AppError('NOT_FOUND');
    return { url: await toolsOf(deps).publish(handle, text) };
  },
});

/** Maximum number of blocks in one eth_getLogs call. */
const MAX_LOG_BLOCKS = 2000;

const id = z.union([z.string(), z.number(), z.null()]);

const devRpc = operation({
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
  limit: [devLimit],
  jsonRpc: true,
  input: z.object({
    jsonrpc: z.literal('2.0').default('2.0').meta({ expected: 'the string "2.0"' }),
    id: id.default(null).meta({ expected: 'a string, a number or null' }),
    method: choice(...DEV_RPC_METHODS),
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
    const dev = toolsOf(deps);
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

/**
 * Refuses an `eth_getLogs` filter with too many blocks. Also refuses block tags whose number only the node knows, because the
 * length of the range cannot be checked.
 */
async function checkLogRange({ chain }: Deps, filter: unknown): Promise<void> {
  const { fromBlock, toBlock, blockHash } = (filter ?? {}) as Record<string, unknown>;
  if (blockHash !== undefined && fromBlock === undefined && toBlock === undefined) return;
  const head = await chain.blockNumber();
  const [from, to] = [fromBlock, toBlock].map((block) => {
    if (block === 'earliest') return 0;
    if (block === undefined || block === null || TAGS.has(block)) return head;
    return typeof block === 'string' && /^0x[0-9a-f]{1,12}$/i.test(block) ? Number(block) : Number.NaN;
  }) as [number, number];
  // A block in any other form has become NaN. Every comparison with NaN is false, so the filter is refused.
  if (Math.min(to, head) - from < MAX_LOG_BLOCKS) return;
  const expected = `[filter], whose fromBlock and toBlock are tags or hexadecimal, at most ${MAX_LOG_BLOCKS} blocks`;
  throw new AppError('INVALID_FIELD', { field: 'params', expected });
}
const TAGS = new Set<unknown>(['latest', 'pending', 'safe', 'finalized']);

export const development = [faucet, post, devRpc];
