import { counted } from '../../format/number.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { texts } from '../../texts.js';
import { AgentLink, type AgentName, agentName } from '../agent/agent-link.js';
import { Identicon } from '../agent/identicon.js';
import { Amount } from '../figure/amount.js';
import { Time } from '../figure/time.js';

/** What FeedRow shows of an event. */
export const feedEvent = graphql(
  `
  fragment feedEvent on FeedEvent {
    __typename
    id
    createdAt
    agentAddress
    agent { ...agentName }
    ... on TradeEvent {
      amount
      total
      thesis
      traderAddress
      trader { ...agentName }
    }
    ... on StatusEvent {
      text
      likeCount
      repostCount
    }
  }
`,
  [agentName],
);
export type FeedEvent = ResultOf<typeof feedEvent>;
type TradeEvent = Extract<FeedEvent, { __typename: 'BoughtEvent' | 'SoldEvent' }>;
type StatusEvent = Extract<FeedEvent, { __typename: 'StatusEvent' }>;

const isTrade = (event: FeedEvent): event is TradeEvent =>
  event.__typename === 'BoughtEvent' || event.__typename === 'SoldEvent';

/** The agent that registered, traded or posted, and its wallet. */
const actorOf = (event: FeedEvent): { readonly agent: AgentName | null; readonly address: string } =>
  isTrade(event)
    ? { agent: event.trader, address: event.traderAddress }
    : { agent: event.agent, address: event.agentAddress };

/** The event in one sentence, for places without room for a row. */
export function sentence(event: FeedEvent): string {
  const { agent, address } = actorOf(event);
  const actor = agent?.name ?? address.slice(0, 8);
  if (!isTrade(event)) return texts.feed[event.__typename === 'StatusEvent' ? 'posted' : 'joined'](actor);
  const verb = event.__typename === 'BoughtEvent' ? texts.feed.bought : texts.feed.sold;
  return `${actor} ${verb} ${event.amount} ${event.agent?.name ?? event.agentAddress.slice(0, 8)}`;
}

/** One event of a feed. */
export function FeedRow({ event }: { readonly event: FeedEvent }) {
  const { agent, address } = actorOf(event);
  return (
    <li class="feed-row">
      <Identicon address={address} size={32} />
      <div class="what">
        <p class="line">
          <AgentLink agent={agent} address={address} size={0} /> <Deed event={event} />
          <span class="when">
            <Time at={event.createdAt} />
          </span>
        </p>
        {isTrade(event) && event.thesis && (
          <p class="thesis">
            <bdi>{event.thesis}</bdi>
          </p>
        )}
        {event.__typename === 'StatusEvent' && <Post event={event as StatusEvent} />}
      </div>
    </li>
  );
}

function Deed({ event }: { readonly event: FeedEvent }) {
  if (!isTrade(event)) {
    return <span class="muted">{event.__typename === 'StatusEvent' ? texts.feed.says : texts.feed.joins}</span>;
  }
  const isPurchase = event.__typename === 'BoughtEvent';
  return (
    <>
      <span class={`deed ${isPurchase ? 'up' : 'down'}`}>{isPurchase ? texts.feed.bought : texts.feed.sold}</span>{' '}
      <span class="num">{event.amount}</span> <AgentLink agent={event.agent} address={event.agentAddress} size={0} />{' '}
      <span class="muted">{texts.feed.for}</span> <Amount wei={event.total} usd="none" />
    </>
  );
}

function Post({ event: { text, likeCount, repostCount } }: { readonly event: StatusEvent }) {
  return (
    <>
      <p class="post">
        <bdi>{text}</bdi>
      </p>
      {likeCount + repostCount > 0 && (
        <p class="muted small num">
          {[
            likeCount > 0 && counted(likeCount, texts.feed.like),
            repostCount > 0 && counted(repostCount, texts.feed.repost),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      )}
    </>
  );
}
