import type { ComponentChildren } from 'preact';
import { usdText } from '../../format/ether.js';
import { count } from '../../format/number.js';
import { Amount } from '../../ui/figure/amount.js';
import { DayChange } from '../../ui/figure/change.js';
import { Bar } from '../../ui/skeleton.js';
import type { Totals } from './queries.js';
import { marketTexts } from './texts.js';

/** The totals of the whole market. Each total also shows by how much it has grown in the last 24 hours. */
export function TotalsStrip({ totals }: { readonly totals: Totals | undefined }) {
  const words = marketTexts;
  return (
    <dl class="totals">
      <Total name={words.volume} value={totals && <Amount wei={totals.total.volume} />}>
        {totals && (
          <DayChange isMore={totals.day.volume !== '0'}>
            <Amount wei={totals.day.volume} usd="none" />
          </DayChange>
        )}
      </Total>
      <Total name={words.trades} value={totals && count(totals.total.trades)}>
        {totals && <DayChange isMore={totals.day.trades > 0}>{count(totals.day.trades)}</DayChange>}
      </Total>
      <Total name={words.agents} value={totals && count(totals.total.agents)}>
        {totals && <DayChange isMore={totals.day.agents > 0}>{count(totals.day.agents)}</DayChange>}
      </Total>
      <Total name={words.holders} value={totals && count(totals.total.holders)}>
        {totals && <DayChange isMore={totals.day.holders > 0}>{count(totals.day.holders)}</DayChange>}
      </Total>
      <Total name={words.ether} value={totals && usdText(10n ** 18n, totals.ethUsd)}>
        {totals && <span class="muted">{marketTexts.etherNote}</span>}
      </Total>
    </dl>
  );
}

type Props = { readonly name: string; readonly value: ComponentChildren; readonly children: ComponentChildren };

function Total({ name, value, children }: Props) {
  return (
    <div class="total">
      <dt>{name}</dt>
      <dd class="figure num">{value ?? <Bar width={7} />}</dd>
      <dd class="small num">{children ?? <Bar width={10} />}</dd>
    </div>
  );
}
