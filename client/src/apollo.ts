import { ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { print, relayStylePagination } from '@apollo/client/utilities';
import { backoff } from './http/clock.js';
import { subscribe } from './http/event-stream.js';
import { Transport, type TransportOptions } from './http/transport.js';

export type CurvetLinkOptions = Pick<TransportOptions, 'apiKey' | 'baseUrl' | 'clock' | 'fetch'>;

/**
 * A request that is answered 429 or 503 is repeated at most `retries` times, and only if `Retry-After` is at most `waitSeconds`.
 */
const MAX = { retries: 4, waitSeconds: 60 };

const events = ['BoughtEvent', 'RegisteredEvent', 'SoldEvent', 'StatusEvent'];
const possibleTypes = {
  FeedEvent: events,
  Node: [...events, 'Agent', 'Me', 'Notification', 'Season', 'Trade'],
  TradeEvent: ['BoughtEvent', 'SoldEvent'],
};

/** The list fields that page with the argument `after`, by the GraphQL type that has them. */
const lists: Readonly<Record<string, readonly string[]>> = {
  Agent: ['feed', 'followers', 'following', 'holders', 'holdings', 'referrals', 'theses', 'trades'],
  Me: ['notifications'],
  Query: [
    'agents',
    'feed',
    'leaderboard',
    'notifications',
    'possibleLinks',
    'search',
    'seasonLeaderboard',
    'seasons',
    'socialActs',
    'thesisLeaderboard',
    'trades',
    'trending',
  ],
  Season: ['leaderboard'],
};
const paging = ['first', 'after', 'markRead'];
/** Pages that differ only in the arguments in `paging` are one list in the cache. Other arguments choose or order the rows. */
const pages = () => relayStylePagination((args) => Object.keys(args ?? {}).filter((name) => !paging.includes(name)));

/**
 * An Apollo cache that knows the interfaces and the paged lists of the GraphQL schema. `fetchMore` with `after` appends a page to
 * the `edges` of a list. Its `nodes` has the last page only.
 */
export function curvetCache(): InMemoryCache {
  const typePolicies = Object.entries(lists).map(([type, names]) => {
    return [type, { fields: Object.fromEntries(names.map((name) => [name, pages()])) }];
  });
  return new InMemoryCache({ possibleTypes, typePolicies: Object.fromEntries(typePolicies) });
}

/**
 * Sends queries and mutations over HTTP, and repeats those that are answered 429 or 503 after `Retry-After`. Subscriptions are
 * Server-Sent Events: they reconnect after a break and continue after the last event. An API key that is answered 401 is not sent
 * again, because its agent was deleted or the key was replaced, and a page that stays open would send it for ever.
 */
export function curvetLink(options: CurvetLinkOptions): ApolloLink {
  // This transport only supplies `fetch`: the one in the options, or the global one. The next transport wraps it.
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
    // Refuses redirects, because a redirect could take the API key to another host.
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
      // `get` returns null for a missing header. Number(null) is 0, so the request is then not repeated.
      const seconds = Number(response.headers.get('retry-after'));
      const isPassing = [429, 503].includes(response.status) && seconds > 0 && seconds <= MAX.waitSeconds;
      if (!isPassing || retry === MAX.retries) return response;
      await response.body?.cancel();
      await clock.sleep(seconds * 1000 + backoff(retry, clock), init?.signal ?? undefined);
    }
  };
