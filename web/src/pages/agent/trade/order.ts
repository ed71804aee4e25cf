import { MAX_SLIPPAGE_PERCENT, withBuySlippage, withSellSlippage } from '../../../../../src/values/curve.js';
import { formatEth, mulDiv, type Wei } from '../../../../../src/values/money.js';
import { counted } from '../../../format/number.js';
import { type Sentence, sentence } from '../../../format/sentence.js';
import { texts } from '../../../texts.js';
import { type Choice, microUsd, type Side, type Step, stepAt, type Unit, weiIn } from '../curve.js';

const words = texts.trade;

/** What the connected wallet has to trade with. */
export type Holdings = {
  /** Ether of the wallet. */
  readonly balance: Wei;
  /** Tickets of this agent in the wallet. */
  readonly tickets: number;
  /** Estimate of the network fee of one trade, in wei, with room for a rising gas price. */
  readonly networkFee: Wei;
};

/** Reads the slippage in percent from the text of its field. undefined if the text is no percentage that the market accepts. */
export const slippageIn = (text: string): number | undefined =>
  /^\d{1,2}(\.\d{1,2})?$/.test(text.trim()) && Number(text) <= MAX_SLIPPAGE_PERCENT ? Number(text) : undefined;

/** The maximum cost of a purchase, or the minimum payout of a sale. `slippage` is in percent. */
export function boundOf(side: Side, { total }: Step, slippage: number): Wei {
  const bps = BigInt(Math.round(slippage * 100));
  return side === 'buy' ? withBuySlippage(total, bps) : withSellSlippage(total, bps);
}

/** Number of tickets of the largest purchase that the wallet can pay, with slippage and the network fee. */
export const affordable = (steps: readonly Step[], slippage: number, { balance, networkFee }: Holdings): number =>
  steps.filter((step) => boundOf('buy', step, slippage) + networkFee <= balance).length;

/** Numbers of decimals to try for an amount in dollars. More than cents are needed where two steps differ by less than a cent. */
const DECIMALS = [2, 4, 6] as const;

/** The text that the field shows for a step. `stepAt` reads exactly this step from the text. */
export function amountOf(steps: readonly Step[], step: Step, side: Side, unit: Unit, ethUsd: number | undefined): string {
  if (unit === 'tickets') return String(step.tickets);
  if (unit === 'eth' || !ethUsd) return formatEth(step.total);
  // The amount of a purchase is rounded up, because the purchase must cost at most this amount. The amount of a sale is rounded
  // down, because the sale must return at least this amount.
  const rounding = side === 'buy' ? 'up' : 'down';
  // The possible texts, with more and more decimals. In this function, the name hides the imported `texts`.
  const texts = DECIMALS.map((decimals) => {
    const scale = 10n ** BigInt(decimals);
    const amount = mulDiv(step.total, microUsd(ethUsd) * scale, 10n ** 24n, rounding);
    return `${amount / scale}.${String(amount % scale).padStart(decimals, '0')}`;
  });
  const isExact = (amount: string) => stepAt(steps, { side, amount, unit }, ethUsd) === step;
  return texts.find(isExact) ?? texts.at(-1) ?? '';
}

/** Whether the amount in the field is more than any trade can have. */
export function isTooMuch(steps: readonly Step[], { amount, unit }: Choice, ethUsd: number | undefined): boolean {
  if (unit === 'tickets') return /^[1-9]\d*$/.test(amount.trim()) && Number(amount) > steps.length;
  return (weiIn(amount, unit, ethUsd) ?? 0n) > (steps.at(-1)?.total ?? 0n);
}

/** Says why no trade can have the amount in the field. Where the message names a limit, the field accepts exactly that limit. */
export function amountFault(steps: readonly Step[], choice: Choice, ethUsd: number | undefined): string {
  const { side, amount, unit } = choice;
  const text = amount.trim();
  const most = steps.length;
  const [first, last] = [steps[0], steps.at(-1)];
  if (text === '') return unit === 'tickets' ? words.amount.empty : words.amount.none;
  if (unit === 'tickets') return isTooMuch(steps, choice, ethUsd) ? words.amount.most(most) : words.amount.wrong(most);
  const wei = weiIn(text, unit, ethUsd);
  if (!wei || !first || !last) return words.amount.wrongIn[unit];
  const limitOf = (step: Step) => words.amount.inUnit[unit](amountOf(steps, step, side, unit, ethUsd));
  return isTooMuch(steps, choice, ethUsd) ? words.amount.mostOf[side](limitOf(last), most) : words.amount.leastOf(limitOf(first));
}

/** Says why the wallet cannot make the trade. undefined if it can, or if its balances are unknown. */
export function obstacleOf(side: Side, tickets: number, bound: Wei, holdings: Holdings | undefined) {
  if (!holdings) return undefined;
  if (side === 'sell' && holdings.tickets < tickets) return words.amount.holds(holdings.tickets);
  if (side === 'buy' && holdings.balance < bound + holdings.networkFee) return words.problems.tooPoor(holdings.balance, bound);
  return undefined;
}

/** Impact and slippage in percent above which the page warns before a trade. */
const WARNED = { impact: 15, slippage: 10 };

/** Warnings for a trade whose price impact or slippage is above the limits in `WARNED`. */
export function warningsOf(side: Side, { impact, back }: Step, slippage: number): readonly string[] {
  const { warnings } = words;
  const percent = Math.abs(impact);
  const impactText = back ? warnings.impact.buy(percent, -back.change) : warnings.impact.sell(percent);
  return [
    ...(percent > WARNED.impact ? [impactText] : []),
    ...(slippage > WARNED.slippage ? [warnings.slippage[side](slippage)] : []),
  ];
}

/** What a trade did, in one sentence. */
export const outcomeOf = (side: Side, tickets: number, total: Wei): Sentence =>
  sentence`${words.did[side]} ${counted(tickets, texts.agent.curve.ticket)} ${texts.feed.for} ${total}.`;
