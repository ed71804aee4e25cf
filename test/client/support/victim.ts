import { Wallet } from 'ethers';
import {
  Curvet,
  type CurvetOptions,
  memoryJournal,
  type SpendingLimits,
  type Transaction,
} from '../../../client/src/curvet.js';
import { decodeTrade, type TradeCall } from '../../../client/src/signing/calldata.js';
import { CHAIN, CONTRACT, fakeService, type Tamper } from './fake-service.js';
import { SleepClock } from './scripted.js';

const wallet = new Wallet(`0x${'11'.repeat(32)}`);
export const limits: SpendingLimits = { chainId: CHAIN, contract: CONTRACT, perTrade: '1', perDay: '5', gas: '0.01' };
/** Maximum gas fee of a transaction, in wei. */
export const GAS = 200_000n * 3_000_000_000n;

/** A client of a service that falsifies answers, and what its signer was asked to sign. */
export function victim(tamper: Tamper, given: Partial<CurvetOptions> = {}) {
  const signed: Transaction[] = [];
  const clock = given.clock ?? new SleepClock();
  const curvet = new Curvet({
    baseUrl: 'http://curvet.test',
    apiKey: 'k',
    limits,
    clock,
    journal: memoryJournal(),
    fetch: fakeService(wallet.address, tamper, clock),
    ...given,
    signer: {
      address: wallet.address,
      signMessage: (message: string) => wallet.signMessage(message),
      signTransaction: (transaction) => {
        signed.push(transaction);
        return wallet.signTransaction(transaction);
      },
    },
  });
  return { curvet, signed, wallet: wallet.address.toLowerCase() };
}

export const callOf = (data: string): TradeCall => decodeTrade(data) as TradeCall;
export const honest: Tamper = (_, answer) => answer;
/** Changes a quote: the transaction in it, or all of it. */
export const inQuote =
  (change: (transaction: Record<string, string>) => object): Tamper =>
  (what, answer) =>
    what === '/api/tickets/quote' ? { ...answer, ...change(answer.transaction as Record<string, string>) } : answer;
export const inTransaction = (change: (transaction: Record<string, string>) => object): Tamper =>
  inQuote((transaction) => ({ transaction: { ...transaction, ...change(transaction) } }));
