import { concat, getCreateAddress, isError, Transaction, type TransactionRequest, type Wallet } from 'ethers';
import type { RpcProvider } from '../../src/chain/rpc.js';
import type { Streams } from '../../src/cli/program.js';
import {
  type Arguments,
  creationCode,
  DETERMINISTIC_DEPLOYER,
  DETERMINISTIC_DEPLOYER_CODE,
  deterministicAddress,
} from './build.js';
import { oneLine } from './chain.js';
import { Refusal } from './settings.js';

export type Deployed = {
  readonly address: string;
  /** Block of the creation. Null if the contract existed before. */
  readonly block: number | null;
};

/** Creates the contract, unless the deterministic deployer has already created it with these arguments and this salt. */
export async function createContract(
  provider: RpcProvider,
  deployer: Wallet,
  { args, salt, timeout }: { readonly args: Arguments; readonly salt: string; readonly timeout: number },
  stderr: Streams['stderr'],
): Promise<Deployed> {
  const deterministic = (await provider.getCode(DETERMINISTIC_DEPLOYER)) === DETERMINISTIC_DEPLOYER_CODE;
  const address = deterministic ? deterministicAddress(args, salt) : null;
  if (address !== null && (await exists(provider, address))) {
    stderr.write(`The contract ${address} exists already; nothing is sent\n`);
    return { address, block: null };
  }
  const data = creationCode(args);
  const request = deterministic ? { to: DETERMINISTIC_DEPLOYER, data: concat([salt, data]) } : { data };
  const signed = await sign(provider, deployer, request);
  return send(provider, signed, { address: address ?? plainAddress(signed), deterministic, timeout, stderr });
}

const exists = async (provider: RpcProvider, address: string) => (await provider.getCode(address)) !== '0x';
const plainAddress = ({ from, nonce }: Transaction) => getCreateAddress({ from: from ?? '', nonce }).toLowerCase();

async function sign(provider: RpcProvider, deployer: Wallet, request: TransactionRequest): Promise<Transaction> {
  const cannotPay = () => new Refusal(`${deployer.address} cannot pay for the deployment`);
  const wallet = deployer.connect(provider);
  try {
    const signed = Transaction.from(await wallet.signTransaction(await wallet.populateTransaction(request)));
    const maxCost = signed.gasLimit * (signed.maxFeePerGas ?? signed.gasPrice ?? 0n);
    if ((await provider.getBalance(wallet)) < maxCost) throw cannotPay();
    return signed;
  } catch (error) {
    if (isError(error, 'INSUFFICIENT_FUNDS')) throw cannotPay();
    throw error;
  }
}

type Sent = {
  readonly address: string;
  readonly deterministic: boolean;
  readonly timeout: number;
  readonly stderr: Streams['stderr'];
};

/** Sends the creation. The contract may exist in spite of an error, so the message of the error says what to do. */
async function send(
  provider: RpcProvider,
  { hash, serialized }: Transaction,
  { address, deterministic, timeout, stderr }: Sent,
): Promise<Deployed> {
  stderr.write(`Sending transaction ${hash}, which deploys the contract at ${address}\n`);
  try {
    const sent = await provider.broadcastTransaction(serialized);
    const receipt = await sent.wait(1, timeout * 1000);
    if (!receipt) throw new Refusal('it has no receipt');
    return { address, block: receipt.blockNumber };
  } catch (error) {
    // Somebody else may have sent the same creation first. The contract is the same, so this is no error.
    if (deterministic && (await exists(provider, address).catch(() => false))) return { address, block: null };
    const why = isError(error, 'TIMEOUT') ? `it is in no block after ${timeout} seconds` : oneLine(error);
    const advice = deterministic
      ? 'Another attempt deploys at the same address, or finds the contract there'
      : `Before another attempt, check whether the contract ${address} exists`;
    throw new Refusal(`Transaction ${hash}: ${why}. ${advice}`);
  }
}
