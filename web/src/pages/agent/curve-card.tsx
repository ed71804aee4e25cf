import { useMemo, useState } from 'preact/hooks';
import { count, counted, percentText } from '../../format/number.js';
import { texts } from '../../texts.js';
import { agentHref } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Choices } from '../../ui/control/choices.js';
import { TicketSlider } from '../../ui/control/ticket-slider.js';
import { Amount } from '../../ui/figure/amount.js';
import { PriceAfter } from '../../ui/figure/price-after.js';
import { Empty } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { contractSteps, type Side, type Step } from './curve.js';
import { CurveChart } from './curve-chart.js';
import type { AgentData } from './queries.js';
import { StepTable } from './step-table.js';

type Contract = NonNullable<AgentData['contract']>;

type Props = {
  readonly agentId: string;
  readonly supply: number | undefined;
  readonly contract: Contract | undefined;
  readonly isLoading: boolean;
};

/** The bonding curve with the place of this agent, what the next tickets cost or return, and the way to trade them. */
export function CurveCard({ agentId, supply, contract, isLoading }: Props) {
  const [side, setSide] = useState<Side>('buy');
  const [wanted, setWanted] = useState(1);
  const words = texts.agent.curve;
  const steps = useMemo(() => contractSteps(side, supply, contract), [side, supply, contract]);
  const tickets = Math.min(wanted, Math.max(1, steps.length));
  const step = steps[tickets - 1];
  return (
    <Card
      title={words.title}
      actions={<Choices label={words.side} options={words.sides} chosen={side} choose={setSide} />}
    >
      <div class="curve">
        <CurveChart supply={supply} side={side} tickets={steps.length === 0 ? 0 : tickets} />
        <div class="quote">
          <TicketSlider tickets={tickets} most={steps.length} choose={setWanted} />
          {!isLoading && !contract ? (
            <Empty>{words.noChain}</Empty>
          ) : !isLoading && steps.length === 0 ? (
            <Empty>{words.lastTicket}</Empty>
          ) : (
            <>
              <Breakdown step={step} side={side} contract={contract} />
              <a class="button main" href={`${agentHref(agentId)}/trade?side=${side}&amount=${tickets}`}>
                {texts.trade.go[side](counted(tickets, words.ticket))}
              </a>
            </>
          )}
        </div>
      </div>
      <StepTable steps={steps} side={side} />
    </Card>
  );
}

type BreakdownProps = { readonly step: Step | undefined; readonly side: Side; readonly contract: Contract | undefined };

/** The amounts of one trade. */
function Breakdown({ step, side, contract }: BreakdownProps) {
  const words = texts.agent.curve;
  const rate = (bps: number | undefined) => (bps === undefined ? '' : ` (${percentText(bps / 100)})`);
  const isPurchase = side === 'buy';
  const rows = [
    [words.price, step && <Amount wei={step.price} usd="none" />],
    [words.protocolFee + rate(contract?.protocolFeeBps), step && <Amount wei={step.protocolFee} usd="none" />],
    [words.agentFee + rate(contract?.agentFeeBps), step && <Amount wei={step.agentFee} usd="none" />],
    [words.total[side], step && <Amount wei={step.total} />],
    [words.average, step && <Amount wei={step.total / BigInt(step.tickets)} usd="none" />],
    [words.after, step && <PriceAfter {...step} />],
    [words.breakEven, step && isPurchase && breakEvenText(step)],
  ] as const;
  return (
    <dl class="breakdown num">
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
    ? texts.agent.curve.never
    : breakEven === 0
      ? texts.agent.curve.atOnce
      : texts.agent.curve.after_(`${count(breakEven)}`, breakEven === 1);
