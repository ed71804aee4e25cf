import { mulDiv, WEI_PER_ETH, type Wei } from './money.js';

// The curve and the fees. They must equal contracts/BondingCurve.sol and contracts/TicketBook.sol to the wei.

export const MAX_TICKETS_PER_TRADE = 20n;
/** Maximum slippage of a price, in percent. */
export const MAX_SLIPPAGE_PERCENT = 50;
/** Minimum payout of withdrawAgentFees, in wei. */
export const MIN_WITHDRAWAL: Wei = WEI_PER_ETH / 1000n;
/** Minimum time between two withdrawals of an agent, in seconds. */
export const WITHDRAWAL_COOLDOWN = 86_400;
/** Minimum time between proposal and application of new fees, in seconds. */
export const FEE_UPDATE_DELAY = 172_800;
/** Time after which a proposal of new fees expires, in seconds. */
export const FEE_UPDATE_GRACE = 1_209_600;

/** Maximum of both fees together, in basis points of the curve price. The contract calls it MAX_FEE_PERCENT. */
export const MAX_FEE_BPS = 1000n;

export const DIVISOR = 50_000n;
/**
 * Factor of the curve, in wei: at a supply of i tickets, the next ticket costs i^2 times this factor. 1 ether / 50000 has no
 * remainder, so every price is a whole multiple of the factor.
 */
const SQUARE_PRICE = WEI_PER_ETH / DIVISOR;
const BPS = 10_000n;

/** Fee rates in basis points, as returned by the contract's feeSplit(). */
export type FeeSplit = { readonly protocolBps: bigint; readonly agentBps: bigint };

/** Amounts of a trade in wei. `price` is for all tickets, before fees. `total` is what a buyer pays or a seller receives. */
export type Quote = { readonly price: Wei; readonly protocolFee: Wei; readonly agentFee: Wei; readonly total: Wei };

/** The curve in words, for clients that compute prices themselves. */
export const CURVE_FORMULA =
  'price(supply, amount) = sum of i^2 for i from supply to supply + amount - 1, times 10^18 / divisor, in wei. ' +
  'A purchase costs price(supply, amount) plus fees. A sale pays price(supply - amount, amount) less fees.';

/** Sum of i^2 for i from supply to supply + amount - 1, times 1 ether / 50000. */
export function getPrice(supply: bigint, amount: bigint): Wei {
  if (supply < 0n || amount < 0n) throw new RangeError(`no price of ${amount} tickets at supply ${supply}`);
  const last = amount - 1n;
  const squares = amount * supply * (supply + last) + (amount * last * (amount + last)) / 6n;
  return squares * SQUARE_PRICE;
}

/** `getPrice` as an SQL expression. `supply` and `amount` are SQL expressions of integers. */
export const curvePriceSql = (supply: string, amount: string): string =>
  `(select (n * s * (s + n - 1) + div(n * (n - 1) * (2 * n - 1), 6)) * ${SQUARE_PRICE}
    from (select (${supply})::numeric as s, (${amount})::numeric as n) tickets)`;

/** Price of the next ticket, before fees. */
export function unitPrice(supply: bigint): Wei {
  return getPrice(supply, 1n);
}

/** Lowest supply at which one ticket costs at least `price`. The curve rises monotonically, so a binary search finds it. */
export function supplyPricedFrom(price: Wei): bigint {
  let below = -1n;
  let reached = 1n;
  while (unitPrice(reached) < price) reached *= 2n;
  while (reached - below > 1n) {
    const middle = (below + reached) / 2n;
    if (unitPrice(middle) < price) below = middle;
    else reached = middle;
  }
  return reached;
}

/** Cost of buying, before fees. */
export function buyPrice(supply: bigint, amount: bigint): Wei {
  return getPrice(supply, amount);
}

/** Proceeds of selling, before fees. Throws RangeError for the last ticket. */
export function sellPrice(supply: bigint, amount: bigint): Wei {
  if (amount >= supply) throw new RangeError(`${amount} of ${supply} tickets cannot be sold`);
  return getPrice(supply - amount, amount);
}

/** Fees on a price of the curve. The fees are exact, because every price of the curve is a multiple of 10000 wei. */
export function fees(price: Wei, split: FeeSplit): { readonly protocolFee: Wei; readonly agentFee: Wei } {
  return { protocolFee: (price * split.protocolBps) / BPS, agentFee: (price * split.agentBps) / BPS };
}

export function buyQuote(supply: bigint, amount: bigint, split: FeeSplit): Quote {
  const price = buyPrice(supply, amount);
  const { protocolFee, agentFee } = fees(price, split);
  return { price, protocolFee, agentFee, total: price + protocolFee + agentFee };
}

export function sellQuote(supply: bigint, amount: bigint, split: FeeSplit): Quote {
  const price = sellPrice(supply, amount);
  const { protocolFee, agentFee } = fees(price, split);
  return { price, protocolFee, agentFee, total: price - protocolFee - agentFee };
}

/** Maximum cost for a buyer: the total plus slippage (500n is 5 %), rounded up. */
export function withBuySlippage(total: Wei, slippageBps: bigint): Wei {
  return mulDiv(total, BPS + requireSlippage(slippageBps), BPS, 'up');
}

/** Minimum payout for a seller: the total minus slippage, rounded down. */
export function withSellSlippage(total: Wei, slippageBps: bigint): Wei {
  return mulDiv(total, BPS - requireSlippage(slippageBps), BPS, 'down');
}

function requireSlippage(slippageBps: bigint): bigint {
  if (slippageBps < 0n || slippageBps > BPS) throw new RangeError(`no slippage of ${slippageBps} basis points`);
  return slippageBps;
}

/** Change of the ticket price between two supplies, in percent with two decimals. `supplyBefore` is not 0, where the price is 0. */
export function priceChange(supplyBefore: number, supplyNow: number): number {
  const before = unitPrice(BigInt(supplyBefore));
  const change = (unitPrice(BigInt(supplyNow)) - before) * 10_000n;
  const half = change < 0n ? -before / 2n : before / 2n;
  return Number((change + half) / before) / 100;
}
