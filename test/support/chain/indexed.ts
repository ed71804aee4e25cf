import { expect } from 'chai';
import { callData } from '../../../src/chain/contract-interface.js';
import type { Fact } from '../../../src/chain/logs/facts.js';
import type { Deps } from '../../../src/deps.js';
import { ensureCursor } from '../../../src/index/cursor.js';
import { catchUp } from '../../../src/index/ingest.js';
import { emptyTables, testDatabase } from '../database.js';
import { oracle } from '../market/oracle.js';
import type { Traffic } from '../market/traffic.js';
import type { TestChain } from './chain.js';
import { storedFacts } from './facts.js';

/** Leadership for a single replica, which always leads. */
export const alone = { lead: async () => true, close: async () => {} };

/** Empties all tables, so that the index begins at block 1 again. */
export async function emptyIndex(deps: Deps): Promise<void> {
  await emptyTables((await testDatabase()).orm);
  await ensureCursor(deps, async () => 1);
}

/** Indexes the chain up to its head. */
export const indexAll = async (deps: Deps): Promise<void> =>
  void expect(await catchUp(deps, await deps.chain.blockNumber())).to.equal(true);

/** Checks that the tables of the index equal what `oracle` computes from the chain. Returns the facts of the chain. */
export async function expectWholeIndex(deps: Deps, to?: number): Promise<readonly Fact[]> {
  const { facts } = await deps.chain.range(1, to ?? (await deps.chain.blockNumber()));
  expect(await storedFacts(deps)).to.deep.equal(oracle(facts));
  return facts;
}

/**
 * Sends two trades in one block: the third and the fourth trader buy from the first two. Returns their hashes in the order of the
 * block.
 */
export async function together({ provider, contract }: TestChain, { traders }: Pick<Traffic, 'traders'>): Promise<string[]> {
  await provider.send('evm_setAutomine', [false]);
  // 10 ETH, more than a ticket costs. The contract sends the rest back.
  const value = 10n ** 19n;
  const hashes: string[] = [];
  // Sends one transaction after the other, because anvil orders transactions of equal fees by their arrival.
  for (const [i, { wallet }] of traders.slice(0, 2).entries()) {
    const data = callData('buyTickets', [wallet, 1, value]);
    const sent = await traders[i + 2]?.signer.sendTransaction({ to: contract, data, value, gasLimit: 300_000 });
    hashes.push(sent?.hash ?? '');
  }
  await provider.send('anvil_mine', ['0x1']);
  await provider.send('evm_setAutomine', [true]);
  return hashes;
}
