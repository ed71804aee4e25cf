import { change, count, percentText, shortHex } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Copy } from '../../../ui/control/copy.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Bar } from '../../../ui/skeleton.js';
import type { Side, Step } from '../curve.js';
import type { Contract } from '../queries.js';

const words = texts.agent.curve;

type Props = {
  readonly side: Side;
  readonly step: Step | undefined;
  readonly bound: bigint | undefined;
  readonly contract: Contract | undefined;
  readonly isLoading: boolean;
};

/** The amounts of one trade, and the contract that it calls. */
export function Breakdown({ side, step, bound, contract, isLoading }: Props) {
  const rate = (bps: number | undefined) => (bps === undefined ? '' : ` (${percentText(bps / 100)})`);
  const isPurchase = side === 'buy';
  const rows = [
    [words.price, step && <Amount wei={step.price} usd="none" />],
    [words.protocolFee + rate(contract?.protocolFeeBps), step && <Amount wei={step.protocolFee} usd="none" />],
    [words.agentFee + rate(contract?.agentFeeBps), step && <Amount wei={step.agentFee} usd="none" />],
    [words.total[side], step && <Amount wei={step.total} />],
    [texts.trade.bound[side], bound !== undefined && <Amount wei={bound} usd="none" />],
    [words.average, step && <Amount wei={step.total / BigInt(step.tickets)} usd="none" />],
    [words.after, step && <Amount wei={step.priceAfter} usd="none" />],
    [words.impact, step && change(step.impact)],
    [words.breakEven, step && isPurchase && breakEvenText(step)],
    [
      texts.trade.contract,
      contract && (
        <Copy text={contract.address} label={texts.trade.copyContract}>
          <span class="mono">{shortHex(contract.address)}</span>
        </Copy>
      ),
    ],
  ] as const;
  return (
    <dl class="breakdown num" aria-busy={isLoading}>
      {rows
        .filter(([name]) => isPurchase || name !== words.breakEven)
        .map(([name, value]) => (
          <div key={name} class={name === words.total[side] ? 'sum' : undefined}>
            <dt>{name}</dt>
            <dd>{value || <Bar width={9} />}</dd>
          </div>
        ))}
    </dl>
  );
}

const breakEvenText = ({ breakEven }: Step): string =>
  breakEven === undefined
    ? words.never
    : breakEven === 0
      ? words.atOnce
      : words.after_(`${count(breakEven)}`, breakEven === 1);
