import { useApp } from '../../../app-context.js';
import { graphql } from '../../../graphql/document.js';
import { texts } from '../../../texts.js';
import { AgentLink, agentName } from '../../../ui/agent/agent-link.js';
import { More } from '../../../ui/control/more.js';
import { FeedRow, feedEvent } from '../../../ui/feed/event.js';
import { Time } from '../../../ui/figure/time.js';
import { Empty, ProblemView } from '../../../ui/problem-view.js';
import { Bar } from '../../../ui/skeleton.js';
import { usePages } from '../../../ui/use-pages.js';

const postsQuery = graphql(
  `
  query Posts($agentId: String!, $after: String) {
    agent(agentId: $agentId) {
      feed(type: STATUS, first: 10, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes { ...feedEvent }
      }
    }
  }
`,
  [feedEvent],
);

const followersQuery = graphql(
  `
  query Followers($agentId: String!, $after: String) {
    agent(agentId: $agentId) {
      followers(first: 20, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes {
          walletAddress
          followedAt
          agent { ...agentName }
        }
      }
    }
  }
`,
  [agentName],
);

/** The posts of an agent, newest first. */
export function Posts({ agentId }: { readonly agentId: string }) {
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

/** The agents that follow an agent. */
export function Followers({ agentId }: { readonly agentId: string }) {
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
