// A local chain with many trades, on which backfills are measured. It is deterministic, created once and stored in a file.
// `bin/node dist/bench/chainfill.js [events]` creates it and leaves it running.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Contract, ContractFactory, getCreateAddress, type InterfaceAbi } from 'ethers';
import solc from 'solc';
import { ticketMarketAbi } from '../src/chain/abi.js';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';
import { anvilBinary, devAccount, freePort } from '../src/chain/embedded-chain.js';
import { RpcProvider } from '../src/chain/rpc.js';
import { TIMES } from '../src/config/timeouts.js';

const CHAIN_ID = 84532;
/** Number of traders. Each is a contract that Crowd (`SOURCE`) controls. */
const TRADERS = 300;
/** Number of agents. The first traders are the agents, and all trades are in their tickets. */
const AGENTS = 100;
const TRADES_PER_TRANSACTION = 4;
const TRANSACTIONS_PER_BLOCK = 5;
const SECONDS_PER_BLOCK = 10;
/** Above this supply, the next trade in an agent is a sale. */
const MAX_SUPPLY = 120;

export type FilledChain = {
  readonly rpcUrl: string;
  readonly contract: string;
  /** Block of the contract's deployment. `head` is the newest block. */
  readonly startBlock: number;
  readonly head: number;
  /** Number of registrations and trades. */
  readonly events: number;
  stop(): Promise<void>;
};

/**
 * Starts the chain from its file. The first start creates the file, which takes some minutes for 200,000 events. During this first
 * start, anvil writes its state only when it ends.
 */
export async function filledChain(directory: string, events: number): Promise<FilledChain> {
  const state = join(directory, `chain-${events}.json`);
  if (!existsSync(state)) {
    mkdirSync(directory, { recursive: true });
    const making = `${state}.part`;
    const chain = await startAnvil([
      '--dump-state',
      making,
      '--state-interval',
      '86400',
      '--no-mining',
      '--timestamp',
      String(BEGUN),
    ]);
    try {
      await fill(chain.provider, events - AGENTS);
    } finally {
      await chain.stop();
    }
    renameSync(making, state);
  }
  const chain = await startAnvil(['--load-state', state, '--timestamp', String(BEGUN)]);
  // Mines one block two hours later, so that all trades are old, as in a real backfill, and cause no live events.
  await chain.provider.send('anvil_mine', ['0x1', 7200]);
  const head = await chain.provider.getBlockNumber();
  return { rpcUrl: chain.rpcUrl, contract: MARKET, startBlock: 1, head, events, stop: chain.stop };
}

/** Time of the first block. It is fixed, so that the file is always the same. */
const BEGUN = Date.UTC(2026, 0, 1) / 1000;
const OWNER = devAccount(0).address;
const MARKET = getCreateAddress({ from: OWNER, nonce: 0 }).toLowerCase();
const CROWD = getCreateAddress({ from: OWNER, nonce: 1 });

async function startAnvil(options: readonly string[]) {
  const port = await freePort('127.0.0.1');
  const child: ChildProcess = spawn(
    anvilBinary(),
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      String(CHAIN_ID),
      '--quiet',
      '--disable-block-gas-limit',
      '--prune-history',
      ...options,
    ],
    { stdio: 'ignore', detached: true },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const rpcUrl = `http://127.0.0.1:${port}`;
  const provider = new RpcProvider([rpcUrl], CHAIN_ID, TIMES);
  for (let tries = 0; ; tries++) {
    try {
      await provider.getBlockNumber();
      break;
    } catch (error) {
      // Waits up to a minute, because loading a large file takes a while.
      if (tries === 600 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const stop = async () => {
    provider.destroy();
    child.kill('SIGTERM');
    await exited;
  };
  return { rpcUrl, provider, stop };
}

async function fill(provider: RpcProvider, trades: number): Promise<void> {
  const owner = devAccount(0).connect(provider);
  let nonce = 0;
  let time = BEGUN;
  const mineBlock = async () => {
    time += SECONDS_PER_BLOCK;
    await ask('evm_mine', [time]);
  };
  // Calls the RPC directly. `provider.send` would delay each call, because it waits for more calls to put them into a batch.
  const ask = async (method: string, params: unknown[]) => {
    const [answer] = await provider._send({ id: 1, jsonrpc: '2.0', method, params });
    if (answer === undefined || 'error' in answer) throw new Error(`${method}: ${answer?.error.message}`);
    return answer.result;
  };
  // 300 million, because a call of `invite` creates 50 contracts. The chain has no gas limit of blocks.
  const gas = '0x11e1a300';
  const send = (data: string, to?: string) =>
    ask('eth_sendTransaction', [{ from: OWNER, to, data, gas, nonce: `0x${(nonce++).toString(16)}` }]);
  const market = await new ContractFactory(ticketMarketAbi, ticketMarketBytecode, owner).getDeployTransaction(OWNER, 500, 500);
  const { abi, bytecode } = compileCrowd();
  const crowd = new Contract(CROWD, abi);
  const deployment = await new ContractFactory(abi, bytecode, owner).getDeployTransaction(MARKET);
  await send(market.data);
  await mineBlock();
  await send(deployment.data);
  await mineBlock();
  const ether = `0x${(10n ** 24n).toString(16)}`;
  for (let from = 0; from < TRADERS; from += 50) {
    await send(crowd.interface.encodeFunctionData('invite', [50, AGENTS]), CROWD);
    await mineBlock();
  }
  const traders = Array.from({ length: TRADERS }, (_, i) => getCreateAddress({ from: CROWD, nonce: i + 1 }));
  for (const trader of traders) await provider.send('anvil_setBalance', [trader, ether]);
  const plan = planner();
  for (let remaining = trades; remaining > 0; ) {
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < TRANSACTIONS_PER_BLOCK && remaining > 0; i++) {
      const steps = Array.from({ length: Math.min(remaining, TRADES_PER_TRANSACTION) }, plan);
      remaining -= steps.length;
      sent.push(send(crowd.interface.encodeFunctionData('run', [steps]), CROWD));
    }
    await Promise.all(sent);
    await mineBlock();
  }
  // Checks the last block as a sample: a transaction that reverts leaves no logs.
  const { logs } = (await provider.send('eth_getBlockReceipts', ['latest'])).reduce(
    (all: { logs: unknown[] }, receipt: { logs: unknown[] }) => ({ logs: [...all.logs, ...receipt.logs] }),
    { logs: [] },
  );
  if (logs.length === 0) throw new Error('the last block of the filled chain holds no trade');
}

/** Returns a function that plans the next valid trade. Some agents are traded more than others, and buys exceed sales. */
function planner(): () => bigint {
  let seed = 42;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const supplies = new Array<number>(AGENTS).fill(1);
  // The free first ticket of each agent is not counted here, so it is never sold.
  const balances = Array.from({ length: AGENTS }, () => new Map<number, number>());
  return () => {
    const agent = Math.min(random(AGENTS), random(AGENTS));
    const positions = balances[agent] as Map<number, number>;
    const supply = supplies[agent] as number;
    const sells = positions.size > 0 && (supply > MAX_SUPPLY || random(100) < 45);
    const trader = sells ? ([...positions.keys()][random(positions.size)] as number) : random(TRADERS);
    const has = positions.get(trader) ?? 0;
    const amount = sells ? 1 + random(has) : 1 + random(4);
    const balance = has + (sells ? -amount : amount);
    if (balance === 0) positions.delete(trader);
    else positions.set(trader, balance);
    supplies[agent] = supply + (sells ? -amount : amount);
    // A step, as `run` of Crowd decodes it: trader, agent, whether it sells, amount.
    return (BigInt(trader) << 64n) | (BigInt(agent) << 32n) | (sells ? 1n << 16n : 0n) | BigInt(amount);
  };
}

/**
 * Crowd creates the traders, and lets them carry out several trades in one transaction. The first traders also register as agents.
 */
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface IMarket {
    function registerAgent(string calldata name, string calldata agentId, address feeDestination) external;
    function buyTickets(address agent, uint256 amount, uint256 maxCost) external payable;
    function sellTickets(address agent, uint256 amount, uint256 minPayout) external;
}
contract Trader {
    receive() external payable {}
    function register(IMarket market, string calldata name) external {
        market.registerAgent(name, name, address(this));
    }
    function trade(IMarket market, address agent, uint256 amount, bool sells) external {
        if (sells) market.sellTickets(agent, amount, 1);
        else market.buyTickets{value: address(this).balance}(agent, amount, type(uint256).max);
    }
}
contract Crowd {
    IMarket private immutable market;
    Trader[] private traders;
    constructor(IMarket market_) { market = market_; }
    function invite(uint256 count, uint256 agents) external {
        for (uint256 i = 0; i < count; ++i) {
            uint256 number = traders.length;
            traders.push(new Trader());
            if (number >= agents) continue;
            bytes memory name = "agent_000";
            name[6] = bytes1(uint8(48 + number / 100));
            name[7] = bytes1(uint8(48 + number / 10 % 10));
            name[8] = bytes1(uint8(48 + number % 10));
            traders[number].register(market, string(name));
        }
    }
    function run(uint256[] calldata steps) external {
        for (uint256 i = 0; i < steps.length; ++i) {
            uint256 step = steps[i];
            traders[step >> 64].trade(
                market, address(traders[uint32(step >> 32)]), uint16(step), step & (1 << 16) != 0);
        }
    }
}`;

function compileCrowd(): { abi: InterfaceAbi; bytecode: string } {
  const settings = {
    optimizer: { enabled: true, runs: 1000 },
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const input = { language: 'Solidity', sources: { 'Crowd.sol': { content: SOURCE } }, settings };
  const { Crowd } = JSON.parse(solc.compile(JSON.stringify(input))).contracts['Crowd.sol'];
  return { abi: Crowd.abi, bytecode: Crowd.evm.bytecode.object };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const chain = await filledChain('bench/data', Number(process.argv[2] ?? 200_000));
  process.stdout.write(`${JSON.stringify(chain)}\n`);
  process.once('SIGINT', () => void chain.stop());
}
