import type { Transport } from './http/transport.js';
import { type Registration, type RegistrationRequest, register } from './registration.js';
import type { WalletOptions } from './signing/connection.js';
import { Wallet } from './signing/wallet.js';
import { type Trade, tradeOf } from './trade.js';

export type Trading = { readonly trade: Trade; register(request: RegistrationRequest): Promise<Registration> };

/**
 * Creates the part of the client that signs: trades and registrations. Throws if the client has no signer, limits or
 * journal.
 */
export function tradingOf(transport: Transport, options: WalletOptions): Trading {
  const wallet = new Wallet(transport, options);
  return { trade: tradeOf(transport, wallet), register: (request) => register(transport, wallet, request) };
}
