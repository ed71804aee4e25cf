// Deploys the market contract. Everything comes from the environment; a bad value stops it with one line.
//   RPC_URL        where the chain is reached (the first, if there are several)
//   DEPLOYER_KEY   private key that pays: 0x and 64 hex digits
//   CHAIN_ID       84532; refuses to deploy on another chain than this
//   OWNER          the deployer; who sets fees, pauses and takes the protocol's fees
//   PROTOCOL_BPS   500; fee of the protocol in basis points
//   AGENT_BPS      500; fee of the agent; both together at most 1000
import { ContractFactory, isAddress, isError, JsonRpcProvider, Wallet, ZeroAddress } from 'ethers';
import { ticketMarketAbi } from '../src/chain/abi.js';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';

const MAX_BPS = 1000;
const RPC_TIMEOUT_MS = 15_000;
const DEPLOY_TIMEOUT_MS = 180_000;

/** What stops the deployment, told in one line. */
class Refusal extends Error {}

function variable<T>(
  name: string,
  fallback: string | undefined,
  accepted: string,
  parse: (value: string) => T | null,
): T {
  const value = process.env[name]?.trim() || fallback;
  const parsed = value === undefined ? null : parse(value);
  if (parsed !== null) return parsed;
  // A key that is almost right is still a secret.
  const given = value === undefined ? 'is not set' : name === 'DEPLOYER_KEY' ? 'is not valid' : `is "${value}"`;
  throw new Refusal(`${name} ${given}; accepted: ${accepted}`);
}

const integer = (max: number) => (value: string) =>
  /^\d{1,15}$/.test(value) && Number(value) <= max ? Number(value) : null;

function settings() {
  const url = variable('RPC_URL', undefined, 'an http:// or https:// address', (value) => {
    const first = value.split(',')[0]?.trim() ?? '';
    return URL.canParse(first) && /^https?:$/.test(new URL(first).protocol) ? first : null;
  });
  const deployer = variable('DEPLOYER_KEY', undefined, 'a private key of 0x and 64 hex digits', (value) => {
    try {
      return /^0x[0-9a-f]{64}$/i.test(value) ? new Wallet(value) : null;
    } catch {
      return null; // zero, or beyond the order of the curve
    }
  });
  const chainId = variable('CHAIN_ID', '84532', 'a chain ID', integer(Number.MAX_SAFE_INTEGER));
  const owner = variable('OWNER', deployer.address, 'an address that is not zero', (value) =>
    isAddress(value) && value !== ZeroAddress ? value : null,
  );
  const protocolBps = variable('PROTOCOL_BPS', '500', `basis points, 0 to ${MAX_BPS}`, integer(MAX_BPS));
  const agentBps = variable('AGENT_BPS', '500', `basis points, 0 to ${MAX_BPS}`, integer(MAX_BPS));
  if (protocolBps + agentBps > MAX_BPS) {
    throw new Refusal(
      `PROTOCOL_BPS and AGENT_BPS are ${protocolBps + agentBps} together; accepted: at most ${MAX_BPS}`,
    );
  }
  return { url, deployer, chainId, owner, protocolBps, agentBps };
}

async function chainIdAt(url: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(RPC_TIMEOUT_MS);
  try {
    const answer = (await (await fetch(url, { method: 'POST', headers, body, signal })).json()) as { result: string };
    return Number(BigInt(answer.result));
  } catch {
    throw new Refusal('RPC_URL: no chain answers there');
  }
}

async function deploy(): Promise<string> {
  const { url, deployer, chainId, owner, protocolBps, agentBps } = settings();
  const found = await chainIdAt(url);
  if (found !== chainId) throw new Refusal(`CHAIN_ID is ${chainId}; RPC_URL answers for chain ${found}`);
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 500 });
  try {
    const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, deployer.connect(provider));
    const contract = await factory.deploy(owner, protocolBps, agentBps);
    const receipt = await contract.deploymentTransaction()?.wait(1, DEPLOY_TIMEOUT_MS);
    if (!receipt?.contractAddress) throw new Refusal('the deployment has no receipt');
    return `CONTRACT_ADDRESS=${receipt.contractAddress.toLowerCase()}\nSTART_BLOCK=${receipt.blockNumber}\n`;
  } catch (error) {
    if (isError(error, 'INSUFFICIENT_FUNDS')) throw new Refusal(`${deployer.address} cannot pay for the deployment`);
    throw error;
  } finally {
    provider.destroy();
  }
}

try {
  process.stdout.write(await deploy());
} catch (error) {
  const { message, shortMessage } = error as Error & { shortMessage?: string };
  process.stderr.write(`${(shortMessage ?? message).split('\n')[0]}\n`);
  process.exitCode = 1;
}
