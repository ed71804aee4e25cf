import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { change, count, percentText, shortHex } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Copy } from '../../../ui/control/copy.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Bar } from '../../../ui/skeleton.js';
import type { Side, Step } from '../curve.js';
import type { Contract } from '../queries.js';

const words = texts.agent.curve;
const { about } = texts.trade;

type Props = {
  readonly side: Side;
  /** The trade to describe. undefined if the field has no amount that can be traded. */
  readonly step: Step | undefined;
  readonly bound: bigint | undefined;
  readonly contract: Contract | undefined;
  readonly isLoading: boolean;
};

/**
 * What the trade costs or pays, and the worst amount that the slippage allows. A button shows the fees and other parts of the
 * amount.
 */
export function Breakdown({ side, step, bound, contract, isLoading }: Props) {
  const [isOpen, setOpen] = useState(false);
  const fees = contract ? contract.protocolFeeBps + contract.agentFeeBps : 0;
  const rate = (bps: number | undefined) => (bps === undefined ? '' : ` (${percentText(bps / 100)})`);
  const blank = isLoading ? <Bar width={9} /> : '–';
  const main: readonly Row[] = [
    [words.total[side], step && <Amount wei={step.total} />],
    [texts.trade.bound[side], bound !== undefined && <Amount wei={bound} usd="none" />],
    [words.impact, step && change(step.impact)],
    ...(side === 'buy' ? ([[texts.trade.back, step?.back && <Back {...step.back} />]] as const) : []),
    [contract ? texts.trade.contractOn(contract.chainId) : texts.trade.contract, contract && <Address of={contract.address} />],
  ];
  const parts: readonly Row[] = [
    [words.price, step && <Amount wei={step.price} usd="none" />],
    [words.protocolFee + rate(contract?.protocolFeeBps), step && <Amount wei={step.protocolFee} usd="none" />, about.protocolFee],
    [words.agentFee + rate(contract?.agentFeeBps), step && <Amount wei={step.agentFee} usd="none" />, about.agentFee],
    [words.average, step && <Amount wei={step.total / BigInt(step.tickets)} usd="none" />],
    [words.after, step && <Amount wei={step.priceAfter} usd="none" />],
    ...(side === 'buy' ? ([[words.breakEven, step && breakEvenText(step), about.breakEven]] as const) : []),
  ];
  return (
    <div>
      <dl class="breakdown num" aria-busy={isLoading}>
        <Rows of={main} blank={blank} hasSum />
      </dl>
      {side === 'buy' && <p class="note muted risk">{texts.trade.risk}</p>}
      <button type="button" class="button quiet fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? texts.trade.parts.hide : texts.trade.parts.show(percentText(fees / 100))}
      </button>
      {isOpen && (
        <dl class="breakdown num">
          <Rows of={parts} blank={blank} />
        </dl>
      )}
    </div>
  );
}

/** One row: a name, its value, and a tip that explains the name. */
type Row = readonly [name: string, value: ComponentChildren, tip?: string];

type RowsProps = {
  readonly of: readonly Row[];
  readonly blank: ComponentChildren;
  /** Whether the first row is marked as the sum. @default false */
  readonly hasSum?: boolean;
};

function Rows({ of, blank, hasSum = false }: RowsProps) {
  return of.map(([name, value, tip], i) => (
    <div key={name} class={hasSum && i === 0 ? 'sum' : undefined}>
      <dt>
        {tip === undefined ? (
          name
        ) : (
          <span class="explained" data-tip={tip} tabIndex={0}>
            {name}
          </span>
        )}
      </dt>
      <dd>{value || blank}</dd>
    </div>
  ));
}

function Address({ of }: { readonly of: string }) {
  return (
    <Copy text={of} label={texts.trade.copyContract}>
      <span class="mono">{shortHex(of)}</span>
    </Copy>
  );
}

/** What selling the purchased tickets right away would return, and the loss in percent, which both fees cause. */
const Back = ({ total, change: percent }: NonNullable<Step['back']>) => (
  <>
    <Amount wei={total} usd="none" /> <span class="down">{change(percent)}</span>
  </>
);

const breakEvenText = ({ breakEven }: Step): string =>
  breakEven === undefined ? words.never : breakEven === 0 ? words.atOnce : words.after_(`${count(breakEven)}`, breakEven === 1);
