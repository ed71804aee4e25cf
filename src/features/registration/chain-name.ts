import type { TransactionReceipt } from 'ethers';
import { factsOfReceipt } from '../../chain/logs/receipts.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { agentIdOf, isReserved } from '../agents/rules.js';

/**
 * Refuses a wallet that did not register this name on the chain. It reads the chain, not the index, so that lag refuses
 * nobody. If `txHash` is given, that transaction must be the registration.
 */
export async function checkOnChain(
  deps: Deps,
  wallet: string,
  name: string,
  txHash: string | undefined,
): Promise<void> {
  const receipt = txHash === undefined ? undefined : await deps.market.receipt(txHash);
  const registered =
    receipt === undefined ? (await deps.market.agent(wallet))?.name : nameIn(receipt, deps.market.contract, wallet);
  if (registered !== name) throw await refusal(deps, wallet, name, receipt);
}

function nameIn(receipt: TransactionReceipt | null, contract: string, wallet: string): string | undefined {
  return factsOfReceipt(receipt, contract)
    .filter((fact) => fact.kind === 'registered')
    .find((fact) => fact.agent === wallet)?.name;
}

/** Adds advice to the error: a wallet registers only one name on the chain, so only that name can work. */
async function refusal(
  { market }: Deps,
  wallet: string,
  name: string,
  receipt: TransactionReceipt | null | undefined,
): Promise<AppError> {
  const onChainName = (await market.agent(wallet))?.name;
  if (onChainName === name) return new AppError('NOT_REGISTERED_ON_CHAIN', {}, { advice: 'OTHER_TRANSACTION' });
  if (onChainName !== undefined) {
    const advice = isReserved(agentIdOf(onChainName)) ? 'REGISTERED_AS_RESERVED' : 'REGISTERED_AS';
    return new AppError('NOT_REGISTERED_ON_CHAIN', { onChainName }, { advice, details: { onChainName } });
  }
  const takenBy = await market.agentOf(agentIdOf(name));
  if (takenBy !== null) {
    return new AppError(
      'NOT_REGISTERED_ON_CHAIN',
      { takenBy },
      { advice: 'NAME_TAKEN_ON_CHAIN', details: { takenBy } },
    );
  }
  return receipt === null
    ? new AppError('NOT_REGISTERED_ON_CHAIN', {}, { advice: 'TRANSACTION_UNKNOWN' })
    : new AppError('NOT_REGISTERED_ON_CHAIN');
}
