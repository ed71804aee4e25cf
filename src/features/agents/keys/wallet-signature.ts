import { hashMessage, isHexString } from 'ethers';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { isRecent, type SignedFacts, serviceNames, signerOf } from './rules.js';

/** The facts that a text signed by the wallet must contain: this service, its chain, the wallet and the time. */
export const signedFacts = (deps: Deps, wallet: string, time: Date): SignedFacts => ({
  service: deps.publicUrl,
  chainId: deps.chain.chainId,
  wallet,
  time,
});

/**
 * A signature to check. `textOf` makes the text (EIP-191) that the wallet must have signed. `refusal` is the error of a wrong
 * signature.
 */
export type Signed = {
  readonly facts: SignedFacts;
  readonly textOf: (facts: SignedFacts) => string;
  readonly signature: string;
  readonly refusal: 'SIGNATURE_INVALID' | 'KEY_SIGNATURE_INVALID';
};

/**
 * Refuses a signature that is not recent, or that the wallet did not make. A wallet signs with its private key, or is a contract
 * that accepts the signature (EIP-1271). An account with an EIP-7702 delegation may do either. The private key is checked first,
 * because that needs no chain. `beforeCall` runs before the chain is asked. A service on loopback asks the chain about the text
 * with each loopback name until one is accepted. Throws CHAIN_UNAVAILABLE if no RPC answers.
 */
export async function checkSignature(
  { clock, chain }: Deps,
  { facts, textOf, signature, refusal }: Signed,
  beforeCall?: () => Promise<void>,
): Promise<void> {
  if (!isRecent(facts.time, clock.now())) throw new AppError(refusal, {}, { advice: 'SIGNED_AT_OTHER_TIME' });
  const { wallet } = facts;
  const texts = serviceNames(facts.service).map((service) => textOf({ ...facts, service }));
  if (texts.some((text) => signerOf(text, signature) === wallet.toLowerCase())) return;
  if (isHexString(signature, true)) {
    await beforeCall?.();
    for (const text of texts) if (await chain.acceptsSignature(wallet, hashMessage(text), signature)) return;
  }
  throw new AppError(refusal, { text: textOf(facts) });
}
