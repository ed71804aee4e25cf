import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Transaction as Parsed, Wallet } from 'ethers';
import {
  type Clock,
  Curvet,
  type CurvetOptions,
  memoryJournal,
  type SpendingLimits,
  type Transaction,
  toEth,
} from '../../../client/src/curvet.js';
import {
  decodeTrade,
  encodeAgentOf,
  encodeBalance,
  encodePrice,
  encodeTrade,
  type Side,
  selectors,
} from '../../../client/src/signing/calldata.js';
import { buyQuote, sellQuote, withBuySlippage, withSellSlippage } from '../../../src/values/curve.js';
import { listen } from '../service/listen.js';
import { endProcesses } from '../service/process.js';
import { homeOf } from './home.js';
import { SleepClock } from './scripted.js';

export const CONTRACT = `0x${'c0'.repeat(20)}`;
export const CHAIN = 84532;
/** An agent whose name the service and the contract know. Both say that it belongs to this wallet. */
export const NAMED = { agentId: 'night_owl', name: 'Night Owl', wallet: `0x${'a9'.repeat(20)}` };
const SPLIT = { protocolBps: 500n, agentBps: 500n };
// Supply of the tickets of every agent: all prices of the fake service follow from it and from the fee rates.
const SUPPLY = 30n;
/** Number of tickets that the wallet `VICTIM` holds of every agent. */
export const HELD = 7;

type Json = Record<string, unknown>;
/** Changes an answer before the client gets it. `what` is the path of the service, or the method of the RPC. */
export type Tamper = (what: string, answer: Json, request: URLSearchParams) => Json;

export const honestQuote = (side: Side, amount: number) => (side === 'buy' ? buyQuote : sellQuote)(SUPPLY, BigInt(amount), SPLIT);

/**
 * A service and a chain in memory, whose answers a test can falsify. Every sent transaction is mined, and every receipt has the log
 * of the last one. The wallet has 100 ETH, and gas costs 3 gwei: twice the base fee of 1 gwei, and a tip of 1 gwei.
 */
function fakeService(tamper: Tamper, clock: Clock): typeof globalThis.fetch {
  const sent: string[] = [];
  const rpc: Record<string, (params: readonly never[]) => unknown> = {
    eth_chainId: () => `0x${CHAIN.toString(16)}`,
    eth_getTransactionCount: () => `0x${sent.length.toString(16)}`,
    eth_getBalance: () => '0x56bc75e2d63100000',
    eth_maxPriorityFeePerGas: () => '0x3b9aca00',
    eth_getBlockByNumber: () => ({ baseFeePerGas: '0x3b9aca00', timestamp: `0x${secondsOf(clock).toString(16)}` }),
    // The instructions PUSH4 and EQ around a selector: by them, the client sees that the contract has deadlines.
    eth_getCode: () => `0x63${selectors.buyTickets.withDeadline.slice(2)}14`,
    eth_call: ([{ data }]: readonly [{ data: string }]) => {
      if (data === encodeAgentOf(NAMED.agentId)) return `0x${NAMED.wallet.slice(2).padStart(64, '0')}`;
      if (data.startsWith(encodeBalance('0x0', '0x0').slice(0, 10))) return word(HELD);
      // All other calls ask for a price. The second word of their data is the amount.
      const side = data.startsWith(encodePrice('buy', '0x0', 0).slice(0, 10)) ? 'buy' : 'sell';
      return `0x${honestQuote(side, Number(`0x${data.slice(74, 138)}`))
        .total.toString(16)
        .padStart(64, '0')}`;
    },
    eth_sendRawTransaction: ([raw]: readonly string[]) => sent.push(String(raw)),
    eth_getTransactionReceipt: ([transactionHash]: readonly string[]) =>
      sent.length > 0 ? { transactionHash, status: '0x1', blockNumber: '0x1', logs: [logOf(sent.at(-1))] } : null,
    eth_blockNumber: () => '0x1',
  } as never;
  return (async (input: string, init: RequestInit = {}) => {
    const url = new URL(input);
    const body = init.body ? (JSON.parse(String(init.body)) as { method: string; params: never[] }) : undefined;
    if (url.hostname === 'rpc.test') {
      const { method, params } = body as { method: string; params: never[] };
      return Response.json(tamper(method, { jsonrpc: '2.0', id: 1, result: rpc[method]?.(params) }, url.searchParams));
    }
    const answer = { success: true, ...answerOf(url, clock) };
    return Response.json(tamper(url.pathname, answer, url.searchParams));
  }) as typeof globalThis.fetch;
}

const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** The log that the contract emits for a signed trade. */
function logOf(raw: string | undefined) {
  const { side = 'buy', amount = 0 } = decodeTrade(Parsed.from(String(raw)).data) ?? {};
  const { price, protocolFee, agentFee } = honestQuote(side, amount);
  const words = [amount, price, protocolFee, agentFee, SUPPLY, 0].map((value) => word(value).slice(2));
  return { address: CONTRACT, data: `0x${words.join('')}` };
}

/** Replaces fields of one answer. `path` is the path of the service, or the method of the RPC. */
export const inAnswer =
  (path: string, change: object): Tamper =>
  (what, answer) =>
    what === path ? { ...answer, ...change } : answer;

/**
 * Serves the fake service over HTTP for the calling suite, and its chain at /rpc. `instead` may answer in place of the service.
 * Returns the home directory of the victim, and the environment of its commands.
 */
export function useFakeServer(tamper: Tamper, clock: Clock, instead: (path: string, init: RequestInit) => Response | undefined) {
  const fake = { home: '', environment: {} };
  const fetch = fakeService(tamper, clock);
  const server = createServer(async (request, response) => {
    const { pathname, href } = new URL(`${request.url}`, `http://${request.headers.host}`);
    const body = await text(request);
    const init = { headers: request.headers as Record<string, string>, ...(body && { body }) };
    const asked = pathname === '/rpc' ? 'http://rpc.test/' : href;
    const given = instead(pathname, init) ?? (await fetch(asked, init));
    response.writeHead(given.status, Object.fromEntries(given.headers)).end(await given.text());
  });
  before(async () => {
    const url = await listen(server);
    fake.home = await homeOf(VICTIM, PASSWORD, { url, limits: { ...limits, gas: '0.002' } });
    const secrets = { CURVET_PASSWORD: PASSWORD, CURVET_API_KEY: API_KEY };
    fake.environment = { CURVET_HOME: fake.home, CURVET_URL: url, CURVET_RPC_URL: `${url}/rpc`, ...secrets };
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await endProcesses();
  });
  return fake;
}

export const PASSWORD = 'a password of a victim';
export const API_KEY = 'K'.repeat(64);
export const VICTIM = new Wallet(`0x${'11'.repeat(32)}`);
export const limits: SpendingLimits = { chainId: CHAIN, contract: CONTRACT, perTrade: '1', perDay: '5', gas: '0.01' };
/** Maximum gas fee of a transaction, in wei: 200,000 gas, the limit in the quotes, at 3 gwei. */
export const GAS = 200_000n * 3_000_000_000n;

/** Creates a client of a service that falsifies answers. `signed` collects what its signer was asked to sign. */
export function victim(tamper: Tamper = (_, answer) => answer, given: Partial<CurvetOptions> = {}) {
  const signed: Transaction[] = [];
  const clock = given.clock ?? new SleepClock();
  const curvet = new Curvet({
    baseUrl: 'http://curvet.test',
    apiKey: 'k',
    limits,
    clock,
    journal: memoryJournal(),
    fetch: fakeService(tamper, clock),
    ...given,
    signer: {
      address: VICTIM.address,
      signMessage: (message: string) => VICTIM.signMessage(message),
      signTransaction: (transaction) => {
        signed.push(transaction);
        return VICTIM.signTransaction(transaction);
      },
    },
  });
  return { curvet, signed, wallet: VICTIM.address.toLowerCase() };
}

const secondsOf = (clock: Clock): number => Math.floor(clock.now() / 1000);

function answerOf({ pathname, searchParams, origin }: URL, clock: Clock): Json {
  if (pathname === '/api') return { url: origin };
  if (pathname === '/api/contract') {
    return { chainId: CHAIN, contractAddress: CONTRACT, rpcUrl: 'http://rpc.test/', overloads: true };
  }
  if (pathname.startsWith('/api/agents/')) return { agent: { walletAddress: NAMED.wallet } };
  if (pathname !== '/api/tickets/quote') return { trade: { amount: 1 }, position: { amount: 1 } };
  const side = searchParams.get('action') as Side;
  const [agent, amount] = [String(searchParams.get('agent')), Number(searchParams.get('amount'))];
  const { total } = honestQuote(side, amount);
  const bound = side === 'buy' ? withBuySlippage(total, 500n) : withSellSlippage(total, 500n);
  const deadline = secondsOf(clock) + Number(searchParams.get('deadlineSeconds'));
  const data = encodeTrade({ side, agent, amount, bound, deadline });
  const value = `0x${(side === 'buy' ? bound : 0n).toString(16)}`;
  return {
    totalCost: toEth(total),
    transaction: { to: CONTRACT, from: VICTIM.address, data, value, gasLimit: '0x30d40' },
  };
}
