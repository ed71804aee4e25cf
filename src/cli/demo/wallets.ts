import type { HDNodeWallet } from 'ethers';
import { devAccount } from '../../chain/embedded-chain.js';

/** Index of the demo's first account. The mnemonic is the public one of development chains. */
const FIRST = 100;

/** Wallet of an agent. It is the same on every machine, and its key is public. */
export const walletOf = (agent: number): HDNodeWallet => devAccount(FIRST + agent);
