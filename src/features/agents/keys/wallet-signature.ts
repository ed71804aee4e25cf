import { hashMessage, isHexString } from 'ethers';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { isRecent, type SignedFacts, serviceNames, signerOf } from './rules.js';

/** What the wallet's signature must be bound to. */
export const signedFacts = (deps: Deps, wallet: string, time: Date): SignedFacts => ({
  service: deps.publicUrl,
  chainId: deps.market.chainId,
  wallet,
  time,
});

/** A signature that a wallet is said to have made, and the text (EIP-191) that it must have signed. */
export type Signed = {
  readonly facts: SignedFacts;
  readonly textOf: (facts: SignedFacts) => string;
  readonly signature: string;
  readonly refusal: 'SIGNATURE_INVALID' | 'KEY_SIGNATURE_INVALID';
};

/**
 * Refuses a signature that the wallet did not make, or made too long ago. The wallet makes it with its private key, or as a
 * contract that accepts it (EIP-1271). An account with an EIP-7702 delegation may do either. The private key is checked first,
 * because that needs no chain. `beforeCall` runs before the chain is asked. A service on loopback may ask the chain about the text
 * with each of its names. Throws CHAIN_UNAVAILABLE if no RPC answers.
 */
export async function checkSignature(
  { clock, market }: Deps,
  { facts, textOf, signature, refusal }: Signed,
  beforeCall?: () => Promise<void>,
): Promise<void> {
  if (!isRecent(facts.time, clock.now())) throw new AppError(refusal, {}, { advice: 'SIGNED_AT_OTHER_TIME' });
  const { wallet } = facts;
  const texts = serviceNames(facts.service).map((service) => textOf({ ...facts, service }));
  if (texts.some((text) => signerOf(text, signature) === wallet.toLowerCase())) return;
  if (isHexString(signature, true)) {
    await beforeCall?.();
    for (const text of texts) if (await market.acceptsSignature(wallet, hashMessage(text), signature)) return;
  }
  throw new AppError(refusal, { text: textOf(facts) });
}
