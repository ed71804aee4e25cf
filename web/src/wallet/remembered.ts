import { onStored, store, stored } from '../storage.js';

/** What this browser stores about wallets. */
export type Remembered = {
  /** The `rdns` (EIP-6963) of the wallet that connects by itself, such as `io.metamask`. Empty if none does. */
  readonly rdns: string;
  /** Private key of the test wallet, in hexadecimal. Empty if there is none. */
  readonly testKey: string;
  /** Whether the test wallet connects by itself. */
  readonly isTest: boolean;
};

const RDNS = 'wallet-rdns';
const TEST_KEY = 'test-wallet-key';
/**
 * Stored in place of an `rdns` if no wallet connects by itself, so that the test wallet whose key is stored does not connect
 * either.
 */
const NONE = '-';

/**
 * Reads what this browser stores about wallets. A stored key of another form is ignored, so that the user can connect a new test
 * wallet.
 */
export function remembered(): Remembered {
  const rdns = stored(RDNS);
  const key = stored(TEST_KEY);
  const testKey = /^[0-9a-f]{64}$/.test(key) ? key : '';
  return { rdns: rdns === NONE ? '' : rdns, testKey, isTest: rdns === '' && testKey !== '' };
}

/** Order of the curve secp256k1. A private key is a number from 1 to `ORDER` - 1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Reads the private key from what the user has entered. undefined if the text is no valid key. */
export function keyIn(text: string): string | undefined {
  const key = text.trim().replace(/^0x/i, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(key)) return undefined;
  const value = BigInt(`0x${key}`);
  return value > 0n && value < ORDER ? key : undefined;
}

/**
 * Remembers the wallet with this `rdns`; an empty text means no wallet. The key of a test wallet stays stored: only the user
 * deletes it.
 */
export const rememberWallet = (rdns: string): void => store(RDNS, rdns || (remembered().testKey && NONE));

/** Remembers the test wallet. An empty key deletes the stored key. */
export function rememberTest(key: string): void {
  store(TEST_KEY, key);
  store(RDNS, '');
}

/** Calls `changed` when another tab has changed what is stored about wallets. */
export const onRemembered = (changed: () => void): void => onStored([RDNS, TEST_KEY], changed);
