import { verifyMessage } from 'ethers';
import { AppError } from '../../../errors/errors.js';

/** What a signed text binds the signature to. */
export type SignedFacts = {
  /** Public URL of the service. */
  readonly service: string;
  readonly chainId: number;
  readonly wallet: string;
  readonly time: Date;
};

/** Replacements of the key of one agent within a sliding window. */
export const keyReplacementLimit = {
  key: 'key-replacements',
  max: 3,
  seconds: 24 * 3600,
  counts: 'key replacements',
  per: 'wallet',
} as const;

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
export const registrationMessage = (facts: SignedFacts): string => signedText('Curvet agent registration', facts);

/** The text that a wallet signs to replace the key of its agent: as for a registration, with the nonce in a sixth line. */
export const keyReplacementMessage = ({ nonce, ...facts }: SignedFacts & { readonly nonce: string }): string =>
  `${signedText('Curvet key replacement', facts)}\nNonce: ${nonce}`;

const signedText = (purpose: string, { service, chainId, wallet, time }: SignedFacts): string =>
  [purpose, `Service: ${service}`, `Chain ID: ${chainId}`, `Wallet: ${wallet.toLowerCase()}`, `Time: ${time.toISOString()}`].join(
    '\n',
  );

const LOOPBACK = /(?<=^https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/;

/** The URLs that a signed text may name: that of the service or, if it is on loopback, the same with each name of loopback. */
export function serviceNames(url: string): readonly [string, ...string[]] {
  const named = (name: string) => url.replace(LOOPBACK, name);
  return LOOPBACK.test(url) ? [named('localhost'), named('127.0.0.1'), named('[::1]')] : [url];
}

/** Form of a nonce. Whoever signs chooses it; a UUID fits. */
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
export const NONCE_FORM = '16 to 64 letters, digits, "-" and "_"';

export function checkNonce(nonce: string): void {
  if (!NONCE.test(nonce)) throw new AppError('INVALID_FIELD', { field: 'nonce', expected: NONCE_FORM });
}

/** Time from which a message is too old. */
export const expiryOf = (time: Date): Date => new Date(time.getTime() + VALID_MS);

/** Whether a message of this time is accepted now. */
export function isRecent(time: Date, now: Date): boolean {
  const age = now.getTime() - time.getTime();
  // An invalid date has the age NaN, for which this comparison is false.
  return age >= -SKEW_MS && age <= VALID_MS;
}

/** Address of the private key that signed the text, in lower case. null if the signature is malformed. */
export function signerOf(text: string, signature: string): string | null {
  try {
    return verifyMessage(text, signature).toLowerCase();
  } catch {
    return null;
  }
}
