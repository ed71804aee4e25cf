import { useEffect, useRef } from 'preact/hooks';
import { agentsIn, type WatchedAgent, watchedAgentsQuery } from '../../alerts/figures.js';
import { alertTexts } from '../../alerts/texts.js';
import { type News, textOfNews } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { count, shortHex } from '../../format/number.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import { AgentLink, agentHref } from '../../ui/agent/agent-link.js';
import { AlertList } from '../../ui/alerts/alert-list.js';
import { NotificationChoice } from '../../ui/alerts/notification-choice.js';
import { WatchButtons } from '../../ui/alerts/watch-buttons.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Time } from '../../ui/figure/time.js';
import { Words } from '../../ui/figure/words.js';
import { Empty, ProblemView, StaleNote } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';

const words = alertTexts;
/** Maximum number of agents that one query reads. */
const MOST = 100;
const COLUMNS = ['', 'num', 'num', 'num wide', 'num'];
const HEADS = [texts.common.agent, texts.common.price, texts.common.change, texts.common.supply, words.all];

/**
 * The agents that the user watches, the alerts, and the news. A new value of `latest` means that the market has changed, so that
 * the figures are read again.
 */
export function WatchedAgents({ latest }: { readonly latest: unknown }) {
  const { watchlist, announce } = useApp();
  const { agents, alerts, news } = watchlist.lists.value;
  // An agent that the user removes keeps its row until the list opens again, so that nothing moves.
  const kept = useRef<readonly string[]>([]);
  const rows = [...new Set([...kept.current, ...agents])];
  kept.current = rows;
  const wallets = [...new Set([...rows, ...alerts.map(({ agent }) => agent)])].slice(0, MOST).sort();
  const { data, problem, reload } = useQuery(watchedAgentsQuery, { wallets }, { skip: wallets.length === 0 });
  // The figures of agents that were read before stay visible while the query for another set of agents runs.
  const known = useRef<ReadonlyMap<string, WatchedAgent>>(new Map());
  if (data) known.current = new Map([...known.current, ...agentsIn(data)]);
  const seen = useRef(latest);
  useEffect(() => {
    if (seen.current !== latest && wallets.length > 0) reload();
    seen.current = latest;
  }, [latest]);
  const isRead = data !== undefined || known.current.size > 0;
  if (!isRead && problem) return <ProblemView problem={problem} retry={reload} />;
  const nameOf = (agent: string) => known.current.get(agent)?.name ?? shortHex(agent);
  return (
    <>
      {isRead && <StaleNote problem={problem} />}
      {rows.length === 0 ? (
        <Empty>{words.none}</Empty>
      ) : (
        <RowTable
          class="stacked watched"
          caption={words.caption}
          heads={HEADS}
          columns={COLUMNS}
          rows={isRead ? rows : undefined}
          loading={{ rows: rows.length, widths: [16, 10, 7, 5, 8] }}
          row={(id) => <WatchedRow key={id} id={id} agent={known.current.get(id)} />}
        />
      )}
      {alerts.length > 0 && (
        <section class="watched-alerts" aria-label={words.all} tabIndex={-1}>
          <h3>{words.all}</h3>
          <AlertList alerts={alerts} nameOf={nameOf} isNamed tell={announce} />
          <NotificationChoice />
        </section>
      )}
      {news.length > 0 && <Told news={news} />}
    </>
  );
}

/**
 * The row of an agent. An agent that the service no longer has keeps its row, so that the user can remove it from the watchlist.
 */
function WatchedRow({ id, agent }: { readonly id: string; readonly agent: WatchedAgent | undefined }) {
  return (
    <tr>
      <th scope="row">
        <AgentLink agent={agent ?? null} address={id} size={28} />
      </th>
      <td class={COLUMNS[1]}>{agent && <Amount wei={agent.ticketPrice} usd="below" />}</td>
      <td class={COLUMNS[2]}>{agent && <Change percent={agent.priceChange24h} />}</td>
      <td class={COLUMNS[3]}>{agent && count(agent.totalSupply)}</td>
      <td class={COLUMNS[4]}>
        <WatchButtons agent={{ id, name: agent?.name ?? shortHex(id) }} />
      </td>
    </tr>
  );
}

function Told({ news }: { readonly news: readonly News[] }) {
  return (
    <section class="watched-alerts" aria-label={words.told.title}>
      <h3>{words.told.title}</h3>
      <ol class="alerts">
        {news.map((one) => (
          <li key={one.id}>
            <p>
              <a href={agentHref(one.agentId)}>
                <bdi>{one.name}</bdi>
              </a>{' '}
              <bdi>
                <Words of={textOfNews(one)} />
              </bdi>
            </p>
            <span class="small muted">
              <Time at={new Date(one.at).toISOString()} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
