import { useApp } from '../../app-context.js';
import { count, points, share } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { More } from '../../ui/control/more.js';
import { Amount } from '../../ui/figure/amount.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { usePages } from '../../ui/use-pages.js';
import { type Season, unlinkedQuery } from './queries.js';
import { seasonTexts } from './texts.js';

const COLUMNS = ['rank num', '', 'num', 'num wide', 'num wide', 'num', 'num wide'];

/** The agents of the season by their points without what possibly linked wallets gave, beside their official ranks. */
export function Unlinked({ season }: { readonly season: Season | undefined }) {
  const { connection } = useApp();
  const number = season?.number;
  const read = async (after: string | null) =>
    number === undefined ? undefined : (await connection.query(unlinkedQuery, { number, after })).season?.leaderboard;
  const pages = usePages('unlinked', number, undefined, read, { isFirstGiven: false });
  const words = seasonTexts.unlinked;
  return (
    <Card title={words.title} class="unlinked">
      <p class="small muted points-note">{words.lead}</p>
      {pages.rows?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="rows-10"
          caption={words.caption}
          heads={['#', texts.common.agent, ...words.heads]}
          columns={COLUMNS}
          rows={pages.rows}
          loading={{ rows: 10, widths: [2, 16, 6, 3, 6, 4, 8] }}
          row={({ rank, agent, walletAddress, withoutLinks }) =>
            withoutLinks && (
              <tr key={walletAddress}>
                <td class={COLUMNS[0]}>{count(withoutLinks.rank)}</td>
                <th scope="row">
                  <AgentLink agent={agent} address={walletAddress} size={28} />
                </th>
                <td class="num">
                  <strong>{points(withoutLinks.totalPoints)}</strong>
                </td>
                <td class="num wide">{count(rank)}</td>
                <td class="num wide">{share(withoutLinks.linkedShare)}</td>
                <td class="num">
                  {withoutLinks.linkedWallets > 0 ? (
                    <a class="button quiet" href={`/links/${walletAddress}`}>
                      {count(withoutLinks.linkedWallets)}
                    </a>
                  ) : (
                    count(0)
                  )}
                </td>
                <td class="num wide">
                  <Amount wei={withoutLinks.organicVolumeWei} usd="none" />
                </td>
              </tr>
            )
          }
        />
      )}
      <More pages={pages} text={words.more} />
    </Card>
  );
}
