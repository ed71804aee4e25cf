import type { TransactionReceipt } from 'ethers';
import { decodeFacts, type Fact } from './facts.js';

/** Facts of a transaction on the contract. Empty if the transaction failed or does not exist. */
export function factsOfReceipt(receipt: TransactionReceipt | null, contract: string): Fact[] {
  if (receipt?.status !== 1) return [];
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
  return decodeFacts(logs.map((log) => ({ ...log, logIndex: log.index })));
}
