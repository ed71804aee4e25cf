import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql/document.js';
import { useKept } from '../use-kept.js';
import { useLater } from '../use-later.js';
import { type FeedEvent, feedEvent } from './event.js';

const liveFeed = graphql(
  `
  subscription LiveFeed($agent: AgentRef) {
    feedEvent(agent: $agent) {
      sequence
      kind
      eventId
      event { ...feedEvent }
    }
  }
`,
  [feedEvent],
);
/** Reads the newest events, to find those that happened between the page's query and the start of the stream. */
const feedHead = graphql(
  `
  query LiveFeedHead($agent: AgentRef, $type: FeedType) {
    feed(first: 6, agent: $agent, type: $type) {
      nodes { ...feedEvent }
    }
  }
`,
  [feedEvent],
);
/**
 * Pause in milliseconds between the start of the stream and the comparison with the newest events. Caches and read replicas may
 * answer with data from 2 seconds ago (docs/caching.md), so an earlier comparison could miss events. The rest is a margin.
 */
const COMPARE_MS = 7000;

export type FeedType = NonNullable<VariablesOf<typeof feedHead>['type']>;
const TYPE_NAMES = {
  BOUGHT: 'BoughtEvent',
  SOLD: 'SoldEvent',
  STATUS: 'StatusEvent',
  REGISTERED: 'RegisteredEvent',
} as const satisfies Record<FeedType, FeedEvent['__typename']>;

type Change = ResultOf<typeof liveFeed>['feedEvent'];

export type LiveFeed = {
  /** Events of the list, newest first, without those that were removed since. */
  readonly events: readonly FeedEvent[];
  /** Events that arrived after the list was read, newest first. They wait until the reader asks for them, so that nothing moves. */
  readonly waiting: readonly FeedEvent[];
  /** Moves the waiting events into the list. */
  readonly show: () => void;
};

/** What live events have added to the events of the page's query, and what they have removed. */
type State = {
  /** Events that the reader has moved into the list. */
  readonly shown: readonly FeedEvent[];
  readonly waiting: readonly FeedEvent[];
  /** Ids of events that the service has removed, for example after a reorg. */
  readonly gone: ReadonlySet<string>;
};
const EMPTY: State = { shown: [], waiting: [], gone: new Set() };

type Options = {
  /** Only events of the agent with this wallet address. */
  readonly agent?: string;
  /** Only events of this type. */
  readonly type?: FeedType;
  /** Name under which `useKept` stores the live events for Back. Without a name, they are not stored. */
  readonly name?: string;
  /** Called with each new event, in order. */
  readonly onEvent?: (event: FeedEvent) => void;
  /** Called if events were missed. The page must then read its lists again. */
  readonly onGap: () => void;
};

/** Keeps a feed up to date with live events. `read` has the events of the page's query, newest first. */
export function useLiveFeed(read: readonly FeedEvent[] | undefined, { agent, type, name, onEvent, onGap }: Options): LiveFeed {
  const { connection } = useApp();
  const [state, setState] = useKept(name, EMPTY);
  const known = useMemo(() => new Set(read?.map(({ id }) => id)), [read]);
  const latest = useRef({ onEvent, onGap, known, state });
  latest.current = { onEvent, onGap, known, state };
  const compare = useLater(async () => {
    const { nodes: events } = (await connection.query(feedHead, { agent: agent ?? null, type: type ?? null })).feed;
    // The component may have rendered again since the request, so the values of its latest render count.
    const { known, state, onGap } = latest.current;
    const had = new Set([...known, ...state.gone, ...[...state.shown, ...state.waiting].map(({ id }) => id)]);
    const missed = events.filter(({ id }) => !had.has(id));
    // If the list lacks all of these events, it may lack even older ones, which this answer does not contain. So the whole list
    // must be read again.
    if (missed.length === events.length && known.size > 0) {
      if (missed.length > 0) onGap();
      return;
    }
    for (const event of missed.toReversed()) latest.current.onEvent?.(event);
    setState((before) => ({ ...before, waiting: newestFirst([...missed, ...before.waiting]) }));
  }, COMPARE_MS);
  useEffect(() => {
    let isCompared = false;
    return connection.watch(
      liveFeed,
      { agent: agent ?? null },
      {
        gap: () => {
          isCompared = false;
          latest.current.onGap();
        },
        state: (now) => {
          if (now !== 'open' || isCompared) return;
          isCompared = true;
          compare();
        },
        next: ({ feedEvent: change }) => {
          if (change.event && type && change.event.__typename !== TYPE_NAMES[type]) return;
          if (change.event) latest.current.onEvent?.(change.event);
          setState((before) => after(before, change));
        },
      },
    );
  }, [connection, agent, type, compare]);
  const isNew = ({ id }: FeedEvent): boolean => !known.has(id) && !state.gone.has(id);
  return {
    events: [...state.shown.filter(isNew), ...(read ?? []).filter(({ id }) => !state.gone.has(id))],
    waiting: state.waiting.filter(isNew),
    show: () => setState(({ shown, waiting, gone }) => ({ shown: [...waiting, ...shown], waiting: [], gone })),
  };
}

/** Sorts events newest first and removes duplicates: the stream may deliver an event that a read returned, too. */
const newestFirst = (events: readonly FeedEvent[]): FeedEvent[] =>
  [...new Map(events.map((event) => [event.id, event])).values()].toSorted(
    (a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );

/** The state after a live event. An event that the service sends again after its removal is no longer gone. */
function after({ shown, waiting, gone }: State, { kind, eventId: id, event }: Change): State {
  if (kind === 'REMOVED') return { shown, waiting, gone: new Set([...gone, id]) };
  const others = new Set(gone);
  others.delete(id);
  return { shown, waiting: event ? [event, ...waiting.filter((one) => one.id !== id)] : waiting, gone: others };
}
