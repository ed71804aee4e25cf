import type { TransactionReceipt } from 'ethers';
import { type Fact, factsOf } from './events.js';

/** The facts that a transaction made on the contract; none if it failed, or if there is no such transaction. */
export function factsIn(receipt: TransactionReceipt | null, contract: string): Fact[] {
  if (receipt?.status !== 1) return [];
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
  return factsOf(
    logs.map(({ blockNumber, blockHash, index, transactionHash, topics, data }) => ({
      blockNumber: String(blockNumber),
      blockHash,
      logIndex: String(index),
      transactionHash,
      topics,
      data,
    })),
  );
}
