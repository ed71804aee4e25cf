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

export const remembered = (): Remembered => ({ rdns: stored(RDNS), testKey: stored(TEST_KEY) });

/** Replaces what is stored, so that only one wallet connects by itself. */
export function remember({ rdns = '', testKey = '' }: Partial<Remembered>): void {
  store(RDNS, rdns);
  store(TEST_KEY, testKey);
}
