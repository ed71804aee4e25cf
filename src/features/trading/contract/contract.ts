import { ticketMarketAbi } from '../../../chain/abi.js';
import { abiWithout } from '../../../chain/contract-interface.js';
import { gasUsed } from '../../../chain/gas.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import {
  CURVE_FORMULA,
  DIVISOR,
  FEE_UPDATE_DELAY,
  FEE_UPDATE_GRACE,
  MAX_TICKETS_PER_TRADE,
  MIN_WITHDRAWAL,
  WITHDRAWAL_COOLDOWN,
} from '../../../values/curve.js';

/** Properties that all deployments of the contract share. */
export const contractCode = {
  abi: ticketMarketAbi,
  curve: { divisor: Number(DIVISOR), formula: CURVE_FORMULA },
  rules: {
    maxTicketsPerTrade: Number(MAX_TICKETS_PER_TRADE),
    minWithdrawal: MIN_WITHDRAWAL,
    withdrawalCooldownSeconds: WITHDRAWAL_COOLDOWN,
    feeUpdateDelaySeconds: FEE_UPDATE_DELAY,
    feeUpdateGraceSeconds: FEE_UPDATE_GRACE,
  },
  gas: gasUsed,
} as const;

/** URL of a public RPC for wallets. Null if none is configured. */
export const publicRpcUrl = ({ config, market }: Pick<Deps, 'config' | 'market'>): string | null =>
  config.chainEmbedded ? market.rpcUrl : (config.PUBLIC_RPC_URL ?? null);

export type ContractInfo = Awaited<ReturnType<typeof contractInfo>>;

/**
 * Whether a contract has deadlines of trades, and registrations with tickets. `missing`: the functions that the
 * contract lacks.
 */
export const hasOverloads = (missing: readonly string[]): boolean =>
  !missing.some((signature) => /^(buyTickets|sellTickets|registerAgent)\(/.test(signature));

/** Everything a wallet needs to call the contract of this service. The ABI lacks the functions that the deployed contract lacks. */
export async function contractInfo(deps: Deps) {
  const { market } = deps;
  const [fees, startBlock, missing] = await Promise.all([market.feeSplit(), startBlockOf(deps), market.missingFunctions()]);
  return {
    ...contractCode,
    abi: abiWithout(missing),
    overloads: hasOverloads(missing),
    chainId: market.chainId,
    address: market.contract,
    rpcUrl: publicRpcUrl(deps),
    startBlock,
    fees,
  };
}

/** First block that can contain a log of the contract. Null if the RPC cannot determine it. */
async function startBlockOf({ config, market }: Deps): Promise<number | null> {
  if (config.START_BLOCK !== undefined) return config.START_BLOCK;
  if (config.chainEmbedded) return 1;
  return market.deployBlock().catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    // A node without historical state cannot find the block.
    return null;
  });
}
