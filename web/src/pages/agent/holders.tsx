import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { count, counted, share, shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { More } from '../../ui/control/more.js';
import { Time } from '../../ui/figure/time.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { usePages } from '../../ui/use-pages.js';
import { type Agent, type Holder, holdersQuery } from './queries.js';

type Props = { readonly agentId: string; readonly agent: Agent | undefined; readonly supply: number | undefined };

const COLUMNS = ['', 'num', 'num', 'num since'];

/** The holders of the agent's tickets: their shares as a bar, and a list. */
export function Holders({ agentId, agent, supply = 0 }: Props) {
  const { connection } = useApp();
  const pages = usePages('holders', agent, agent?.holders, async (after) =>
    after === null ? undefined : (await connection.query(holdersQuery, { agentId, after })).agent?.holders,
  );
  const { rows } = pages;
  const words = texts.agent.holders;
  return (
    <Card title={words.title} actions={agent && <span class="muted small">{counted(agent.holderCount, words.one)}</span>}>
      <Distribution rows={rows?.slice(0, 8)} supply={supply} />
      {rows?.length === 0 && <Empty>{words.empty}</Empty>}
      <RowTable
        class="compact rows-8"
        caption={words.caption}
        heads={[words.holder, words.tickets, words.share, words.since]}
        columns={COLUMNS}
        rows={rows}
        loading={{ rows: 8, widths: [13, 3, 6, 7] }}
        row={({ address, agent: holder, amount, since }) => (
          <tr key={address}>
            <th scope="row">
              <AgentLink agent={holder} address={address} size={22} />
            </th>
            <td class="num">{count(amount)}</td>
            <td class="num">{share(shareOf(amount, supply))}</td>
            <td class="num muted since">
              <Time at={since} />
            </td>
          </tr>
        )}
      />
      <More pages={pages} />
    </Card>
  );
}

const shareOf = (amount: number, supply: number): number => (supply === 0 ? 0 : (100 * amount) / supply);

/**
 * The eight largest holdings as parts of one bar, whose rest stands for all other holders. The list below has the same figures, so
 * this chart has no table.
 */
function Distribution({ rows = [], supply }: { readonly rows: readonly Holder[] | undefined; readonly supply: number }) {
  const words = texts.agent.holders;
  const [chosen, choose] = useState<number | undefined>(undefined);
  const shares = rows.map(({ amount }) => shareOf(amount, supply));
  const [top = 0] = shares;
  const five = shares.slice(0, 5).reduce((sum, share) => sum + share, 0);
  let x = 0;
  return (
    <ChartFrame
      label={words.distribution}
      summary={words.summary(share(top), share(five))}
      length={rows.length}
      chosen={chosen}
      choose={choose}
      describe={(index) => describe(rows[index], shares[index])}
      class="distribution"
    >
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="rest" width="100" height="6" />
        {shares.map((share, i) => {
          const start = x;
          x += share;
          return (
            <rect
              key={rows[i]?.address}
              class={`part part-${i} ${i === chosen ? 'chosen' : ''}`}
              x={start}
              width={Math.max(0, share - 0.4)}
              height="6"
            />
          );
        })}
      </svg>
      <p class="small muted num">{rows.length === 0 ? '\u00a0' : words.summary(share(top), share(five))}</p>
    </ChartFrame>
  );
}

const describe = (row: Holder | undefined, part = 0): string =>
  row ? texts.agent.holders.part(row.agent?.name ?? shortHex(row.address), count(row.amount), share(part)) : texts.chart.empty;
