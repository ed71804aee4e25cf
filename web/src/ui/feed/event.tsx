import { counted } from '../../format/number.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { texts } from '../../texts.js';
import { AgentLink, type AgentName, agentName } from '../agent/agent-link.js';
import { Identicon } from '../agent/identicon.js';
import { Amount } from '../figure/amount.js';
import { Time } from '../figure/time.js';
import { Late, outcome, Verdict } from './verdict.js';

/** The fields of an event that `FeedRow` shows. Queries include this fragment. */
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
      eligibility
      latestOutcome { ...outcome }
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
  [agentName, outcome],
);
export type FeedEvent = ResultOf<typeof feedEvent>;
type TradeEvent = Extract<FeedEvent, { __typename: 'BoughtEvent' | 'SoldEvent' }>;
type StatusEvent = Extract<FeedEvent, { __typename: 'StatusEvent' }>;

const isTrade = (event: FeedEvent): event is TradeEvent => event.__typename === 'BoughtEvent' || event.__typename === 'SoldEvent';

/** The agent that registered, traded or posted, and its wallet. */
const actorOf = (event: FeedEvent): { readonly agent: AgentName | null; readonly address: string } =>
  isTrade(event) ? { agent: event.trader, address: event.traderAddress } : { agent: event.agent, address: event.agentAddress };

/** The event in one sentence, for places without room for a row. */
export function sentence(event: FeedEvent): string {
  const { agent, address } = actorOf(event);
  const actor = agent?.name ?? address.slice(0, 8);
  if (!isTrade(event)) return texts.feed[event.__typename === 'StatusEvent' ? 'posted' : 'joined'](actor);
  const verb = event.__typename === 'BoughtEvent' ? texts.feed.bought : texts.feed.sold;
  return `${actor} ${verb} ${event.amount} ${event.agent?.name ?? event.agentAddress.slice(0, 8)}`;
}

/** Events that the feed shows in one row: one event, or trades of the same wallet in the same tickets that follow each other. */
export type Group = readonly [FeedEvent, ...FeedEvent[]];

/**
 * Whether two events can share a row: trades of the same kind, by the same wallet, in the same tickets. A trade with a reason has
 * its own row, which shows the reason.
 */
const isRepeat = (one: FeedEvent, other: FeedEvent): boolean =>
  isTrade(one) &&
  isTrade(other) &&
  one.__typename === other.__typename &&
  one.traderAddress === other.traderAddress &&
  one.agentAddress === other.agentAddress &&
  !one.thesis &&
  !other.thesis;

export function groupsOf(events: readonly FeedEvent[]): readonly Group[] {
  const groups: [FeedEvent, ...FeedEvent[]][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last && isRepeat(last[0], event)) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

const totalOf = (group: Group): bigint => group.filter(isTrade).reduce((sum, { total }) => sum + BigInt(total), 0n);

/** The largest amount that one of these rows paid or received. The bars of all rows are drawn in proportion to it. */
export const largestOf = (groups: readonly Group[]): bigint =>
  groups.map(totalOf).reduce((most, total) => (total > most ? total : most), 0n);

type Props = {
  readonly group: Group;
  /** The amount at which the bar of a row has its full width. */
  readonly largest: bigint;
};

/** One row of a feed: who did what, why, for how much, and when. */
export function FeedRow({ group, largest }: Props) {
  const [event, ...repeats] = group;
  const { agent, address } = actorOf(event);
  const trades = group.filter(isTrade);
  return (
    <li class="feed-row">
      <Identicon address={address} size={32} />
      <div class="what">
        <p class="line">
          <AgentLink agent={agent} address={address} size={0} /> <Deed event={event} trades={trades} />
        </p>
        {isTrade(event) && event.thesis && (
          <p class="thesis">
            <bdi>{event.thesis}</bdi>
            <Late if={event.eligibility} /> {event.latestOutcome && <Verdict of={event.latestOutcome} isDated />}
          </p>
        )}
        {event.__typename === 'StatusEvent' && (
          <p class="post">
            <bdi>{(event as StatusEvent).text}</bdi>
          </p>
        )}
        {repeats.length > 0 && <Repeats trades={trades} />}
      </div>
      <p class="meta">
        {isTrade(event) && <Paid total={totalOf(group)} {...{ largest }} isPurchase={event.__typename === 'BoughtEvent'} />}
        {event.__typename === 'StatusEvent' && <Reactions event={event as StatusEvent} />}
        <span class="when">
          <Time at={event.createdAt} />
        </span>
      </p>
    </li>
  );
}

function Deed({ event, trades }: { readonly event: FeedEvent; readonly trades: readonly TradeEvent[] }) {
  if (!isTrade(event)) {
    return <span class="muted">{event.__typename === 'StatusEvent' ? texts.feed.says : texts.feed.joins}</span>;
  }
  const isPurchase = event.__typename === 'BoughtEvent';
  return (
    <>
      <span class={`deed ${isPurchase ? 'up' : 'down'}`}>{isPurchase ? texts.feed.bought : texts.feed.sold}</span>{' '}
      <span class="num">{trades.reduce((sum, { amount }) => sum + amount, 0)}</span>{' '}
      <AgentLink agent={event.agent} address={event.agentAddress} size={0} />
    </>
  );
}

/** The trades of a row that has several, newest first. */
function Repeats({ trades }: { readonly trades: readonly TradeEvent[] }) {
  return (
    <details class="repeats">
      <summary>{texts.feed.repeats(trades.length)}</summary>
      <ul>
        {trades.map(({ id, amount, total, createdAt }) => (
          <li key={id} class="num">
            {amount} <span class="muted">{texts.feed.for}</span> <Amount wei={total} usd="none" />{' '}
            <span class="muted">
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

type PaidProps = { readonly total: bigint; readonly largest: bigint; readonly isPurchase: boolean };

/** The amount that was paid or received, with a bar that compares it with the largest row of the feed. */
function Paid({ total, largest, isPurchase }: PaidProps) {
  const width = Math.max(1, Number((total * 100n) / (largest || 1n)));
  return (
    <span class="paid">
      <Amount wei={total} usd="none" />
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="track" width="100" height="4" />
        <rect class={isPurchase ? 'up' : 'down'} width={width} height="4" />
      </svg>
    </span>
  );
}

function Reactions({ event: { likeCount, repostCount } }: { readonly event: StatusEvent }) {
  const parts = [likeCount > 0 && counted(likeCount, texts.feed.like), repostCount > 0 && counted(repostCount, texts.feed.repost)];
  return <span class="muted num">{parts.filter(Boolean).join(' · ')}</span>;
}
