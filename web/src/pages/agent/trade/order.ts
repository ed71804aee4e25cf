import { MAX_SLIPPAGE_PERCENT, withBuySlippage, withSellSlippage } from '../../../../../src/features/pricing/rules.js';
import type { Wei } from '../../../../../src/money.js';
import { counted } from '../../../format/number.js';
import { type Sentence, sentence } from '../../../format/sentence.js';
import { texts } from '../../../texts.js';
import type { Side, Step } from '../curve.js';
import type { Holdings } from './use-holdings.js';

const words = texts.trade;

/** The percentage that stands in the field of the slippage. undefined if the text is none that the market accepts. */
export const slippageIn = (text: string): number | undefined =>
  /^\d{1,2}(\.\d{1,2})?$/.test(text.trim()) && Number(text) <= MAX_SLIPPAGE_PERCENT ? Number(text) : undefined;

/** The maximum cost of a purchase, or the minimum payout of a sale. `slippage` is in percent. */
export function boundOf(side: Side, { total }: Step, slippage: number): Wei {
  const bps = BigInt(Math.round(slippage * 100));
  return side === 'buy' ? withBuySlippage(total, bps) : withSellSlippage(total, bps);
}

/** The number of tickets of the largest purchase that the wallet can pay, with slippage and the network fee. */
export const affordable = (steps: readonly Step[], slippage: number, { balance, networkFee }: Holdings): number =>
  steps.filter((step) => boundOf('buy', step, slippage) + networkFee <= balance).length;

/** Says why no trade can have the amount that stands in the field. `most`: the largest one. */
export function amountFault(amount: string, most: number): string {
  const text = amount.trim();
  if (text === '') return words.amount.empty;
  return /^[1-9]\d*$/.test(text) && Number(text) > most ? words.amount.most(most) : words.amount.wrong(most);
}

/** Says why the wallet cannot make the trade. undefined if it can, or if what it holds is unknown. */
export function obstacleOf(side: Side, tickets: number, bound: Wei, holdings: Holdings | undefined) {
  if (!holdings) return undefined;
  if (side === 'sell' && holdings.tickets < tickets) return words.noTickets(holdings.tickets);
  if (side === 'buy' && holdings.balance < bound + holdings.networkFee)
    return words.problems.tooPoor(holdings.balance, bound);
  return undefined;
}

/** Impact and slippage in percent above which the page warns before a trade. */
const WARNED = { impact: 15, slippage: 10 };

/** What the user should know before the trade, because it costs more than most. */
export function warningsOf(side: Side, { impact }: Step, slippage: number): readonly string[] {
  return [
    ...(Math.abs(impact) > WARNED.impact ? [words.warnings.impact[side](Math.abs(impact))] : []),
    ...(slippage > WARNED.slippage ? [words.warnings.slippage[side](slippage)] : []),
  ];
}

/** What a trade did, in one sentence. */
export const outcomeOf = (side: Side, tickets: number, total: Wei): Sentence =>
  sentence`${words.did[side]} ${counted(tickets, texts.agent.curve.ticket)} ${texts.feed.for} ${total}.`;
