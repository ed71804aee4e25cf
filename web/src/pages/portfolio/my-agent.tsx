import type { ComponentChildren } from 'preact';
import { shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Time } from '../../ui/figure/time.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty, ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import type { Me, MyPortfolio } from './queries.js';
import { portfolioTexts } from './texts.js';
import type { MyAgentData } from './use-my-agent.js';

const words = portfolioTexts;

/** Notifications and the full profit and loss of the agent whose API key the user has pasted. */
export function MyAgent({ mine: { data, problem, reload } }: { readonly mine: MyAgentData }) {
  if (problem && !data) return <ProblemView problem={problem} retry={reload} />;
  const me = data?.me ?? undefined;
  return (
    <>
      <StaleNote problem={problem} />
      <Notifications list={data?.notifications ?? undefined} isLoading={data === undefined} />
      <FullPnl me={me} />
    </>
  );
}

type ListProps = { readonly list: NonNullable<MyPortfolio['notifications']> | undefined; readonly isLoading: boolean };

function Notifications({ list, isLoading }: ListProps) {
  return (
    <Card
      title={words.notifications}
      actions={list && list.totalUnread > 0 && <span class="chip">{words.unread(String(list.totalUnread))}</span>}
    >
      {list?.nodes.length === 0 && <Empty>{words.noNotifications}</Empty>}
      <ol class="notices" aria-busy={isLoading}>
        {isLoading && (
          <li>
            <Bar width={40} />
          </li>
        )}
        {list?.nodes.map(({ id, message, createdAt, read }) => (
          <li key={id} class={read ? undefined : 'unread'}>
            <bdi>{message}</bdi>
            <span class="muted small">
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function FullPnl({ me }: { readonly me: Me | undefined }) {
  const pnl = me?.pnl;
  const { pnl: names } = texts.agent;
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    [names.realized, pnl && <Amount wei={pnl.realized.totalWei} signed />],
    [names.unrealized, pnl && <Amount wei={pnl.unrealized.totalWei} signed />],
    [names.fees, pnl && <Amount wei={pnl.fees.earnedWei} signed />],
    [words.pending, pnl && (pnl.fees.pendingWei === null ? '–' : <Amount wei={pnl.fees.pendingWei} />)],
  ];
  return (
    <Card title={words.fullPnl} actions={pnl && <Change percent={pnl.summary.totalPnlPercent} />}>
      <dl class="breakdown num body">
        <div>
          <dt>{texts.common.agent}</dt>
          <dd>{me ? <AgentLink agent={me.agent} address={me.agent.id} size={22} /> : <Bar width={12} />}</dd>
        </div>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || <Bar width={12} />}</dd>
          </div>
        ))}
        <div class="sum">
          <dt>{names.total}</dt>
          <dd>{pnl ? <Amount wei={pnl.summary.totalPnlWei} signed /> : <Bar width={12} />}</dd>
        </div>
      </dl>
      {pnl && <Parts title={words.open} none={words.noOpen} rows={pnl.unrealized.holdings} />}
      {pnl && <Parts title={words.sales} none={words.noSales} rows={(pnl.realized.trades ?? []).slice(0, 20)} />}
    </Card>
  );
}

type Part = {
  readonly agentAddress: string;
  readonly agentName: string | null;
  readonly amount: number;
  readonly pnlWei: string;
  readonly date?: string;
  readonly txHash?: string;
};

/** A table of positions or of sales, with the profit of each. */
function Parts({ title, none, rows }: { readonly title: string; readonly none: string; readonly rows: readonly Part[] }) {
  return (
    <ListTable class="compact">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.common.agent}</th>
          <th scope="col" class="num">
            {texts.common.tickets}
          </th>
          <th scope="col" class="num">
            {words.profit}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.length === 0 && (
          <tr>
            <td colSpan={3} class="muted">
              {none}
            </td>
          </tr>
        )}
        {rows.map(({ agentAddress, agentName, amount, pnlWei, txHash }, i) => (
          <tr key={`${txHash ?? agentAddress} ${i}`}>
            <th scope="row">
              <bdi>{agentName ?? shortHex(agentAddress)}</bdi>
            </th>
            <td class="num">{amount}</td>
            <td class="num">
              <Amount wei={pnlWei} signed />
            </td>
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}
