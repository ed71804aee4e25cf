import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { ContractFactory, HDNodeWallet, isError, Mnemonic, parseEther } from 'ethers';
import type { Times } from '../config/timeouts.js';
import { AppError, OperatorError } from '../errors/errors.js';
import { serialQueue } from '../tasks.js';
import { ticketMarketAbi } from './abi.js';
import { ticketMarketBytecode } from './bytecode.js';
import { RpcProvider } from './rpc.js';

/** Thrown if the embedded chain cannot start. */
export class DevChainError extends OperatorError {}

/** The embedded chain: anvil as a child process that stores its state in a directory. */
export type DevChain = {
  /** URL of anvil. It must stay inside the service, because anvil accepts commands from any web page that knows the URL. */
  readonly rpcUrl: string;
  readonly contract: string;
  /** Resolves when the process has ended. `expected` is true if `stop` ended it. */
  readonly exited: Promise<{ expected: boolean }>;
  faucet(address: string): Promise<string>;
  stop(): Promise<void>;
};

export type DevChainOptions = ChainStart & {
  readonly directory: string;
  readonly chainId: number;
  readonly times: Times;
};
export type ChainStart = {
  /** Time of block 0. The demo sets a past time, because its market has a history. @default now */
  readonly startAt?: Date;
  /**
   * Calls to the chain wait for this promise, because other work may block this thread until it resolves. The chain's process
   * starts earlier, without waiting.
   */
  readonly callAfter?: Promise<unknown>;
};

/** The public mnemonic of Foundry and Hardhat. Its accounts hold test ether without value. */
const MNEMONIC = 'test test test test test test test test test test test junk';
export const devAccount = (index: number): HDNodeWallet =>
  HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(MNEMONIC), `m/44'/60'/0'/0/${index}`);
const DEPLOYER = devAccount(0);
/** Fees of the contract for the protocol and for the agent, in basis points: 5 % each. */
const FEES_BPS = [500n, 500n] as const;

/** Maximum number of retries after another process has taken the port between the check and the start of anvil. */
const RACES = 5;

export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const host = await randomLoopbackHost();
  for (let races = 0; ; races++) {
    const port = await freePort(host);
    try {
      return await startOn(host, port, options);
    } catch (error) {
      const taken = error instanceof DevChainError && /in use/.test(error.message);
      if (!taken || races === RACES) throw error;
    }
  }
}

/**
 * Picks a random loopback address. Any web page could send commands to anvil's WebSocket, so pages must not find it: 16 million
 * addresses with 28,000 ephemeral ports each are too many to scan. Systems other than Linux have only 127.0.0.1.
 */
async function randomLoopbackHost(): Promise<string> {
  if (process.platform !== 'linux') return LOOPBACK;
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  return freePort(host).then(
    () => host,
    () => LOOPBACK,
  );
}
const LOOPBACK = '127.0.0.1';

async function startOn(host: string, port: number, options: DevChainOptions): Promise<DevChain> {
  const { directory, chainId, times } = options;
  const binary = anvilBinary();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const state = join(directory, 'state.json');
  const pidFile = join(directory, 'pid');
  await stopOrphan(pidFile, state);
  const genesis = genesisTime(directory, options.startAt ?? new Date());
  const flags = {
    host,
    port,
    'chain-id': chainId,
    mnemonic: MNEMONIC,
    state,
    // Interval in seconds at which anvil writes its state to the file.
    'state-interval': 1,
    'cache-path': join(directory, 'cache'),
    timestamp: genesis.seconds,
  };
  // anvil accepts JSON only, and without CORS headers a browser does not let a page send JSON. So no page can call anvil over HTTP.
  const args = ['--no-cors', '--quiet', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])];
  // anvil gets its own process group: Ctrl-C then reaches only the service, which stops the chain last.
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk).slice(-500);
  });
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));
  let stopping = false;
  const exited = once(child, 'exit')
    .catch(() => {
      errorOutput = ANVIL_MISSING;
    })
    .then(() => {
      rmSync(pidFile, { force: true });
      return { expected: stopping };
    });
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    const cancel = times.after(times.chainStop, () => child.kill('SIGKILL'));
    await exited;
    cancel();
  };
  const rpcUrl = `http://${host}:${port}`;
  const provider = new RpcProvider([rpcUrl], chainId, times);
  try {
    await options.callAfter;
    await waitUntilReady(provider, child, () => errorOutput);
    if (genesis.recorded) await resumeClock(provider);
    const contract = await deployOnce(provider);
    return { rpcUrl, contract, exited, faucet: devFaucet(rpcUrl, chainId, times), stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    provider.destroy();
  }
}

const ANVIL_MISSING = 'install Foundry so that anvil is on the PATH, or set RPC_URL';

/** Deploys the contract as the first transaction of the first account, so the address is the same on every machine. */
async function deployOnce(provider: RpcProvider): Promise<string> {
  const signer = DEPLOYER.connect(provider);
  const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, signer);
  if ((await provider.getTransactionCount(DEPLOYER.address)) === 0) {
    const contract = await factory.deploy(DEPLOYER.address, ...FEES_BPS);
    await contract.waitForDeployment();
  }
  return DEPLOYER_CONTRACT;
}
/** Address of the contract that DEPLOYER creates with its first transaction. */
const DEPLOYER_CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

/**
 * Sends 1 ETH from a development account. Transfers run one after another, because anvil would assign the same nonce to concurrent
 * transactions of one account.
 */
export function devFaucet(rpcUrl: string, chainId: number, times: Times): DevChain['faucet'] {
  const queue = serialQueue();
  return (to) => queue(() => fund(new RpcProvider([rpcUrl], chainId, times), to));
}

async function fund(provider: RpcProvider, to: string): Promise<string> {
  try {
    const sent = await FAUCET.connect(provider).sendTransaction({ to, value: ONE_ETH, gasLimit: FAUCET_GAS });
    await sent.wait(1, provider.times.faucet);
    return sent.hash;
  } catch (error) {
    // The transfer reverts if the wallet is a contract that rejects ether.
    if (isError(error, 'CALL_EXCEPTION'))
      throw new AppError('INVALID_FIELD', { field: 'address', expected: 'a wallet that takes ether' });
    throw isError(error, 'TIMEOUT') ? new AppError('CHAIN_UNAVAILABLE') : error;
  } finally {
    provider.destroy();
  }
}

const FAUCET = devAccount(1);
const ONE_ETH = parseEther('1');
/** The gas limit is fixed, because the gas estimate fails with an unrelated error for a contract that rejects ether. */
const FAUCET_GAS = 1_000_000n;

/**
 * Time of block 0. It is stored, because anvil creates block 0 again at each start: with another time, the block would have another
 * hash, and the index would see a reorg. `recorded` is true if an earlier start has stored the time.
 */
function genesisTime(directory: string, first: Date): { readonly seconds: number; readonly recorded: boolean } {
  const file = join(directory, 'genesis');
  const seconds = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (seconds > 0) return { seconds, recorded: true };
  const startSeconds = Math.floor(first.getTime() / 1000);
  writeFileSync(file, String(startSeconds));
  return { seconds: startSeconds, recorded: false };
}

/**
 * Sets the clock of anvil to now, or to the last block's time if that is later. Otherwise anvil would resume from block 0's time.
 */
async function resumeClock(provider: RpcProvider): Promise<void> {
  const last = await provider.getBlock('latest');
  await provider.send('evm_setTime', [Math.max(Math.floor(Date.now() / 1000), last?.timestamp ?? 0)]);
}

async function waitUntilReady(provider: RpcProvider, child: ChildProcess, errorOutput: () => string): Promise<void> {
  const { times } = provider;
  const until = times.now() + times.chainStart;
  while (times.now() < until && child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    try {
      await provider.getBlockNumber();
      return;
    } catch {
      await timers.setTimeout(20);
    }
  }
  const [why = ''] = errorOutput().trim().split('\n');
  throw new DevChainError(`RPC_URL: not set, and the embedded chain does not start: ${why || 'no answer'}`);
}

/** Stops the chain that a crashed process left running in a directory that is about to be deleted. */
export const stopOrphanedChain = (directory: string): Promise<void> =>
  stopOrphan(join(directory, 'pid'), join(directory, 'state.json'));

/** Stops the chain that a crashed process left running. A pid that another program has reused is not touched. */
async function stopOrphan(pidFile: string, state: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8'));
  } catch {
    return;
  }
  const isOrphan = () => Number.isInteger(pid) && pid > 1 && isChain(commandOf(pid), state);
  // After 3 s, SIGKILL ends a process that SIGTERM has not ended.
  for (let waited = 0; isOrphan(); waited += 50) {
    try {
      process.kill(pid, waited < 3000 ? 'SIGTERM' : 'SIGKILL');
    } catch {
      break;
    }
    await timers.setTimeout(50);
  }
  rmSync(pidFile, { force: true });
}

/** Matches anvil's `--state` argument, so that an editor with the same file open is not killed. */
const isChain = (command: string, state: string): boolean => command.replaceAll('\0', ' ').includes(`--state ${state} `);

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/** Path of anvil from the npm package for this platform, else `anvil` on the PATH. */
export function anvilBinary(): string {
  const packageName = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/bin/anvil`);
  } catch {
    return 'anvil';
  }
}

export async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}
