// Deploys the market contract. All settings are environment variables; an invalid one stops the script with one line.
//   RPC_URL        URL of the chain's RPC (the first, if there are several); may contain user:password
//   DEPLOYER_KEY   private key that pays: 0x and 64 hex digits
//   CHAIN_ID       chain ID; the script refuses another chain. Default: 84532
//   OWNER          address that sets fees, pauses, and receives the protocol's fees. Default: the deployer
//   PROTOCOL_BPS   protocol fee in basis points. Default: 500
//   AGENT_BPS      agent fee in basis points; both fees together at most 1000. Default: 500
//   DEPLOY_TIMEOUT seconds to wait for the receipt. Default: 180
// The result goes to stdout. Before it sends the transaction, the script prints its hash and the contract address to
// stderr: after a failure one can check whether the contract exists before deploying another.
import { ContractFactory, getCreateAddress, isAddress, isError, Transaction, Wallet, ZeroAddress } from 'ethers';
import { ticketMarketAbi } from '../src/chain/abi.js';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';
import { endpointOf } from '../src/chain/endpoint.js';
import { callUrls } from '../src/chain/heads.js';
import { RpcProvider, RpcUnavailable } from '../src/chain/rpc.js';

const MAX_BPS = 1000;
const MAX_TIMEOUT_S = 86_400;
/** Longer than in the service: no request waits, and there is no second URL. */
const TIMEOUTS = { totalMs: 15_000, hedgeMs: 15_000 };
const TIMES = { interactive: TIMEOUTS, bulk: TIMEOUTS, cooldownMs: 0 };
/** Variables whose refused values are not printed: they may be or contain a secret. */
const SECRET = new Set(['DEPLOYER_KEY', 'RPC_URL']);

/** Stops the deployment with a message of one line. */
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
  const problem = value === undefined ? 'is not set' : SECRET.has(name) ? 'is not valid' : `is "${value}"`;
  throw new Refusal(`${name} ${problem}; accepted: ${accepted}`);
}

const integer = (max: number) => (value: string) =>
  /^\d{1,15}$/.test(value) && Number(value) <= max ? Number(value) : null;

function settings() {
  const url = variable('RPC_URL', undefined, 'an http:// or https:// address', (value) => {
    const first = callUrls(value.split(',').map((part) => part.trim()))[0] ?? '';
    try {
      return /^https?:/.test(endpointOf(first).url) ? first : null;
    } catch {
      return null; // not a URL, or credentials that cannot be decoded
    }
  });
  const deployer = variable('DEPLOYER_KEY', undefined, 'a private key of 0x and 64 hex digits', (value) => {
    try {
      return /^0x[0-9a-f]{64}$/i.test(value) ? new Wallet(value) : null;
    } catch {
      return null; // zero, or not below the order of the curve
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
  const timeout = variable(
    'DEPLOY_TIMEOUT',
    '180',
    `seconds, 1 to ${MAX_TIMEOUT_S}`,
    (value) => integer(MAX_TIMEOUT_S)(value) || null,
  );
  return { url, deployer, chainId, owner, protocolBps, agentBps, timeout };
}

async function deploy(): Promise<string> {
  const { url, deployer, chainId, owner, protocolBps, agentBps, timeout } = settings();
  const provider = new RpcProvider([url], chainId, TIMES);
  try {
    const actualId = Number(await provider.send('eth_chainId', []));
    if (actualId !== chainId) throw new Refusal(`CHAIN_ID is ${chainId}; RPC_URL answers for chain ${actualId}`);
    const wallet = deployer.connect(provider);
    const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, wallet);
    const creation = await factory.getDeployTransaction(owner, protocolBps, agentBps);
    const signed = Transaction.from(await wallet.signTransaction(await wallet.populateTransaction(creation)));
    const maxCost = signed.gasLimit * (signed.maxFeePerGas ?? signed.gasPrice ?? 0n);
    if ((await provider.getBalance(wallet)) < maxCost) throw cannotPay(deployer);
    return await send(provider, signed, timeout);
  } catch (error) {
    if (error instanceof RpcUnavailable) throw new Refusal('RPC_URL: no chain answers there');
    if (isError(error, 'INSUFFICIENT_FUNDS')) throw cannotPay(deployer);
    throw error;
  } finally {
    provider.destroy();
  }
}

const cannotPay = ({ address }: Wallet) => new Refusal(`${address} cannot pay for the deployment`);

/** From here on the contract may be deployed in spite of an error. */
async function send(provider: RpcProvider, signed: Transaction, timeout: number): Promise<string> {
  const { hash } = signed;
  const address = getCreateAddress({ from: signed.from ?? '', nonce: signed.nonce }).toLowerCase();
  process.stderr.write(`Sending transaction ${hash}, which deploys the contract at ${address}\n`);
  try {
    const sent = await provider.broadcastTransaction(signed.serialized);
    const receipt = await sent.wait(1, timeout * 1000);
    if (!receipt?.contractAddress) throw new Refusal('it has no receipt');
    return `CONTRACT_ADDRESS=${receipt.contractAddress.toLowerCase()}\nSTART_BLOCK=${receipt.blockNumber}\n`;
  } catch (error) {
    const why = isError(error, 'TIMEOUT') ? `it is in no block after ${timeout} seconds` : oneLine(error);
    throw new Refusal(
      `Transaction ${hash}: ${why}. Before another attempt, check whether the contract ${address} exists`,
    );
  }
}

function oneLine(error: unknown): string {
  if (error instanceof RpcUnavailable) return 'the RPC did not answer';
  const { message, shortMessage } = error as Error & { shortMessage?: string };
  return (shortMessage ?? message).split('\n')[0] ?? '';
}

try {
  process.stdout.write(await deploy());
} catch (error) {
  process.stderr.write(`${oneLine(error)}\n`);
  process.exitCode = 1;
}
