import { Interface, isCallException, zeroPadBytes } from 'ethers';
import type { RpcProvider } from './rpc.js';

const SELECTOR = '0x1626ba7e';
const wallet = new Interface(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** The only answer that accepts a signature: one word with the selector of isValidSignature, padded with zeros. */
const MAGIC_WORD = zeroPadBytes(SELECTOR, 32);

/**
 * Gas limit of the call. Verifying a passkey in Solidity takes some 350,000. The limit bounds the time of the call and the size of
 * its answer: a wallet can return at most 700 KB, because memory costs gas.
 */
const GAS = 1_000_000n;

/**
 * Whether a contract wallet accepts a signature (EIP-1271). False if the address has no code, or if the node reports that the call
 * failed, for example because it reverted.
 */
export async function isValidSignature(provider: RpcProvider, address: string, hash: string, signature: string): Promise<boolean> {
  const data = wallet.encodeFunctionData('isValidSignature', [hash, signature]);
  try {
    return (await provider.call({ to: address, data, gasLimit: GAS })) === MAGIC_WORD;
  } catch (error) {
    if (isCallException(error)) return false;
    throw error;
  }
}
