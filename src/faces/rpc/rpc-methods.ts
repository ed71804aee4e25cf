/** What `POST /dev/rpc` passes to the chain. */
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

/** Reads that wallet extensions and libraries need besides; none changes the chain or signs with its accounts. */
const WALLET_METHODS = [
  'eth_syncing',
  'eth_blobBaseFee',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getProof',
  'eth_createAccessList',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
  'eth_subscribe',
  'eth_unsubscribe',
  'net_version',
  'net_listening',
  'web3_clientVersion',
  'web3_sha3',
];

const FOR_PAGES = new Set<unknown>([...DEV_RPC_METHODS, ...WALLET_METHODS]);

/** The block gas limit of the chain. The node would let a simulation run for as long as the gas in the call lasts. */
export const MAX_SIMULATION_GAS = 30_000_000;
/** As in other nodes. The node answers each percentile for each of up to 1,024 blocks. */
export const MAX_PERCENTILES = 100;

const SIMULATIONS = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList']);

/** What the parameters must be that boundedParams refuses. */
export const BOUNDED_PARAMS =
  '[call, block] of a simulation, without overrides of state or block; at most ' +
  `${MAX_PERCENTILES} percentiles of eth_feeHistory`;

/**
 * Gives the parameters with which a method costs the node a bounded amount of work: the gas of a simulation is at most
 * MAX_SIMULATION_GAS. Null if there are none: an override of the state or the block can replace gas limit and code.
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

/** A call without gas gets the block gas limit from the node. */
function withBoundedGas(call: object): object {
  const { gas } = call as { readonly gas?: unknown };
  if (gas === undefined || gas === null) return call;
  const isBounded = typeof gas === 'string' && /^0x[0-9a-f]{1,16}$/i.test(gas) && Number(gas) <= MAX_SIMULATION_GAS;
  return isBounded ? call : { ...call, gas: `0x${MAX_SIMULATION_GAS.toString(16)}` };
}

/** What becomes of a page's message: it goes to the chain, or it is answered without the chain. */
export type Judged = { readonly forward: string } | { readonly answer: string };

/**
 * Judges a JSON-RPC message, one call or a batch, that a page or a browser extension sent. What goes on is written anew
 * from the parsed calls, so that the chain cannot read another method in it, such as one that stands there twice, and
 * with bounded parameters.
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
    const written = calls.map(({ id, method, params = [] }) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: Array.isArray(params) ? boundedParams(method, params) : null,
    }));
    if (written.some(({ params }) => params === null)) return answer(-32602, `Send params as ${BOUNDED_PARAMS}`);
    return { forward: JSON.stringify(Array.isArray(parsed) ? written : written[0]) };
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
