import { id, type Result, type TransactionReceipt, ZeroAddress } from 'ethers';
import { AppError } from '../errors.js';
import { remoteCaches } from '../freshness.js';
import type { Wei } from '../money.js';
import { Cache } from '../store/cache.js';
import { ticketMarket } from './contract-interface.js';
import { type ChainRange, findDeployBlock, readFinalized, readHashes, readRange } from './logs/ranges.js';
import { RpcProvider, RpcUnavailable } from './rpc.js';

/** What the contract says of a registered agent. */
export type OnChainAgent = {
  readonly name: string;
  readonly agentId: string;
  readonly supply: number;
  readonly pendingFees: Wei;
};
export type FeeSplit = { readonly protocolBps: bigint; readonly agentBps: bigint };
export type MarketState = { readonly supply: number; readonly pendingFees: Wei };
export type UnsignedCall = { readonly to: string; readonly data: string };

/** The market contract as the service sees it. When no RPC answers in time, a read throws CHAIN_UNAVAILABLE. */
export interface Market {
  readonly chainId: number;
  readonly contract: string;
  /** Where a wallet can reach the chain, if that is for the public to know. */
  readonly rpcUrl: string;
  blockNumber(): Promise<number>;
  /** null: the chain has no such block. */
  blockTime(number: number): Promise<Date | null>;
  /** null: the wallet has not registered. */
  agent(wallet: string): Promise<OnChainAgent | null>;
  /** The wallet that registered an agentId; null if it is free. */
  agentOf(agentId: string): Promise<string | null>;
  /** Not older than 10 minutes while the chain answers: a change of fees is announced 48 hours ahead. */
  feeSplit(): Promise<FeeSplit>;
  /** In the order of the wallets; supply 0 where none is registered. */
  states(wallets: readonly string[]): Promise<MarketState[]>;
  /** The tickets that a wallet holds in each agent. */
  balances(holder: string, agents: readonly string[]): Promise<number[]>;
  etherBalance(wallet: string): Promise<Wei>;
  receipt(txHash: string): Promise<TransactionReceipt | null>;
  /** How many agents had registered when a block ended, and the states of some wallets then. An old block may be unknown. */
  stateAt(block: number, wallets: readonly string[]): Promise<{ agentCount: number; states: MarketState[] }>;
  /** The tickets in an agent that a holder had when a block ended. */
  balanceAt(block: number, holder: string, agent: string): Promise<number>;
  /**
   * Every fact in [from, to], from one fork of the chain. Throws RangeRefused if that is too much for the RPC.
   * `thorough` believes receipts rather than lists of logs, in a range of up to 16 blocks.
   */
  range(from: number, to: number, thorough?: boolean): Promise<ChainRange>;
  /** How many RPC URLs there are to ask. */
  readonly urls: number;
  /** What the chain said last was wrong: another URL is asked for a while, if there is one. */
  distrust(): void;
  /** The hashes that blocks have now; null where the chain has no such block. */
  hashes(numbers: readonly number[]): Promise<(string | null)[]>;
  /** The block in which the contract was made, found by bisection once. */
  deployBlock(): Promise<number>;
  /** The newest block that no reorganisation can take back, as far as the RPC says; null if it does not. */
  finalized(): Promise<number | null>;
  buyCall(agent: string, amount: number, maxCost: Wei): UnsignedCall;
  sellCall(agent: string, amount: number, minPayout: Wei): UnsignedCall;
}

/** A node bounds the gas of a call: in its default settings it reads some 5,000 wallets at once. */
const WALLETS_PER_CALL = 1000;

export function ethersMarket(
  provider: RpcProvider,
  options: { chainId: number; contract: string; rpcUrl: string },
  now: () => number = Date.now,
): Market {
  const { contract } = options;
  const { read, readAt, call } = contractCalls(provider, contract);
  const deployBlock = new Cache(remoteCaches.deployBlock, now);
  return {
    ...options,
    blockNumber: () => reached(provider.getBlockNumber()),
    async blockTime(number) {
      const block = await reached(provider.getBlock(number));
      return block && new Date(block.timestamp * 1000);
    },
    async agent(wallet) {
      const [info] = await read('agentInfo', [wallet]);
      if (!info.registered) return null;
      return { name: info.name, agentId: info.agentId, supply: Number(info.supply), pendingFees: info.pendingFees };
    },
    async agentOf(agentId) {
      const [wallet] = await read('agentOf', [id(agentId)]);
      return wallet === ZeroAddress ? null : wallet.toLowerCase();
    },
    feeSplit: cachedFeeSplit(read, now),
    states: (wallets) =>
      inChunks(wallets, async (chunk) => {
        const [supplies, pendingFees] = await read('marketsOf', [chunk]);
        return chunk.map((_, i) => ({ supply: Number(supplies[i]), pendingFees: pendingFees[i] }));
      }),
    balances: (holder, agents) =>
      inChunks(agents, async (chunk) => {
        const [balances] = await read('balancesOf', [holder, chunk]);
        return chunk.map((_, i) => Number(balances[i]));
      }),
    async stateAt(block, wallets) {
      const [count, states] = await Promise.all([
        readAt(block, 'agentCount', []),
        inChunks(wallets, async (chunk) => {
          const result = await readAt(block, 'marketsOf', [chunk]);
          return chunk.map((_, i) => ({ supply: Number(result?.[0][i] ?? 0), pendingFees: result?.[1][i] ?? 0n }));
        }),
      ]);
      return { agentCount: Number(count?.[0] ?? 0), states };
    },
    balanceAt: async (block, holder, agent) =>
      Number((await readAt(block, 'ticketBalance', [agent, holder]))?.[0] ?? 0),
    etherBalance: (wallet) => reached(provider.getBalance(wallet)),
    range: (from, to, thorough) => reached(readRange(provider, contract, from, to, thorough)),
    urls: provider.urls,
    distrust: () => provider.distrust(),
    hashes: (numbers) => reached(readHashes(provider, numbers)),
    deployBlock: () => deployBlock.get('', () => reached(findDeployBlock(provider, contract))),
    finalized: () => reached(readFinalized(provider)),
    receipt: (txHash) => reached(provider.getTransactionReceipt(txHash)),
    buyCall: (agent, amount, maxCost) => call('buyTickets', [agent, amount, maxCost]),
    sellCall: (agent, amount, minPayout) => call('sellTickets', [agent, amount, minPayout]),
  };
}

type Read = (name: string, args: readonly unknown[]) => Promise<Result>;

function contractCalls(provider: RpcProvider, contract: string) {
  const read: Read = async (name, args) => {
    const data = ticketMarket.encodeFunctionData(name, args);
    return ticketMarket.decodeFunctionResult(name, await reached(provider.call({ to: contract, data })));
  };
  /** null: the block is older than the contract. */
  const readAt = async (block: number, name: string, args: readonly unknown[]) => {
    const data = ticketMarket.encodeFunctionData(name, args);
    const result = await reached(provider.call({ to: contract, data, blockTag: block }));
    return result === '0x' ? null : ticketMarket.decodeFunctionResult(name, result);
  };
  const call = (name: string, args: readonly unknown[]): UnsignedCall => ({
    to: contract,
    data: ticketMarket.encodeFunctionData(name, args),
  });
  return { read, readAt, call };
}

function cachedFeeSplit(read: Read, now: () => number): () => Promise<FeeSplit> {
  const cache = new Cache(remoteCaches.feeSplit, now);
  let last: FeeSplit | undefined;
  const load = async (): Promise<FeeSplit> => {
    try {
      const [protocolBps, agentBps] = await read('feeSplit', []);
      last = { protocolBps, agentBps };
    } catch (error) {
      // What is stored is answered without the chain, and the last known split is better than none.
      if (last === undefined) throw error;
    }
    return last;
  };
  return () => cache.get('', load);
}

/** Asks for all chunks at once; the answers come in the order of the wallets. None for no wallet: no call. */
async function inChunks<T>(wallets: readonly string[], ask: (chunk: string[]) => Promise<T[]>): Promise<T[]> {
  const answers: Promise<T[]>[] = [];
  for (let from = 0; from < wallets.length; from += WALLETS_PER_CALL) {
    answers.push(ask(wallets.slice(from, from + WALLETS_PER_CALL)));
  }
  return (await Promise.all(answers)).flat();
}

/** Only an RPC that does not answer is the caller's 503; what the chain answers is for the code that asked. */
export async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcUnavailable) throw new AppError('CHAIN_UNAVAILABLE', {}, { cause: error });
    throw error;
  }
}

/** Stops the start when the RPC is on another chain, or has no contract at the address. */
export async function checkChain(
  provider: RpcProvider,
  chainId: number,
  contract: string,
  which = 'RPC_URL',
): Promise<void> {
  const actual = Number(await provider.send('eth_chainId', []));
  if (actual !== chainId)
    throw new ChainMismatch(`CHAIN_ID: ${chainId} is not the chain of ${which}, which is ${actual}`);
  if ((await provider.getCode(contract)) === '0x') {
    throw new ChainMismatch(`CONTRACT_ADDRESS: "${contract}" has no code on chain ${chainId}`);
  }
}

/** The same of each URL by itself, since any may be asked when another fails. One that is away now may be right. */
export async function checkUrls(urls: readonly string[], chainId: number, contract: string): Promise<void> {
  const checks = urls.map(async (url, i) => {
    const provider = new RpcProvider([url], chainId);
    try {
      await checkChain(provider, chainId, contract, `RPC_URL (its URL ${i + 1})`);
    } catch (error) {
      if (error instanceof ChainMismatch) throw error;
    } finally {
      provider.destroy();
    }
  });
  await Promise.all(checks);
}

export class ChainMismatch extends Error {}
