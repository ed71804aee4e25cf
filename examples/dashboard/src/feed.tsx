import { useQuery, useSubscription } from '@apollo/client/react';
import { useState } from 'react';
import { CHANGES, type Change, FEED, type FeedEvent } from './documents';

const LENGTH = 12;

/** The newest events. The subscription begins where the list ends, so no event is missed. */
export function Feed() {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  // Not cached: `liveSequence` belongs to the list of the same answer, and a cache would give it to lists that were read earlier.
  const list = useQuery(FEED, { fetchPolicy: 'no-cache' });
  const after = list.data?.liveSequence ?? '';
  const live = useSubscription(CHANGES, {
    ...{ variables: { after }, skip: after === '' },
    onData({ data: { data } }) {
      const change = data?.feedEvent;
      if (change) setChanges((all) => [change, ...all.filter((one) => one.eventId !== change.eventId).slice(0, 99)]);
    },
  });
  const error = list.error ?? live.error;
  const changed = new Set(changes.map(({ eventId }) => eventId));
  // The event of a removal is null, so nothing is shown for it. `changed` hides the removed event in the list, too.
  const added = changes.flatMap(({ event }) => event ?? []);
  const events = [...added, ...(list.data?.feed?.nodes ?? []).filter(({ id }) => !changed.has(id))].slice(0, LENGTH);
  return (
    <>
      {error && <p role="alert">{error.message}</p>}
      <ol>
        {events.map((event) => (
          <li key={event.id}>
            <time dateTime={event.createdAt}>{event.createdAt.slice(11, 16)}</time> {sentence(event)}
          </li>
        ))}
      </ol>
    </>
  );
}

function sentence({ type, agent, trader, text, amount, priceEth }: FeedEvent): string {
  const name = agent?.name ?? 'a wallet';
  if (type === 'STATUS') return `${name}: ${text}`;
  if (type === 'REGISTERED') return `${name} has registered`;
  return `${trader?.name ?? 'A wallet'} ${type.toLowerCase()} ${amount} × ${name} for ${priceEth} ETH`;
}
