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
  type FeeSplit,
  MAX_TICKETS_PER_TRADE,
  MIN_WITHDRAWAL,
  WITHDRAWAL_COOLDOWN,
} from '../../../values/curve.js';
import type { Wei } from '../../../values/money.js';

type ContractCode = {
  readonly abi: readonly (typeof ticketMarketAbi)[number][];
  readonly curve: { readonly divisor: number; readonly formula: string };
  readonly rules: {
    readonly maxTicketsPerTrade: number;
    readonly minWithdrawal: Wei;
    readonly withdrawalCooldownSeconds: number;
    readonly feeUpdateDelaySeconds: number;
    readonly feeUpdateGraceSeconds: number;
  };
  readonly gas: Readonly<Record<keyof typeof gasUsed, number>>;
};

/**
 * Everything a wallet needs to call the contract of this service. The ABI omits functions that the deployed contract does not
 * have.
 */
export type ContractInfo = ContractCode & {
  /** Whether the contract has the newer functions: trades with a deadline, and registrations that also buy tickets. */
  readonly overloads: boolean;
  readonly chainId: number;
  readonly address: string;
  readonly rpcUrl: string | null;
  /** First block that can contain a log of the contract. Null if the RPC cannot determine it. */
  readonly startBlock: number | null;
  readonly fees: FeeSplit;
};

/** Properties of the contract's newest source. A contract that was deployed earlier may lack functions of this `abi`. */
export const contractCode: ContractCode = {
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
};

/** URL of a public RPC for wallets. Null if none is configured. */
export const publicRpcUrl = ({ config, chain }: Pick<Deps, 'config' | 'chain'>): string | null =>
  config.chainEmbedded ? chain.rpcUrl : (config.PUBLIC_RPC_URL ?? null);

/**
 * Whether a contract has the newer functions: trades with a deadline, and registrations that also buy tickets. `missing` are the
 * functions that the contract lacks.
 */
export const hasOverloads = (missing: readonly string[]): boolean =>
  !missing.some((signature) => /^(buyTickets|sellTickets|registerAgent)\(/.test(signature));

export async function contractInfo(deps: Deps): Promise<ContractInfo> {
  const { chain } = deps;
  const [fees, startBlock, missing] = await Promise.all([chain.feeSplit(), startBlockOf(deps), chain.missingFunctions()]);
  return {
    ...contractCode,
    abi: abiWithout(missing),
    overloads: hasOverloads(missing),
    chainId: chain.chainId,
    address: chain.contract,
    rpcUrl: publicRpcUrl(deps),
    startBlock,
    fees,
  };
}

async function startBlockOf({ config, chain }: Deps): Promise<number | null> {
  if (config.START_BLOCK !== undefined) return config.START_BLOCK;
  if (config.chainEmbedded) return 1;
  return chain.deployBlock().catch((error: unknown) => {
    // CHAIN_UNAVAILABLE: no RPC answers. With any other error, the node answers but has no historical state, in which the block
    // that created the contract could be found.
    if (error instanceof AppError) throw error;
    return null;
  });
}
