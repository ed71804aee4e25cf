import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { ContractFactory, HDNodeWallet, Mnemonic, parseEther } from 'ethers';
import { AppError } from '../errors.js';
import { ticketMarketAbi } from './abi.js';
import { ticketMarketBytecode } from './bytecode.js';
import { RpcProvider } from './rpc.js';

/** The embedded chain cannot run here: one line says why. */
export class DevChainError extends Error {}

/** The embedded chain: anvil as a child process, its state in a directory of its own. */
export type DevChain = {
  /** Where anvil listens. Not for callers outside of the service: anvil obeys every web page that finds it. */
  readonly rpcUrl: string;
  readonly contract: string;
  /** Fulfilled when the process is gone; `expected` if it was asked to go. */
  readonly exited: Promise<{ expected: boolean }>;
  /** Sends 1 ETH to a wallet and gives the transaction's hash. */
  faucet(address: string): Promise<string>;
  stop(): Promise<void>;
};

export type DevChainOptions = ChainStart & { readonly directory: string; readonly chainId: number };
export type ChainStart = {
  /** When the chain begins, for a market with a past; default: now. */
  readonly startAt?: Date;
  /** Postpones every call to the chain, but not the start of its process, while something else blocks this thread. */
  readonly callAfter?: Promise<unknown>;
};

/** The mnemonic that every development chain knows: its accounts are funded, and nothing there is worth anything. */
const MNEMONIC = 'test test test test test test test test test test test junk';
export const devAccount = (index: number): HDNodeWallet =>
  HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(MNEMONIC), `m/44'/60'/0'/0/${index}`);
const DEPLOYER = devAccount(0);
const FEES_BPS = [500n, 500n] as const;

/** How often another process may take a port between the moment it was found free and anvil's start. */
const RACES = 5;

export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const host = await hiddenHost();
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
 * A random loopback address. anvil's WebSocket obeys every web page, so no page may find it: there are 16 million
 * addresses with 28,000 ports each, too many to scan. Systems other than Linux have only 127.0.0.1.
 */
async function hiddenHost(): Promise<string> {
  if (process.platform !== 'linux') return LOOPBACK;
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  return freePort(host).then(
    () => host,
    () => LOOPBACK,
  );
}
const LOOPBACK = '127.0.0.1';

async function startOn(host: string, port: number, options: DevChainOptions): Promise<DevChain> {
  const { directory, chainId } = options;
  const binary = anvilBinary();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const state = join(directory, 'state.json');
  const pidFile = join(directory, 'pid');
  await endOrphan(pidFile, state);
  const genesis = genesisTime(directory, options.startAt ?? new Date());
  const child = spawn(
    binary,
    [
      // Without CORS headers no page may send JSON to it, which is all that it reads over HTTP.
      ...['--host', host, '--port', String(port), '--no-cors', '--chain-id', String(chainId), '--mnemonic', MNEMONIC],
      ...['--state', state, '--state-interval', '1', '--cache-path', join(directory, 'cache'), '--quiet'],
      ...['--timestamp', String(genesis.seconds)],
    ],
    // Of a process group of its own, so that Ctrl-C reaches the service alone, which ends the chain last.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-500);
  });
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));
  let stopping = false;
  const exited = new Promise<{ expected: boolean }>((resolve) => {
    const gone = (error?: unknown) => {
      if (error instanceof Error) complaint = ANVIL_MISSING;
      rmSync(pidFile, { force: true });
      resolve({ expected: stopping });
    };
    child.once('exit', () => gone());
    child.once('error', gone);
  });
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 2500);
    await exited;
    clearTimeout(timer);
  };
  const rpcUrl = `http://${host}:${port}`;
  const provider = new RpcProvider([rpcUrl], chainId);
  try {
    await options.callAfter;
    await answering(provider, child, () => complaint);
    if (genesis.recorded) await resumeClock(provider);
    return {
      rpcUrl,
      contract: await deployOnce(provider),
      exited,
      faucet: devFaucet(rpcUrl, chainId),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    provider.destroy();
  }
}

const ANVIL_MISSING = 'install Foundry so that anvil is on the PATH, or set RPC_URL';

/** The first transaction of the first account: the same address on every machine, whatever the bytecode. */
async function deployOnce(provider: RpcProvider): Promise<string> {
  const signer = DEPLOYER.connect(provider);
  const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, signer);
  if ((await provider.getTransactionCount(DEPLOYER.address)) === 0) {
    const contract = await factory.deploy(DEPLOYER.address, ...FEES_BPS);
    await contract.waitForDeployment();
    return (await contract.getAddress()).toLowerCase();
  }
  return DEPLOYER_CONTRACT;
}
const DEPLOYER_CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

/** One after the other: anvil gives the same nonce to transactions of one account that reach it at the same moment. */
function inTurn<A, B>(act: (given: A) => Promise<B>): (given: A) => Promise<B> {
  let last: Promise<unknown> = Promise.resolve();
  return (given) => {
    const result = last.then(() => act(given));
    last = result.catch(() => {});
    return result;
  };
}

/** Sends 1 ETH of a development account, signed here. */
export const devFaucet = (rpcUrl: string, chainId: number): DevChain['faucet'] =>
  inTurn((to) => fund(rpcUrl, chainId, to));

async function fund(rpcUrl: string, chainId: number, to: string): Promise<string> {
  const provider = new RpcProvider([rpcUrl], chainId);
  try {
    const sent = await FAUCET.connect(provider).sendTransaction({ to, value: ONE_ETH, gasLimit: FAUCET_GAS });
    const receipt = await provider.waitForTransaction(sent.hash);
    // A contract need not take what it is sent.
    if (receipt?.status !== 1)
      throw new AppError('INVALID_FIELD', { field: 'address', expected: 'a wallet that takes ether' });
    return sent.hash;
  } finally {
    provider.destroy();
  }
}
const FAUCET = devAccount(1);
const ONE_ETH = parseEther('1');
/** Given, not estimated: the estimate of a transfer that a contract refuses is an error of another kind. */
const FAUCET_GAS = 1_000_000n;

/**
 * When the chain began, recorded at its first start: anvil makes block 0 anew at every start, and what has indexed it
 * would take another hash for a reorganisation.
 */
function genesisTime(directory: string, first: Date): { readonly seconds: number; readonly recorded: boolean } {
  const file = join(directory, 'genesis');
  const seconds = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (seconds > 0) return { seconds, recorded: true };
  const begun = Math.floor(first.getTime() / 1000);
  writeFileSync(file, String(begun));
  return { seconds: begun, recorded: false };
}

/** Its clock went on from block 0: now it is now again, or the time of its last block if that is later. */
async function resumeClock(provider: RpcProvider): Promise<void> {
  const last = await provider.getBlock('latest');
  await provider.send('evm_setTime', [Math.max(Math.floor(Date.now() / 1000), last?.timestamp ?? 0)]);
}

async function answering(provider: RpcProvider, child: ChildProcess, complaint: () => string): Promise<void> {
  const until = Date.now() + 10_000;
  while (Date.now() < until && child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    try {
      await provider.getBlockNumber();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const [why = ''] = complaint().trim().split('\n');
  throw new DevChainError(`RPC_URL: not set, and the embedded chain does not start: ${why || 'no answer'}`);
}

/** Ends the chain that a crashed process left behind in a directory that is to be deleted. */
export const endLeftChain = (directory: string): Promise<void> =>
  endOrphan(join(directory, 'pid'), join(directory, 'state.json'));

/** Ends the chain that a crashed process left behind; a pid that now belongs to something else is left alone. */
async function endOrphan(pidFile: string, state: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8'));
  } catch {
    return;
  }
  const own = () => Number.isInteger(pid) && pid > 1 && isChain(commandOf(pid), state);
  for (let waited = 0; own(); waited += 50) {
    try {
      process.kill(pid, waited < 3000 ? 'SIGTERM' : 'SIGKILL');
    } catch {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  rmSync(pidFile, { force: true });
}

/** It was started to keep this state: an editor that has the file open is something else. */
const isChain = (command: string, state: string): boolean =>
  command.replaceAll('\0', ' ').includes(`--state ${state} `);

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/** anvil as npm installed it for this system, or the one on the PATH. */
export function anvilBinary(): string {
  const own = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${own}/bin/anvil`);
  } catch {
    return 'anvil';
  }
}

/** A port of this address on which nothing listens now. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
