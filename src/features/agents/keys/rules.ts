import { verifyMessage } from 'ethers';
import { AppError } from '../../../errors/errors.js';

/** Facts in a signed text. They bind the signature, so that it is useless for another service, chain, wallet or time. */
export type SignedFacts = {
  /** Public URL of the service. */
  readonly service: string;
  readonly chainId: number;
  readonly wallet: string;
  readonly time: Date;
};

/** Rate limit of key replacements: how many each wallet may make within a sliding window. */
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

/**
 * The service URLs that a signed text may contain: the public URL or, if it is on loopback, this URL with each of the three
 * loopback names.
 */
export function serviceNames(url: string): readonly [string, ...string[]] {
  const named = (name: string) => url.replace(LOOPBACK, name);
  return LOOPBACK.test(url) ? [named('localhost'), named('127.0.0.1'), named('[::1]')] : [url];
}

/** Form of a nonce. The signer chooses the nonce, for example a UUID. */
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
export const NONCE_FORM = '16 to 64 letters, digits, "-" and "_"';

export function checkNonce(nonce: string): void {
  if (!NONCE.test(nonce)) throw new AppError('INVALID_FIELD', { field: 'nonce', expected: NONCE_FORM });
}

/** Last moment at which a signed message of this time is accepted. */
export const expiryOf = (time: Date): Date => new Date(time.getTime() + VALID_MS);

/** Whether a signed message of this time is accepted now. */
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
