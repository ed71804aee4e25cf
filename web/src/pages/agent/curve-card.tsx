import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { change, count } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Amount } from '../../ui/figure/amount.js';
import { ListTable } from '../../ui/list-table.js';
import { type Choice, type Side, type Step, stepAt } from './curve.js';
import { CurveChart } from './curve-chart.js';

type Props = {
  readonly supply: number | undefined;
  readonly choice: Choice;
  readonly steps: readonly Step[];
};

/** The bonding curve with a mark at the present supply of the agent, and a table of what the next tickets cost or return. */
export function CurveCard({ supply, choice, steps }: Props) {
  const { side } = choice;
  const tickets = stepAt(steps, choice, useApp().ethUsd.value)?.tickets ?? 0;
  return (
    <Card title={texts.agent.curve.title}>
      <CurveChart supply={supply} side={side} tickets={tickets} />
      <StepTable steps={steps} side={side} />
    </Card>
  );
}

/** Table with one row for each number of tickets that a trade can have. */
function StepTable({ steps, side }: { readonly steps: readonly Step[]; readonly side: Side }) {
  const [isOpen, setOpen] = useState(false);
  const words = texts.agent.curve;
  const heads = [...words.columns, words.totalOf[side], words.impact, ...(side === 'buy' ? [words.breakEven] : [])];
  return (
    <>
      <div class="card-end">
        <button type="button" class="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.hideAll : words.showAll}
        </button>
      </div>
      {isOpen && (
        <div class="chart-table" role="region" aria-label={words.all[side]} tabIndex={0}>
          <ListTable class="compact">
            <caption class="hidden">{words.all[side]}</caption>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col" class="num">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.map((step) => (
                <tr key={step.tickets}>
                  <th scope="row" class="num">
                    {step.tickets}
                  </th>
                  {[step.price, step.protocolFee, step.agentFee, step.total].map((wei, i) => (
                    <td key={heads[i + 1]} class="num">
                      <Amount wei={wei} usd="none" />
                    </td>
                  ))}
                  <td class="num">{change(step.impact)}</td>
                  {side === 'buy' && <td class="num">{step.breakEven === undefined ? '–' : `+${count(step.breakEven)}`}</td>}
                </tr>
              ))}
            </tbody>
          </ListTable>
        </div>
      )}
    </>
  );
}
