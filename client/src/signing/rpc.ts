import { TradeError } from '../errors.js';
import { type Clock, timeoutOf } from '../http/clock.js';
import { isBaseUrl } from '../http/service-url.js';

export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
export type Receipt = Readonly<Record<'transactionHash' | 'status' | 'blockNumber', string>> & {
  readonly logs?: readonly Log[];
};

type Block = { readonly timestamp: string; readonly baseFeePerGas?: string };

/** The RPC answered with an error, so a retry does not help. Any other error is a failure of the connection. */
export class RpcError extends TradeError {}

/** Error code with which a node answers if a call reverts, whatever the reason. */
const REVERTED = 3;

/** Names of the contract's errors by their selector. */
const reverts: Readonly<Record<string, string>> = {
  '0x0ca9970e': 'AgentAlreadyRegistered',
  '0x93651e8a': 'AgentIdTaken',
  '0x7e1e0352': 'AgentNotRegistered',
  '0x919208d7': 'CostAboveMax',
  '0xbc3088ef': 'DeadlineExpired',
  '0xd93c0665': 'EnforcedPause',
  '0xc551d36c': 'FeesBelowMinimum',
  '0x4a8bf486': 'InsufficientTickets',
  '0x7b8fe052': 'LastTicket',
  '0x59873244': 'PayoutBelowMin',
  '0xf6444a8e': 'WithdrawalTooEarly',
};

/** Maximum duration of one attempt, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** The calls of JSON-RPC that a trade needs. */
export class Rpc {
  constructor(
    readonly url: string,
    private readonly fetch: typeof globalThis.fetch,
    private readonly clock: Clock,
  ) {
    if (!isBaseUrl(url)) throw new TradeError('RPC', 'rpcUrl is not a URL', { hint: 'Pass the URL of a JSON-RPC.' });
  }

  chainId = async () => Number(await this.call('eth_chainId'));
  balance = async (wallet: string) => BigInt((await this.call('eth_getBalance', wallet, 'latest')) as string);
  /** Number of transactions of the wallet. `pending` also counts those that are not mined yet. */
  count = async (wallet: string, block: 'latest' | 'pending') => Number(await this.call('eth_getTransactionCount', wallet, block));
  simulate = async (call: object, block = 'latest') => (await this.call('eth_call', call, block)) as string;
  receipt = async (hash: string) => (await this.call('eth_getTransactionReceipt', hash)) as Receipt | null;
  /** Whether a node has the transaction, mined or not. */
  isKnown = async (hash: string) => Boolean(await this.call('eth_getTransactionByHash', hash));
  height = async () => Number(await this.call('eth_blockNumber'));
  code = async (contract: string) => (await this.call('eth_getCode', contract, 'latest')) as string;
  /** Time of the newest block, in seconds since 1970. */
  time = async () => Number(((await this.call('eth_getBlockByNumber', 'latest', false)) as Block).timestamp);
  send = (raw: string) => this.call('eth_sendRawTransaction', raw);

  /** Calls a read function of the contract. Throws if there is no contract at the address. */
  async read(to: string, data: string, block?: string): Promise<string> {
    const result = await this.simulate({ to, data }, block);
    if (/^0x([0-9a-f]{64})+$/i.test(result)) return result;
    throw new TradeError('RPC', `the RPC finds no contract at ${to}`, { hint: 'Check rpcUrl and the contract.' });
  }

  /** Fees that are high enough even if the base fee doubles. */
  async fees(): Promise<{ readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }> {
    const [block, tip] = await Promise.all([
      this.call('eth_getBlockByNumber', 'latest', false),
      this.call('eth_maxPriorityFeePerGas'),
    ]);
    const maxPriorityFeePerGas = BigInt(tip as string);
    const base = BigInt((block as Block).baseFeePerGas ?? 0);
    return { maxFeePerGas: 2n * base + maxPriorityFeePerGas, maxPriorityFeePerGas };
  }

  /** Calls a method of JSON-RPC. Without an answer, it repeats the call up to 3 times. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    for (let retry = 0; ; retry++) {
      try {
        return await this.#ask(method, params);
      } catch (error) {
        if (error instanceof RpcError || retry >= 3) throw error;
        await this.clock.sleep(300 * 2 ** retry);
      }
    }
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    let answer: { result?: unknown; error?: { code?: number; message?: string; data?: unknown } };
    try {
      const response = await this.fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutOf(this.clock, TIMEOUT_MS)),
      });
      answer = (await response.json()) as typeof answer;
      if (!('result' in answer) && !answer.error) throw new Error(`HTTP status ${response.status}`);
    } catch (cause) {
      throw new TradeError('RPC', `the RPC does not answer ${method}`, {
        hint: 'Check rpcUrl and the network.',
        cause,
      });
    }
    if (!answer.error) return answer.result;
    const { code, message = '', data } = answer.error;
    const reason = reverts[String(data).slice(0, 10)];
    const isRevert = reason !== undefined || code === REVERTED;
    throw new RpcError(isRevert ? 'TRADE_REVERTED' : 'RPC', reason ?? message, {
      hint: isRevert ? 'The contract refuses the transaction.' : `${method} failed.`,
      details: { method, data },
    });
  }
}
