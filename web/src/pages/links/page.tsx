import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { More } from '../../ui/control/more.js';
import { Terms } from '../../ui/figure/terms.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { usePages } from '../../ui/use-pages.js';
import { addressOf } from '../../wallet/provider.js';
import { NotFound } from '../not-found.js';
import { linksQuery } from './queries.js';
import { linksTexts } from './texts.js';

/** The wallets that are possibly linked with a wallet, and why. */
export default function LinksPage({ params: { address = '' } }: PageProps) {
  const wallet = addressOf(address);
  if (!wallet) return <NotFound />;
  const { lead, signs } = linksTexts;
  return (
    <div class="links-page">
      <PageTitle heading={texts.links.title} lead={lead} />
      <div class="stack">
        <Terms {...signs} />
        <Links key={wallet} wallet={wallet} />
      </div>
    </div>
  );
}

function Links({ wallet }: { readonly wallet: string }) {
  const { connection } = useApp();
  const words = linksTexts;
  const pages = usePages(
    'links',
    wallet,
    undefined,
    async (after) => (await connection.query(linksQuery, { wallet, after })).possibleLinks ?? undefined,
    { isFirstGiven: false },
  );
  useSettled(pages.rows !== undefined);
  return (
    <Card title={words.of} actions={<AgentLink agent={null} address={wallet} />}>
      {pages.rows?.length === 0 ? (
        <Empty>{words.none}</Empty>
      ) : (
        <RowTable
          caption={words.caption}
          heads={words.heads}
          columns={['', '']}
          rows={pages.rows}
          loading={{ rows: 3, widths: [16, 40] }}
          row={({ walletAddress, agent, signs }) => (
            <tr key={walletAddress}>
              <th scope="row">
                <AgentLink agent={agent} address={walletAddress} size={28} />
              </th>
              <td class="sentences">
                <ul>
                  {signs.map(({ kind, text }) => (
                    <li key={kind + text}>
                      <bdi>{text}</bdi>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          )}
        />
      )}
      <More pages={pages} />
    </Card>
  );
}
