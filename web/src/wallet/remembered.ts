import { store, stored } from '../storage.js';

/** What this browser stores about the wallet that the user connected last. Empty texts after the user has disconnected. */
export type Remembered = {
  /** Name of a wallet in EIP-6963, such as `io.metamask`. */
  readonly rdns: string;
  /** Private key of the test wallet, in hexadecimal. */
  readonly testKey: string;
};

const RDNS = 'wallet-rdns';
const TEST_KEY = 'test-wallet-key';

/** A key of another form is none, so that the user can connect a new test wallet. */
export function remembered(): Remembered {
  const testKey = stored(TEST_KEY);
  return { rdns: stored(RDNS), testKey: /^[0-9a-f]{64}$/.test(testKey) ? testKey : '' };
}

/** Replaces what is stored, so that only one wallet connects by itself. */
export function remember({ rdns = '', testKey = '' }: Partial<Remembered>): void {
  store(RDNS, rdns);
  store(TEST_KEY, testKey);
}
