/** The methods that `POST /dev/rpc` forwards to the chain. */
export const DEV_RPC_METHODS = [
  'eth_chainId',
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_feeHistory',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getBlockByNumber',
  'eth_getLogs',
  'eth_sendRawTransaction',
] as const;

/** Further reads that wallet extensions and libraries need. None changes the chain or signs with its accounts. */
const WALLET_METHODS = `
  eth_syncing eth_blobBaseFee eth_getCode eth_getStorageAt eth_getProof eth_createAccessList
  eth_getBlockByHash eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
  eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex
  eth_newFilter eth_newBlockFilter eth_newPendingTransactionFilter
  eth_getFilterChanges eth_getFilterLogs eth_uninstallFilter
  net_version net_listening web3_clientVersion web3_sha3
`;

const FOR_PAGES = new Set<unknown>([...DEV_RPC_METHODS, ...WALLET_METHODS.trim().split(/\s+/)]);

/**
 * Maximum gas of a simulated call: the chain's block gas limit. With more gas, the node would let a call run until it is used up.
 */
export const MAX_SIMULATION_GAS = 30_000_000;
/** Maximum number of percentiles of eth_feeHistory, as in other nodes: the node computes each for up to 1,024 blocks. */
const MAX_PERCENTILES = 100;

const SIMULATIONS = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList']);

/** The accepted parameters in words, for the error message when `boundedParams` returns null. */
export const BOUNDED_PARAMS =
  '[call, block] of a simulation, without overrides of state or block; at most ' +
  `${MAX_PERCENTILES} percentiles of eth_feeHistory`;

/**
 * Returns parameters that cost the node a bounded amount of work: simulations get at most MAX_SIMULATION_GAS. Returns null if that
 * is impossible, for example with a state or block override, which can replace the gas limit and the code.
 */
export function boundedParams(method: string, params: unknown[]): unknown[] | null {
  if (method === 'eth_feeHistory') {
    const [, , percentiles] = params;
    return Array.isArray(percentiles) && percentiles.length > MAX_PERCENTILES ? null : params;
  }
  if (!SIMULATIONS.has(method) || params.length === 0) return params;
  const [call, ...others] = params;
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return null;
  const overrides = others.slice(1);
  if (overrides.some((override) => override !== null)) return null;
  return [withBoundedGas(call), ...others.slice(0, 1)];
}

/** Bounds the gas of a call. A call without a gas field stays as it is, because the node gives it the block gas limit. */
function withBoundedGas(call: object): object {
  const { gas } = call as { readonly gas?: unknown };
  if (gas === undefined || gas === null) return call;
  const isBounded = typeof gas === 'string' && /^0x[0-9a-f]{1,16}$/i.test(gas) && Number(gas) <= MAX_SIMULATION_GAS;
  return isBounded ? call : { ...call, gas: `0x${MAX_SIMULATION_GAS.toString(16)}` };
}

/** The verdict on a page's message: either a message to forward to the chain, or an answer of the relay. */
export type Judged = { readonly forward: string } | { readonly answer: string };

/**
 * Checks a JSON-RPC message (one call or a batch) of a page or browser extension. The forwarded message is serialized
 * again from the parsed calls, with bounded parameters: the chain must not parse another method out of the original
 * bytes, for example from a duplicated key.
 */
export function judgeCalls(message: string): Judged {
  try {
    const parsed: unknown = JSON.parse(message);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    if (calls.length === 0) return { answer: JSON.stringify(NOT_JSON) };
    const answer = (code: number, text: string): Judged => {
      const answers = calls.map((call) => problem(call?.id, code, text));
      return { answer: JSON.stringify(Array.isArray(parsed) ? answers : answers[0]) };
    };
    const refused = calls.find((call) => !FOR_PAGES.has(call?.method));
    if (refused !== undefined) {
      return answer(-32601, `Web pages and extensions cannot call ${String(refused?.method).slice(0, 60)}`);
    }
    const rewritten = calls.map(({ id, method, params = [] }) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: Array.isArray(params) ? boundedParams(method, params) : null,
    }));
    if (rewritten.some(({ params }) => params === null)) return answer(-32602, `Send params as ${BOUNDED_PARAMS}`);
    return { forward: JSON.stringify(Array.isArray(parsed) ? rewritten : rewritten[0]) };
  } catch {
    return { answer: JSON.stringify(NOT_JSON) };
  }
}

const problem = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: { code, message },
});
const NOT_JSON = problem(null, -32700, 'Send a JSON-RPC call, or a list of calls');
