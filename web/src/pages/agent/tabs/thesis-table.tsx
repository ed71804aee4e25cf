import { count } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { AgentLink } from '../../../ui/agent/agent-link.js';
import { Verdict } from '../../../ui/feed/verdict.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Time } from '../../../ui/figure/time.js';
import { RowTable } from '../../../ui/row-table.js';
import type { Thesis } from './queries.js';
import { thesesTexts } from './texts.js';

const words = thesesTexts.list;
const COLUMNS = ['', '', 'num', 'num muted wide'];

/** Theses with their trades, and what became of them. `rows` is undefined while they are loading. */
export function ThesisTable({ rows }: { readonly rows: readonly Thesis[] | undefined }) {
  return (
    <RowTable
      class="trades theses stacked"
      caption={words.caption}
      heads={words.columns}
      columns={COLUMNS}
      rows={rows}
      loading={{ rows: 6, widths: [24, 14, 9, 8] }}
      row={(thesis) => <ThesisRow key={thesis.id} thesis={thesis} />}
    />
  );
}

function ThesisRow({ thesis: { type, amount, total, thesis, confidence, createdAt, ...one } }: { readonly thesis: Thesis }) {
  const isPurchase = type === 'BUY' || type === 'AGENT_BUY';
  return (
    <tr>
      <th scope="row">
        <p class="thesis">{thesis === null ? <span class="muted">{words.gone}</span> : <bdi>{thesis}</bdi>}</p>
        <p class="narrow small muted">
          <Time at={createdAt} />
        </p>
        {confidence !== null && <p class="small muted">{words.sure(confidence)}</p>}
        <Outcomes {...one} />
      </th>
      <td>
        <span class={isPurchase ? 'up' : 'down'}>{isPurchase ? texts.feed.bought : texts.feed.sold}</span>{' '}
        <span class="num">{count(amount)}</span> <AgentLink agent={one.agent} address={one.agentAddress} size={0} />
      </td>
      <td class={COLUMNS[2]}>
        <Amount wei={total} usd="below" />
      </td>
      <td class={COLUMNS[3]}>
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

/** The three outcomes of a call, or why a thesis is no call. */
function Outcomes({ eligibility, outcomes }: Pick<Thesis, 'eligibility' | 'outcomes'>) {
  if (eligibility !== null && eligibility !== 'COUNTS') return <p class="small muted">{words.eligibility[eligibility]}</p>;
  return (
    <ul class="outcomes small">
      {outcomes.map((outcome) => (
        <li key={outcome.horizon}>
          <span class="muted">{texts.outcomes.horizons[outcome.horizon]}:</span> <Verdict of={outcome} />
        </li>
      ))}
    </ul>
  );
}
