import type { Transport } from './http/transport.js';
import { type Registration, type RegistrationRequest, register } from './registration.js';
import type { WalletOptions } from './signing/connection.js';
import { Wallet } from './signing/wallet.js';
import { type Trade, tradeOf } from './trade.js';
import { type Withdrawal, type WithdrawalRequest, withdraw } from './withdrawal.js';

export type Trading = {
  readonly trade: Trade;
  register(request: RegistrationRequest): Promise<Registration>;
  withdraw(request?: WithdrawalRequest): Promise<Withdrawal>;
};

/**
 * Creates the part of the client that signs: trades, registrations and withdrawals. Throws if the client has no signer, limits or
 * journal.
 */
export function tradingOf(transport: Transport, options: WalletOptions): Trading {
  const wallet = new Wallet(transport, options);
  return {
    trade: tradeOf(transport, wallet),
    register: (request) => register(transport, wallet, request),
    withdraw: (request) => withdraw(transport, wallet, request),
  };
}
