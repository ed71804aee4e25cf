import { verifyMessage } from 'ethers';
import { AppError } from '../../errors.js';

export type Registration = {
  /** Public URL of the service. It binds the signature to this service. */
  readonly service: string;
  readonly chainId: number;
  readonly wallet: string;
  readonly time: Date;
};

/** Minutes for which a signature is valid. */
export const SIGNATURE_VALID_MINUTES = 10;
const VALID_MS = SIGNATURE_VALID_MINUTES * 60_000;
/** Maximum time by which the signer's clock may be ahead. */
const SKEW_MS = 60_000;

/**
 * The text that a wallet signs (EIP-191, "personal_sign") to prove its registration: five lines without a final line break,
 * the wallet in lower case, the time as ISO 8601 UTC with milliseconds. The name is not included: the chain binds it to the
 * wallet.
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

/** Time from which a message is too old. */
export const expiryOf = (time: Date): Date => new Date(time.getTime() + VALID_MS);

export function checkSignatureAge(time: Date, now: Date): void {
  const age = now.getTime() - time.getTime();
  // Negated, so that NaN from an invalid date is refused.
  if (!(age >= -SKEW_MS && age <= VALID_MS)) throw new AppError('SIGNATURE_INVALID');
}

/** Refuses a signature that is not made by the wallet. */
export function checkSignature(registration: Registration, signature: string): void {
  let signer: string;
  try {
    signer = verifyMessage(registrationMessage(registration), signature);
  } catch (error) {
    throw new AppError('SIGNATURE_INVALID', {}, { cause: error });
  }
  if (signer.toLowerCase() !== registration.wallet.toLowerCase()) throw new AppError('SIGNATURE_INVALID');
}
