import { hashMessage, isHexString } from 'ethers';
import type { Deps } from '../../../deps.js';
import { type SignedFacts, signerOf } from '../signature.js';

/** What the wallet's signature must be bound to. */
export const signedFacts = (deps: Deps, wallet: string, time: Date): SignedFacts => ({
  service: deps.publicUrl,
  chainId: deps.market.chainId,
  wallet,
  time,
});

/** A text (EIP-191), and the signature that a wallet is said to have made. */
export type SignedText = { readonly wallet: string; readonly text: string; readonly signature: string };

/**
 * Whether a wallet made the signature: with its private key, or as a contract that accepts it (EIP-1271). An account with an
 * EIP-7702 delegation may do either. The private key is checked first, because that needs no chain. `beforeCall` runs before
 * the chain is asked. Throws CHAIN_UNAVAILABLE if no RPC answers.
 */
export async function isSignedBy(
  { market }: Pick<Deps, 'market'>,
  { wallet, text, signature }: SignedText,
  beforeCall?: () => Promise<void>,
): Promise<boolean> {
  if (signerOf(text, signature) === wallet.toLowerCase()) return true;
  if (!isHexString(signature, true)) return false;
  await beforeCall?.();
  return market.acceptsSignature(wallet, hashMessage(text), signature);
}
