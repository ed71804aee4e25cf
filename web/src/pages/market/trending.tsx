import { etherText } from '../../format/ether.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Spark } from '../../ui/figure/spark.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { NewOrder } from './new-order.js';
import type { Trend } from './queries.js';
import { steadyRows, useChosen } from './steady-rows.js';

const ROWS = 8;
/** CSS classes of the columns: `num` aligns digits. Narrow windows hide columns with `wide` or `wider`. */
const COLUMNS = ['rank num wide', '', 'num', 'num', 'wide', 'num wide', 'num wider', 'num wider', 'num wide'];

type Props = {
  readonly first: readonly Trend[] | undefined;
  /** The present trends. `first` are those that the page read first. */
  readonly latest: readonly Trend[] | undefined;
};

/** Agents whose tickets were traded in the last 24 hours. Their values change in place. */
export function Trending({ first, latest }: Props) {
  const [shown, choose] = useChosen(first);
  const { rows: trends, isReordered } =
    shown && latest ? steadyRows(shown, latest, ROWS) : { rows: shown, isReordered: false };
  const words = texts.market.trending;
  const heads = [
    '#',
    texts.common.agent,
    texts.common.price,
    texts.common.change,
    words.days,
    texts.common.volume,
    texts.common.trades,
    words.traders,
    words.score,
  ];
  return (
    <Card title={words.title} actions={isReordered && latest && <NewOrder show={() => choose(latest)} />}>
      {trends?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="rows-8"
          caption={words.caption}
          heads={heads}
          columns={COLUMNS}
          rows={trends}
          loading={{ rows: ROWS, widths: [2, 14, 10, 7, 9, 10, 4, 4, 6] }}
          row={(trend) => <TrendRow key={trend.agent?.id ?? trend.rank} trend={trend} />}
        />
      )}
    </Card>
  );
}

/**
 * Describes the small chart in words: the prices of the first and of the last day, and the lowest and the highest
 * price.
 */
function sparkLabel(candles: readonly { readonly close: string }[]): string {
  const closes = candles.map(({ close }) => BigInt(close));
  const sorted = closes.toSorted((a, b) => (a < b ? -1 : 1));
  const [from = '', to = '', low = '', high = ''] = [closes[0], closes.at(-1), sorted[0], sorted.at(-1)].map((wei) =>
    etherText(wei ?? 0n),
  );
  return texts.market.trending.spark(closes.length, { from, to, low, high });
}

function TrendRow({ trend }: { readonly trend: Trend }) {
  const { rank, agent, priceChange24h, volume24h, txCount, uniqueTraders, trendScore } = trend;
  if (!agent) return null;
  const closes = agent.candles.map(({ close }) => Number(close));
  return (
    <tr>
      <td class={COLUMNS[0]}>{rank}</td>
      <th scope="row">
        <AgentLink agent={agent} address={agent.id} size={28} />
      </th>
      <td class={COLUMNS[2]}>
        <Amount wei={agent.ticketPrice} usd="below" />
      </td>
      <td class={COLUMNS[3]}>
        <Change percent={priceChange24h} />
        <p class="narrow small muted">
          {texts.market.trending.score} {trendScore}
        </p>
      </td>
      <td class={COLUMNS[4]}>
        <Spark values={closes} label={sparkLabel(agent.candles)} />
      </td>
      <td class={COLUMNS[5]}>
        <Amount eth={volume24h} usd="below" />
      </td>
      <td class={COLUMNS[6]}>{txCount}</td>
      <td class={COLUMNS[7]}>{uniqueTraders}</td>
      <td class={COLUMNS[8]}>
        <span class="score" data-tip={texts.market.trending.scoreLong} data-tip-end="" tabIndex={-1}>
          <meter min={0} max={100} value={trendScore} aria-hidden="true" />
          {trendScore}
        </span>
      </td>
    </tr>
  );
}
