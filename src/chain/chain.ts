import { id, type Result, type TransactionReceipt, ZeroAddress } from 'ethers';
import { Cache } from '../cache/cache.js';
import { remoteCaches } from '../cache/caches.js';
import { AppError, OperatorError } from '../errors/errors.js';
import { pause } from '../tasks.js';
import type { FeeSplit } from '../values/curve.js';
import type { Wei } from '../values/money.js';
import { callData, missingFunctions, ticketMarket, uintLists } from './contract-interface.js';
import { isValidSignature } from './contract-wallet.js';
import { type DryRun, dryRun, type Revert } from './dry-run.js';
import { type ChainRange, findDeployBlock, readFinalized, readHashes, readRange } from './logs/ranges.js';
import { type RpcProvider, RpcUnavailable } from './rpc.js';

/** State of a registered agent in the contract. Fees are in wei. */
export type OnChainAgent = {
  readonly name: string;
  readonly agentId: string;
  readonly supply: number;
  readonly pendingFees: Wei;
};
export type OnChainMarket = { readonly supply: number; readonly pendingFees: Wei };
export type UnsignedCall = { readonly to: string; readonly data: string };

/** Number of agents in the contract, and states of some wallets, at the end of a block. */
export type StateAt = { readonly agentCount: number; readonly states: OnChainMarket[] };

/** Reads of the chain and of the market contract. A read throws CHAIN_UNAVAILABLE if no RPC answers in time. */
export type Chain = Place & ChainReads & ContractReads & FeeReads;

/** Reads of the chain that need no state of the market contract. */
type ChainReads = {
  blockNumber(): Promise<number>;
  head(): Promise<{ readonly number: number; readonly time: Date }>;
  /** Time of a block. null if the chain has no such block. */
  blockTime(number: number): Promise<Date | null>;
  etherBalance(wallet: string): Promise<Wei>;
  /** Whether the wallet is a contract that accepts the signature of the hash (EIP-1271). `signature` is in hexadecimal. */
  acceptsSignature(wallet: string, hash: string, signature: string): Promise<boolean>;
  /** The error with which the contract would refuse the transaction. null if the transaction would succeed. */
  dryRun(transaction: DryRun): Promise<Revert | null>;
  receipt(txHash: string): Promise<TransactionReceipt | null>;
  /**
   * All facts in [from, to], read from one fork. Throws RangeRefused if the range is too large for the RPC.
   * `fromReceipts` reads receipts instead of trusting lists of logs; the range must not exceed 16 blocks.
   */
  range(from: number, to: number, fromReceipts?: boolean): Promise<ChainRange>;
  /** Number of RPC URLs. */
  readonly urls: number;
  /** Puts the preferred RPC URL last for a while, because its answer contradicts the index. */
  demoteUrl(): void;
  /** Current hashes of the blocks. null where the chain has no such block. */
  hashes(numbers: readonly number[]): Promise<(string | null)[]>;
  /** Newest finalized block. null if the RPC does not support the block tag `finalized`. */
  finalized(): Promise<number | null>;
  /** Block that created the contract. Found by bisection, then cached. */
  deployBlock(): Promise<number>;
  /**
   * Signatures of the functions of this version's ABI that the deployed contract lacks. Empty unless an earlier version deployed
   * the contract. Read once, because the code of a contract does not change.
   */
  missingFunctions(): Promise<readonly string[]>;
};

/** Reads of the contract's state, and the calls with which wallets trade. */
type ContractReads = {
  /** State of a registered agent. null if the wallet is not registered. */
  agent(wallet: string): Promise<OnChainAgent | null>;
  /** Wallet that registered the agentId. null if the agentId is free. */
  agentOf(agentId: string): Promise<string | null>;
  /** States of the wallets, in the order of `wallets`. The supply is 0 if a wallet is not registered. */
  states(wallets: readonly string[]): Promise<OnChainMarket[]>;
  /** Number of tickets that the holder has in each agent, in the order of `agents`. */
  balances(holder: string, agents: readonly string[]): Promise<number[]>;
  /** Number of agents and states of the wallets at the end of a block. An RPC without archive data fails for old blocks. */
  stateAt(block: number, wallets: readonly string[]): Promise<StateAt>;
  /**
   * The call of a trade that costs at most, or pays at least, `bound`. The contract refuses it in a block after `deadline`, a Unix
   * time in seconds. Without a deadline, the call does not expire.
   */
  tradeCall(side: 'buy' | 'sell', agent: string, amount: number, bound: Wei, deadline?: number): UnsignedCall;
};

/** The fee rates of the contract. */
type FeeReads = {
  /**
   * Fee rates, cached for 10 minutes, or longer while the chain is unreachable. The contract announces a change 48 hours ahead.
   * Fees from `assumeFees` are not cached, so that the first answer of the chain replaces them.
   */
  feeSplit(): Promise<FeeSplit>;
  /** Sets the fee rates that `feeSplit` returns until the chain is reached. They come from an earlier start of the service. */
  assumeFees(split: FeeSplit): void;
};

/** Maximum number of wallets in one eth_call. Nodes limit its gas: with default settings, one call can read some 5,000 wallets. */
const WALLETS_PER_CALL = 1000;

type Place = {
  readonly chainId: number;
  readonly contract: string;
  /**
   * URL of the embedded chain, which agents may use. With RPC_URL it is the first configured URL, which agents must not see: it may
   * contain an API key.
   */
  readonly rpcUrl: string;
};

export function ethersChain(provider: RpcProvider, place: Place, now: () => number = Date.now): Chain {
  const { contract } = place;
  const calls = contractCalls(provider, contract);
  return {
    ...place,
    ...chainReads(provider, contract, now),
    ...contractReads(calls),
    ...cachedFeeSplit(calls.read, now),
  };
}

function chainReads(provider: RpcProvider, contract: string, now: () => number): ChainReads {
  const deployBlock = new Cache(remoteCaches.deployBlock, now);
  const missing = new Cache(remoteCaches.missingFunctions, now);
  return {
    blockNumber: () => provider.getBlockNumber(),
    async head() {
      const block = await provider.getBlock('latest');
      if (block === null) throw new AppError('CHAIN_UNAVAILABLE');
      return { number: block.number, time: new Date(block.timestamp * 1000) };
    },
    async blockTime(number) {
      const block = await provider.getBlock(number);
      return block && new Date(block.timestamp * 1000);
    },
    etherBalance: (wallet) => provider.getBalance(wallet),
    acceptsSignature: (wallet, hash, signature) => isValidSignature(provider, wallet, hash, signature),
    dryRun: (transaction) => dryRun(provider, transaction),
    receipt: (txHash) => provider.getTransactionReceipt(txHash),
    range: (from, to, fromReceipts) => readRange(provider, contract, { from, to }, fromReceipts),
    urls: provider.urls,
    demoteUrl: () => provider.demoteUrl(),
    hashes: (numbers) => readHashes(provider, numbers),
    finalized: () => readFinalized(provider),
    deployBlock: () => deployBlock.get('', () => findDeployBlock(provider, contract)),
    missingFunctions: () => missing.get('', async () => missingFunctions(await provider.getCode(contract))),
  };
}

function contractReads({ contract, answer, read, readAt }: ContractCalls): ContractReads {
  return {
    async agent(wallet) {
      const [info] = await read('agentInfo', [wallet]);
      if (!info.registered) return null;
      return { name: info.name, agentId: info.agentId, supply: Number(info.supply), pendingFees: info.pendingFees };
    },
    async agentOf(agentId) {
      // The contract finds the wallet by the hash of the agentId.
      const [wallet] = await read('agentOf', [id(agentId)]);
      return wallet === ZeroAddress ? null : wallet.toLowerCase();
    },
    states: (wallets) => inChunks(wallets, async (chunk) => statesIn(await answer('marketsOf', [chunk]), chunk)),
    balances: (holder, agents) =>
      inChunks(agents, async (chunk) => {
        const [balances = []] = uintLists(await answer('balancesOf', [holder, chunk]), 1);
        return chunk.map((_, i) => Number(balances[i]));
      }),
    async stateAt(block, wallets) {
      const [count, states] = await Promise.all([
        readAt(block, 'agentCount', []),
        inChunks(wallets, async (chunk) => {
          const result = await answer('marketsOf', [chunk], block);
          return result === NO_CONTRACT ? chunk.map(() => NO_STATE) : statesIn(result, chunk);
        }),
      ]);
      return { agentCount: Number(count?.[0] ?? 0), states };
    },
    tradeCall(side, agent, amount, bound, deadline) {
      // The number of arguments selects the overload with or without a deadline.
      const args = [agent, amount, bound, ...(deadline === undefined ? [] : [deadline])];
      return { to: contract, data: callData(`${side}Tickets`, args) };
    },
  };
}

const NO_STATE: OnChainMarket = { supply: 0, pendingFees: 0n };

function statesIn(answer: string, wallets: readonly string[]): OnChainMarket[] {
  const [supplies = [], pendingFees = []] = uintLists(answer, 2);
  return wallets.map((_, i) => ({ supply: Number(supplies[i] ?? 0), pendingFees: pendingFees[i] ?? 0n }));
}

/** Answer of a call to an address without code, for example at a block before the contract was created. */
const NO_CONTRACT = '0x';

type ContractCalls = {
  readonly contract: string;
  /** Calls a function of the contract. Returns the answer in hexadecimal, at the end of `block` or of the newest block. */
  answer(name: string, args: readonly unknown[], block?: number): Promise<string>;
  /** Calls a function of the contract on the newest block, and decodes the answer. */
  read(name: string, args: readonly unknown[]): Promise<Result>;
  /** Calls a function at the end of a block, and decodes the answer. null if the contract did not exist at that block. */
  readAt(block: number, name: string, args: readonly unknown[]): Promise<Result | null>;
};

function contractCalls(provider: RpcProvider, contract: string): ContractCalls {
  const answer: ContractCalls['answer'] = (name, args, block) =>
    provider.call({ to: contract, data: callData(name, args), blockTag: block ?? 'latest' });
  return {
    contract,
    answer,
    read: async (name, args) => decoded(name, await answer(name, args)),
    async readAt(block, name, args) {
      const result = await answer(name, args, block);
      return result === NO_CONTRACT ? null : decoded(name, result);
    },
  };
}

/** Decodes an answer of the contract. An answer that does not fit the ABI is the fault of a node, so the caller may retry. */
function decoded(name: string, data: string): Result {
  try {
    const result = ticketMarket.decodeFunctionResult(name, data);
    // Decodes all values now: text that is not UTF-8 would otherwise throw only when it is read.
    result.toArray(true);
    return result;
  } catch {
    throw new RpcUnavailable(`the answer to ${name} does not fit the ABI`);
  }
}

function cachedFeeSplit(read: ContractCalls['read'], now: () => number): FeeReads {
  const cache = new Cache(remoteCaches.feeSplit, now);
  let last: FeeSplit | undefined;
  let assumed: FeeSplit | undefined;
  const load = async (): Promise<FeeSplit> => {
    try {
      const [protocolBps, agentBps] = await read('feeSplit', []);
      last = { protocolBps, agentBps };
    } catch (error) {
      // While the chain is unreachable, the last fee split is returned, so that reads of stored data do not fail.
      if (last === undefined) throw error;
    }
    return last;
  };
  return {
    feeSplit: () => cache.get('', load).catch((error: unknown) => assumed ?? Promise.reject(error)),
    assumeFees(split) {
      assumed = split;
    },
  };
}

/** Reads the wallets in chunks, all in parallel. The answers are in the order of the wallets. An empty list makes no call. */
async function inChunks<T>(wallets: readonly string[], ask: (chunk: string[]) => Promise<T[]>): Promise<T[]> {
  const answers: Promise<T[]>[] = [];
  for (let from = 0; from < wallets.length; from += WALLETS_PER_CALL) {
    answers.push(ask(wallets.slice(from, from + WALLETS_PER_CALL)));
  }
  return (await Promise.all(answers)).flat();
}

/** The answer of a read of `Chain`. null if no RPC answers. */
export async function answerOrNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE') return null;
    throw error;
  }
}

/**
 * Throws ChainMismatch if the RPC is on another chain, or if the address has no code. Checks up to three times, because a faulty
 * node may err once. `which` names the RPC in the message.
 */
export async function checkChain(provider: RpcProvider, chainId: number, contract: string, which = 'RPC_URL'): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await expectChain(provider, chainId, contract, which);
    } catch (error) {
      if (error instanceof RpcUnavailable || attempt === CHAIN_CHECKS) throw error;
      await pause(provider.times, CHAIN_CHECK_MS);
    }
  }
}
const CHAIN_CHECKS = 3;
const CHAIN_CHECK_MS = 500;

async function expectChain(provider: RpcProvider, chainId: number, contract: string, which: string): Promise<void> {
  const actual = Number(await provider.send('eth_chainId', []));
  if (actual !== chainId) throw new ChainMismatch(`CHAIN_ID: ${chainId}, but ${which} is on chain ${actual}`);
  if ((await provider.getCode(contract)) === '0x') {
    throw new ChainMismatch(`CONTRACT_ADDRESS: "${contract}" has no code on chain ${chainId}`);
  }
}

export class ChainMismatch extends OperatorError {}
