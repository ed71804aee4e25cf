import { useApp } from '../../../app-context.js';
import { count } from '../../../format/number.js';
import { graphql, type ResultOf } from '../../../graphql/document.js';
import { AgentLink, agentName } from '../../../ui/agent/agent-link.js';
import { Download } from '../../../ui/control/download.js';
import { More } from '../../../ui/control/more.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Time } from '../../../ui/figure/time.js';
import { Empty, ProblemView } from '../../../ui/problem-view.js';
import { ProfitView } from '../../../ui/profit/profit-view.js';
import { profitTexts } from '../../../ui/profit/texts.js';
import { RowTable } from '../../../ui/row-table.js';
import { usePages } from '../../../ui/use-pages.js';

const closedQuery = graphql(
  `
  query ClosedTrades($agentId: String!, $after: String) {
    agent(agentId: $agentId) {
      trades(side: MADE, sale: true, first: 10, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes {
          id
          amount
          total
          realizedPnlWei
          createdAt
          agentAddress
          agent { ...agentName }
        }
      }
    }
  }
`,
  [agentName],
);
type ClosedTrade = NonNullable<ResultOf<typeof closedQuery>['agent']>['trades']['nodes'][number];

const words = profitTexts.closed;
const CSV = ['createdAt', 'agentAddress', 'amount', 'total', 'realizedPnlWei'] as const;
const plain = ({ agent: _, ...trade }: ClosedTrade) => trade;
const COLUMNS = ['', '', 'num wide', 'num', 'num'];

/** The tab with the profit of an agent over time, and with its sales. */
export function Profit({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const read = async (after: string | null) => (await connection.query(closedQuery, { agentId, after })).agent?.trades;
  const pages = usePages('closed', agentId, undefined, read, { isFirstGiven: false });
  return (
    <>
      <ProfitView wallet={agentId} />
      <div class="part-title">
        <h3>{words.title}</h3>
        {pages.rows && <Download name={`closed-${agentId}.csv`} text={words.download} columns={CSV} rows={pages.rows.map(plain)} />}
      </div>
      {!pages.rows && pages.problem ? (
        <ProblemView problem={pages.problem} retry={pages.more} />
      ) : pages.rows?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="trades stacked two-lines"
          caption={words.caption}
          heads={words.columns}
          columns={COLUMNS}
          rows={pages.rows}
          loading={{ rows: 10, widths: [12, 7, 9, 9, 8] }}
          row={(trade) => <ClosedRow key={trade.id} trade={trade} />}
        />
      )}
      <More pages={pages} />
    </>
  );
}

function ClosedRow({ trade: { agent, agentAddress, amount, total, realizedPnlWei, createdAt } }: { readonly trade: ClosedTrade }) {
  const profit = BigInt(realizedPnlWei ?? '0');
  return (
    <tr>
      <th scope="row">
        <AgentLink agent={agent} address={agentAddress} size={24} />
        <p class="small muted">
          <Time at={createdAt} />
        </p>
      </th>
      <td class="num">{count(amount)}</td>
      <td class="num wide">
        <Amount wei={BigInt(total) - profit} usd="none" />
      </td>
      <td class="num">
        <Amount wei={total} usd="none" />
      </td>
      <td class="num">
        <Amount wei={profit} usd="none" signed />
      </td>
    </tr>
  );
}
