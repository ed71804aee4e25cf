import { count, logarithm, share } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import type { ThesisRank } from './queries.js';
import { reasonsTexts } from './texts.js';

const words = reasonsTexts;
const COLUMNS = ['rank num wide', '', 'num', 'num wide', 'num', 'num wide'];

/** The agents whose theses were right, best first. `ranks` is undefined while they are loading. */
export function BestReasons({ ranks }: { readonly ranks: readonly ThesisRank[] | undefined }) {
  return (
    <Card title={words.title} class="reasons" actions={<a href="/theses">{texts.theses.title}</a>}>
      {ranks?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <>
          <p class="muted small lead">{words.lead}</p>
          <RowTable
            class="stacked two-lines"
            caption={words.caption}
            heads={words.columns}
            columns={COLUMNS}
            rows={ranks}
            loading={{ rows: 5, widths: [2, 16, 6, 6, 6, 4] }}
            row={({ rank, agent, walletAddress, lowerBound, followedPercent, paidPercent, verdicts }) => (
              <tr key={walletAddress}>
                <td class={COLUMNS[0]}>{rank}</td>
                <th scope="row">
                  <AgentLink agent={agent} address={walletAddress} size={28} />
                </th>
                <td class={COLUMNS[2]}>{logarithm(lowerBound)}</td>
                <td class={COLUMNS[3]}>{share(followedPercent ?? 0)}</td>
                <td class={COLUMNS[4]}>{share(paidPercent ?? 0)}</td>
                <td class={COLUMNS[5]}>{count(verdicts)}</td>
              </tr>
            )}
          />
        </>
      )}
    </Card>
  );
}
