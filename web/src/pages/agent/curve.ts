import { buyQuote, type FeeSplit, sellQuote, unitPrice } from '../../../../src/values/curve.js';
import { parseEth, type Wei } from '../../../../src/values/money.js';
import { payoutOf, splitOf } from '../../contract/fees.js';

export type Side = 'buy' | 'sell';

/** The unit of an amount: tickets, or the ether or dollars that are paid or received, fees included. */
export type Unit = 'tickets' | 'eth' | 'usd';

/** The trade that the panel describes. `amount` is the text in its field, whether or not it is a number. */
export type Choice = { readonly side: Side; readonly amount: string; readonly unit: Unit };

/** The trade that the address of the page asks for, such as ?side=sell&amount=3 or ?amount=0.5&unit=eth. */
export function choiceIn({ searchParams }: URL): Choice {
  const unit = searchParams.get('unit');
  return {
    side: searchParams.get('side') === 'sell' ? 'sell' : 'buy',
    amount: searchParams.get('amount') ?? '1',
    unit: unit === 'eth' || unit === 'usd' ? unit : 'tickets',
  };
}

/** What buying or selling a number of tickets costs or returns, and what it does to the price. */
export type Step = {
  readonly tickets: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  readonly total: Wei;
  /** Price of one ticket after the trade. */
  readonly priceAfter: Wei;
  /** Change of the price of one ticket by the trade, in percent. */
  readonly impact: number;
  /**
   * Only for a purchase: number of tickets that others must buy until selling these tickets returns their cost. undefined if that
   * needs more than `SEARCH` tickets.
   */
  readonly breakEven: number | undefined;
  /** Only for a purchase: what selling these tickets right afterwards returns, and the difference to their cost, in percent. */
  readonly back: { readonly total: Wei; readonly change: number } | undefined;
};

/** Maximum number of tickets up to which the break-even is searched. */
const SEARCH = 5000;

/** One step per number of tickets, from 1 to the maximum of one trade. A sale leaves the last ticket in circulation. */
export function stepsOf(side: Side, supply: number, most: number, split: FeeSplit): Step[] {
  const length = side === 'buy' ? most : Math.max(0, Math.min(most, supply - 1));
  return Array.from({ length }, (_, i) => (side === 'buy' ? purchase(supply, i + 1, split) : sale(supply, i + 1, split)));
}

/** The price of ether in millionths of a dollar: an integer, so that amounts can be computed without rounding. */
export const microUsd = (ethUsd: number): bigint => BigInt(Math.round(ethUsd * 1e6));

/**
 * Reads an amount in wei from a text such as 0.05, in ether or dollars. undefined if the text is no amount, or if the price of
 * ether is unknown.
 */
export function weiIn(text: string, unit: 'eth' | 'usd', ethUsd: number | undefined): Wei | undefined {
  const amount = parseEth(text.trim());
  if (amount === null || unit === 'eth') return amount ?? undefined;
  return ethUsd ? (amount * 1_000_000n) / microUsd(ethUsd) : undefined;
}

/**
 * The step for the amount in the field. undefined if no trade can have this amount. An amount of ether or dollars stands for the
 * largest purchase that costs at most this much, or for the smallest sale that returns at least this much. It must not be more
 * than the total of the last step.
 */
export function stepAt(steps: readonly Step[], { side, amount, unit }: Choice, ethUsd: number | undefined): Step | undefined {
  if (unit === 'tickets') return steps.find(({ tickets }) => String(tickets) === amount.trim());
  const wei = weiIn(amount, unit, ethUsd);
  // The page may show the total of the last step rounded up to a cent, so up to a cent more is accepted. In wei, a cent is 10^16
  // divided by the price of ether in dollars.
  const cent = unit === 'usd' && ethUsd ? 10n ** 22n / microUsd(ethUsd) : 0n;
  if (!wei || wei > (steps.at(-1)?.total ?? 0n) + cent) return undefined;
  return side === 'buy' ? steps.findLast(({ total }) => total <= wei) : steps.find(({ total }) => total >= wei);
}

type Contract = {
  readonly protocolFeeBps: number;
  readonly agentFeeBps: number;
  readonly rules: { readonly maxTicketsPerTrade: number };
};

/** The steps at the fees and limits of the contract. Empty while the supply or the contract is not loaded. */
export function contractSteps(side: Side, supply: number | undefined, contract: Contract | undefined): Step[] {
  if (supply === undefined || !contract) return [];
  return stepsOf(side, supply, contract.rules.maxTicketsPerTrade, splitOf(contract));
}

function purchase(supply: number, tickets: number, split: FeeSplit): Step {
  const quote = buyQuote(BigInt(supply), BigInt(tickets), split);
  const after = supply + tickets;
  const total = payoutOf(after, tickets, split);
  return {
    tickets,
    ...quote,
    ...effect(supply, after),
    breakEven: breakEvenOf(after, tickets, quote.total, split),
    back: { total, change: Number(((total - quote.total) * 10_000n) / quote.total) / 100 },
  };
}

function sale(supply: number, tickets: number, split: FeeSplit): Step {
  const quote = sellQuote(BigInt(supply), BigInt(tickets), split);
  return { tickets, ...quote, ...effect(supply, supply - tickets), breakEven: undefined, back: undefined };
}

function effect(before: number, after: number): Pick<Step, 'priceAfter' | 'impact'> {
  const [was, priceAfter] = [unitPrice(BigInt(before)), unitPrice(BigInt(after))];
  return { priceAfter, impact: was === 0n ? 0 : Number(((priceAfter - was) * 1_000_000n) / was) / 10_000 };
}

/** Finds `breakEven` of a step by binary search, which works because the payout of a sale rises with the supply. */
function breakEvenOf(supply: number, tickets: number, cost: Wei, split: FeeSplit): number | undefined {
  const returns = (more: number) => {
    const before = BigInt(supply + more);
    return before > BigInt(tickets) && sellQuote(before, BigInt(tickets), split).total >= cost;
  };
  if (!returns(SEARCH)) return undefined;
  let [below, reached] = [-1, SEARCH];
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2);
    if (returns(middle)) reached = middle;
    else below = middle;
  }
  return reached;
}

/** Points of the curve for drawing: supply and price of one ticket. */
export function curvePoints(last: number): readonly { readonly supply: number; readonly price: Wei }[] {
  const step = Math.max(1, Math.ceil(last / 60));
  const count = Math.floor(last / step) + 1;
  return Array.from({ length: count }, (_, i) => ({ supply: i * step, price: unitPrice(BigInt(i * step)) }));
}
