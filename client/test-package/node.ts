// Compiles in a project of Node.js: wallets of ethers and accounts of viem are signers.
import { Curvet, type CurvetOptions, type SpendingLimits } from 'curvet-client';
import { fileJournal } from 'curvet-client/node';
import { Wallet } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';

const key = `0x${'11'.repeat(32)}` as const;
const limits: SpendingLimits = {
  chainId: 84532,
  contract: `0x${'c0'.repeat(20)}`,
  perTrade: '0.01',
  perDay: 10n,
  gas: '0.001',
};
const base: CurvetOptions = { baseUrl: 'http://127.0.0.1:4000', limits, journal: fileJournal('journal.json') };

export const withEthers = new Curvet({ ...base, signer: new Wallet(key) });
export const withRandom = new Curvet({ ...base, signer: Wallet.createRandom() });
export const withViem = new Curvet({ ...base, signer: privateKeyToAccount(key) });
