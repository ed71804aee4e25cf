import type { HDNodeWallet } from 'ethers';
import { devAccount } from '../../chain/embedded-chain.js';

/** The first of the demo's accounts of the mnemonic that every development chain knows. */
const FIRST = 100;

/** The wallet of an agent: the same on every machine, and anybody's who wants to try something with it. */
export const walletOf = (agent: number): HDNodeWallet => devAccount(FIRST + agent);
