import { verifyMessage } from 'ethers';
import { AppError } from '../../errors.js';

export type Registration = {
  /** The public URL of the service, so that a signature for one is worth nothing at another. */
  readonly service: string;
  readonly chainId: number;
  readonly wallet: string;
  readonly time: Date;
};

export const SIGNATURE_VALID_MINUTES = 10;
const VALID_MS = SIGNATURE_VALID_MINUTES * 60_000;
/** How far the signer's clock may be ahead. */
const SKEW_MS = 60_000;

/**
 * The text that a wallet signs (EIP-191, "personal_sign") to prove that a registration is its own: five lines, no
 * line break at the end, the wallet in lower case, the time as ISO 8601 UTC with milliseconds. The name is not in it:
 * the chain has given the wallet one already.
 */
export function registrationMessage({ service, chainId, wallet, time }: Registration): string {
  return [
    'Curvet agent registration',
    `Service: ${service}`,
    `Chain ID: ${chainId}`,
    `Wallet: ${wallet.toLowerCase()}`,
    `Time: ${time.toISOString()}`,
  ].join('\n');
}

/** When a message of this time is too old to be accepted. */
export const expiryOf = (time: Date): Date => new Date(time.getTime() + VALID_MS);

export function checkSignatureAge(time: Date, now: Date): void {
  const age = now.getTime() - time.getTime();
  // Said as what is accepted, so that an invalid date is refused too.
  if (!(age >= -SKEW_MS && age <= VALID_MS)) throw new AppError('SIGNATURE_INVALID');
}

/** Refuses a signature of the registration that is not the wallet's. */
export function checkSignature(registration: Registration, signature: string): void {
  let signer: string;
  try {
    signer = verifyMessage(registrationMessage(registration), signature);
  } catch (error) {
    throw new AppError('SIGNATURE_INVALID', {}, { cause: error });
  }
  if (signer.toLowerCase() !== registration.wallet.toLowerCase()) throw new AppError('SIGNATURE_INVALID');
}
