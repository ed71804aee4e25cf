import { ticketMarketAbi } from '../../../chain/abi.js';
import { gasUsed, withdrawalGas } from '../../../chain/gas.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import {
  CURVE_FORMULA,
  DIVISOR,
  FEE_UPDATE_DELAY,
  type FeeSplit,
  MAX_TICKETS_PER_TRADE,
  MIN_WITHDRAWAL,
  WITHDRAWAL_COOLDOWN,
} from '../rules.js';

/** What is the same of every deployment of the contract. */
export const contractCode = {
  abi: ticketMarketAbi,
  curve: { divisor: Number(DIVISOR), formula: CURVE_FORMULA },
  rules: {
    maxTicketsPerTrade: Number(MAX_TICKETS_PER_TRADE),
    minWithdrawal: MIN_WITHDRAWAL,
    withdrawalCooldownSeconds: WITHDRAWAL_COOLDOWN,
    feeUpdateDelaySeconds: FEE_UPDATE_DELAY,
  },
  gas: gasUsed,
} as const;

/** Where a wallet reaches the chain, if that is public. */
export const publicRpcUrl = ({ config, market }: Pick<Deps, 'config' | 'market'>): string | null =>
  config.chainEmbedded ? market.rpcUrl : (config.PUBLIC_RPC_URL ?? null);

/** Gas of a withdrawal of agent fees. */
export const feeWithdrawalGas = withdrawalGas;

export type ContractInfo = typeof contractCode & {
  readonly chainId: number;
  readonly address: string;
  readonly rpcUrl: string | null;
  /** No log of the contract is in an earlier block. null if the RPC cannot tell. */
  readonly startBlock: number | null;
  readonly fees: FeeSplit;
};

/** What a wallet needs to call the contract of this service. */
export async function contractInfo(deps: Deps): Promise<ContractInfo> {
  const { market } = deps;
  const [fees, startBlock] = await Promise.all([market.feeSplit(), startBlockOf(deps)]);
  return {
    ...contractCode,
    chainId: market.chainId,
    address: market.contract,
    rpcUrl: publicRpcUrl(deps),
    startBlock,
    fees,
  };
}

async function startBlockOf({ config, market }: Deps): Promise<number | null> {
  if (config.START_BLOCK !== undefined) return config.START_BLOCK;
  if (config.chainEmbedded) return 1;
  return market.deployBlock().catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    // A node without old states cannot search them.
    return null;
  });
}
