import { onStored, store, stored } from '../storage.js';

/** What this browser stores about wallets. */
export type Remembered = {
  /** Name in EIP-6963 of the wallet that connects by itself, such as `io.metamask`. Empty if none does. */
  readonly rdns: string;
  /** Private key of the test wallet, in hexadecimal. Empty if there is none. */
  readonly testKey: string;
  /** Whether the test wallet connects by itself. */
  readonly isTest: boolean;
};

const RDNS = 'wallet-rdns';
const TEST_KEY = 'test-wallet-key';
/** Stands for no wallet, so that a key that is stored does not connect. */
const NONE = '-';

/** A key of another form is none, so that the user can connect a new test wallet. */
export function remembered(): Remembered {
  const rdns = stored(RDNS);
  const key = stored(TEST_KEY);
  const testKey = /^[0-9a-f]{64}$/.test(key) ? key : '';
  return { rdns: rdns === NONE ? '' : rdns, testKey, isTest: rdns === '' && testKey !== '' };
}

/** Order of the curve secp256k1. A private key is a number from 1 to below it. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The private key in what the user has entered. undefined if it is none. */
export function keyIn(text: string): string | undefined {
  const key = text.trim().replace(/^0x/i, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(key)) return undefined;
  const value = BigInt(`0x${key}`);
  return value > 0n && value < ORDER ? key : undefined;
}

/** Remembers the wallet of that name, or none. The key of a test wallet stays: only the user deletes it. */
export const rememberWallet = (rdns: string): void => store(RDNS, rdns || (remembered().testKey && NONE));

/** Remembers the test wallet. An empty key deletes the one that is stored. */
export function rememberTest(key: string): void {
  store(TEST_KEY, key);
  store(RDNS, '');
}

/** Tells that another tab has changed what is stored. */
export const onRemembered = (changed: () => void): void => onStored([RDNS, TEST_KEY], changed);
