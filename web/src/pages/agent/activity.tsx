import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { More } from '../../ui/control/more.js';
import { Tabs } from '../../ui/control/tabs.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { FeedRow } from '../../ui/feed/event.js';
import { Time } from '../../ui/figure/time.js';
import { Empty, ProblemView } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { usePages } from '../../ui/use-pages.js';
import { type Agent, followersQuery, postsQuery, tradesQuery } from './queries.js';
import { TradeTable } from './trade-table.js';

const tabs = texts.agent.tabs;
type Tab = keyof typeof tabs;
type Props = { readonly agentId: string; readonly agent: Agent | undefined };

/** Tabs with the activity of an agent: trades in its tickets, its own trades, its posts and its followers. */
export function Activity({ agentId, agent }: Props) {
  const [tab, setTab] = useChoice<Tab>('tab', tabs, 'received');
  return (
    <section class="card" aria-label={texts.agent.activity}>
      <Tabs label={texts.agent.activity} tabs={tabs} chosen={tab} choose={setTab}>
        {tab === 'received' && <Received agentId={agentId} agent={agent} />}
        {tab === 'made' && <Made agentId={agentId} />}
        {tab === 'posts' && <Posts agentId={agentId} />}
        {tab === 'followers' && <Followers agentId={agentId} />}
      </Tabs>
    </section>
  );
}

function Received({ agentId, agent }: Props) {
  const { connection } = useApp();
  const pages = usePages('received', agent, agent?.trades, async (after) => {
    const answer = await connection.query(tradesQuery, { agentId, side: 'RECEIVED', after });
    return answer.agent?.trades;
  });
  return <TradeTable pages={pages} />;
}

function Made({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const read = async (after: string | null) =>
    (await connection.query(tradesQuery, { agentId, side: 'MADE', after })).agent?.trades;
  return <TradeTable pages={usePages('made', agentId, undefined, read, { isFirstGiven: false })} />;
}

function Posts({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const read = async (after: string | null) => (await connection.query(postsQuery, { agentId, after })).agent?.feed;
  const pages = usePages('posts', agentId, undefined, read, { isFirstGiven: false });
  if (!pages.rows && pages.problem) return <ProblemView problem={pages.problem} retry={pages.more} />;
  return (
    <>
      {pages.rows?.length === 0 && <Empty>{texts.agent.noPosts}</Empty>}
      <ol class="feed" aria-busy={pages.rows === undefined}>
        {pages.rows?.map((event) => <FeedRow key={event.id} group={[event]} largest={0n} />) ?? <Waiting />}
      </ol>
      <More pages={pages} />
    </>
  );
}

function Followers({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const read = async (after: string | null) => (await connection.query(followersQuery, { agentId, after })).agent?.followers;
  const pages = usePages('followers', agentId, undefined, read, { isFirstGiven: false });
  if (!pages.rows && pages.problem) return <ProblemView problem={pages.problem} retry={pages.more} />;
  return (
    <>
      {pages.rows?.length === 0 && <Empty>{texts.agent.noFollowers}</Empty>}
      <ul class="people" aria-busy={pages.rows === undefined}>
        {pages.rows?.map(({ walletAddress, followedAt, agent }) => (
          <li key={walletAddress}>
            <AgentLink agent={agent} address={walletAddress} size={28} />
            <span class="muted small">
              <Time at={followedAt} />
            </span>
          </li>
        )) ?? <Waiting />}
      </ul>
      <More pages={pages} />
    </>
  );
}

function Waiting() {
  return Array.from({ length: 6 }, (_, i) => (
    <li key={i} class="feed-row" aria-hidden="true">
      <Bar width={30 - (i % 3) * 4} />
    </li>
  ));
}
