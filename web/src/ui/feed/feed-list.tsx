import { counted } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Empty } from '../problem-view.js';
import { Bar } from '../skeleton.js';
import { FeedRow, groupsOf, largestOf, sentence } from './event.js';
import type { LiveFeed } from './use-live-feed.js';

/** A live feed. New events wait in a line of constant height above it, until a click of the reader adds them. */
export function FeedList({ feed, isLoading, rows, missed }: Props) {
  const { events, waiting, show } = feed;
  const [newest] = waiting;
  // The oldest event identifies a row (its `key` below), because a new trade joins its row at the front.
  const groups = groupsOf(events);
  const largest = largestOf(groups);
  return (
    <div class="feed" aria-busy={isLoading}>
      <div class="feed-news">
        {missed ? (
          <button type="button" onClick={missed}>
            <span class="chip">{texts.feed.missed}</span>
          </button>
        ) : newest ? (
          <button type="button" onClick={show}>
            <span class="chip">{counted(waiting.length, texts.feed.newOne, texts.feed.newMany)}</span>
            <span class="latest">
              <bdi>{sentence(newest)}</bdi>
            </span>
          </button>
        ) : (
          <span class="muted">{isLoading ? texts.common.loading : texts.feed.upToDate}</span>
        )}
      </div>
      {!isLoading && events.length === 0 && <Empty>{texts.feed.empty}</Empty>}
      <ol>
        {isLoading
          ? Array.from({ length: rows }, (_, i) => <Placeholder key={i} index={i} />)
          : groups.map((group) => <FeedRow key={group.at(-1)?.id} {...{ group, largest }} />)}
      </ol>
    </div>
  );
}

type Props = {
  readonly feed: LiveFeed;
  readonly isLoading: boolean;
  /** Number of placeholder rows while the feed is loading. */
  readonly rows: number;
  /** Reads the newest events. It is set only if live events were missed. */
  readonly missed?: (() => void) | undefined;
};

function Placeholder({ index }: { readonly index: number }) {
  return (
    <li class="feed-row" aria-hidden="true">
      <span class="bar round" />
      <div class="what">
        <p class="line">
          <Bar width={22 - (index % 4) * 2} />
        </p>
        <p class="thesis">
          <Bar width={30 - (index % 3) * 5} />
        </p>
      </div>
    </li>
  );
}
