import type { ComponentChildren } from 'preact';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Bar } from '../../ui/skeleton.js';
import type { Agent } from './queries.js';

/** Profit and loss of the agent as a trader. */
export function PnlCard({ pnl }: { readonly pnl: Agent['pnl'] | undefined }) {
  const words = texts.agent.pnl;
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    [words.realized, pnl && <Amount wei={pnl.realizedWei} signed />],
    [words.unrealized, pnl && <Amount wei={pnl.unrealizedWei} signed />],
    [words.fees, pnl && <Amount wei={pnl.feesEarnedWei} signed />],
  ];
  return (
    <Card title={words.title} actions={pnl && <Change percent={pnl.totalPnlPercent} />}>
      <dl class="breakdown num body">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? <Bar width={12} />}</dd>
          </div>
        ))}
        <div class="sum">
          <dt>{words.total}</dt>
          <dd>{pnl ? <Amount wei={pnl.totalPnlWei} signed /> : <Bar width={12} />}</dd>
        </div>
      </dl>
    </Card>
  );
}
