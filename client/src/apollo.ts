import { ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { print, relayStylePagination } from '@apollo/client/utilities';
import { backoff } from './http/clock.js';
import { subscribe } from './http/event-stream.js';
import { Transport, type TransportOptions } from './http/transport.js';

export type CurvetLinkOptions = Pick<TransportOptions, 'apiKey' | 'baseUrl' | 'clock' | 'fetch'>;

/** Requests that were refused for now are repeated this often, and not if the service asks for a longer wait. */
const MAX = { retries: 4, waitSeconds: 60 };

const events = ['BoughtEvent', 'RegisteredEvent', 'SoldEvent', 'StatusEvent'];
const possibleTypes = {
  FeedEvent: events,
  Node: [...events, 'Agent', 'Me', 'Notification', 'Season', 'Trade'],
  TradeEvent: ['BoughtEvent', 'SoldEvent'],
};

/** The lists that page with `after`, by the type that has them. */
const lists: Readonly<Record<string, readonly string[]>> = {
  Agent: ['feed', 'followers', 'following', 'holders', 'holdings', 'referrals', 'trades'],
  Me: ['notifications'],
  Query: [
    'agents',
    'feed',
    'leaderboard',
    'notifications',
    'search',
    'seasonLeaderboard',
    'seasons',
    'socialActs',
    'trades',
    'trending',
  ],
  Season: ['leaderboard'],
};
const paging = ['first', 'after', 'markRead'];
/** Pages with the same values of the other arguments, which choose or order the rows, are one list in the cache. */
const pages = () => relayStylePagination((args) => Object.keys(args ?? {}).filter((name) => !paging.includes(name)));

/**
 * A cache that knows the interfaces and lists of the graph. `fetchMore` with `after` appends a page to `edges` of a list; `nodes`
 * has the last page only.
 */
export function curvetCache(): InMemoryCache {
  const typePolicies = Object.entries(lists).map(([type, names]) => {
    return [type, { fields: Object.fromEntries(names.map((name) => [name, pages()])) }];
  });
  return new InMemoryCache({ possibleTypes, typePolicies: Object.fromEntries(typePolicies) });
}

/**
 * Sends queries and mutations over HTTP, and repeats those that are answered 429 or 503 after `Retry-After`. Subscriptions are
 * Server-Sent Events. They reconnect after a break and continue after the last event. A key that is refused is not sent again: its
 * agent was deleted, or the key was replaced, and a page that stays open would send it for ever.
 */
export function curvetLink(options: CurvetLinkOptions): ApolloLink {
  const { fetch } = new Transport(options);
  const transport: Transport = new Transport({
    ...options,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (response.status === 401) transport.apiKey = undefined;
      return response;
    },
  });
  const http = new HttpLink({
    uri: `${transport.baseUrl}/graphql`,
    fetch: repeating(transport),
    // A redirect could take the key to another host.
    fetchOptions: { redirect: 'error' },
  });
  const live = new ApolloLink(({ query, variables }) => {
    return new Observable<ApolloLink.Result>((observer) => {
      const end = new AbortController();
      const results = subscribe(transport, print(query), { variables, signal: end.signal });
      const deliver = async () => {
        for await (const result of results) observer.next(result);
        observer.complete();
      };
      deliver().catch((error: unknown) => observer.error(error));
      return () => end.abort();
    });
  });
  return ApolloLink.split(({ operationType }) => operationType === 'subscription', live, http);
}

const repeating =
  (transport: Transport): typeof globalThis.fetch =>
  async (input, init) => {
    const { clock } = transport;
    for (let retry = 0; ; retry++) {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(transport.headers())) headers.set(name, value);
      const response = await transport.fetch(input, { ...init, headers });
      // null, for a missing header, is 0.
      const seconds = Number(response.headers.get('retry-after'));
      const isPassing = [429, 503].includes(response.status) && seconds > 0 && seconds <= MAX.waitSeconds;
      if (!isPassing || retry === MAX.retries) return response;
      await response.body?.cancel();
      await clock.sleep(seconds * 1000 + backoff(retry, clock), init?.signal ?? undefined);
    }
  };
