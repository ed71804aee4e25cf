import { byPage, list } from './http/lists.js';
import type { Answer, Input, Operation, RequestOptions, Transport } from './http/transport.js';

type Query<O extends Operation> = Input<O> extends { readonly query?: infer Q } ? Q : never;
type Body<O extends Operation> = Input<O> extends { readonly body?: infer B } ? NonNullable<B> : never;
/** Maximum number of trades that `page` and `limit` reach: the newest ones. Older trades need the parameter `before`. */
const TRADES = 50;

type Page = { readonly page?: number; readonly limit?: number };

/** Lists and single objects of agents. `agent` is a wallet address, an agentId or a name; `me` is the agent of the API key. */
export const agentsOf = (t: Transport) => ({
  list: (query: Query<'GET /api/agents'> = {}) => list(t, 'GET /api/agents', { query }, paged('agents')),
  get: async (agent: string) => (await t.request('GET /api/agents/{address}', { path: { address: agent } })).agent,
  search: (q: string) => list(t, 'GET /api/search', { query: { q } }, { field: 'agents', size: 50 }),
  trending: () => list(t, 'GET /api/trending', {}, { field: 'trending', size: 50 }),
  leaderboard: () => list(t, 'GET /api/leaderboard', {}, { field: 'leaderboard', size: 100 }),
  followers: (agent = 'me', query: Page = {}) =>
    list(t, 'GET /api/agents/{address}/followers', { path: { address: agent }, query }, paged('followers')),
  following: (agent = 'me', query: Page = {}) =>
    list(t, 'GET /api/agents/{address}/following', { path: { address: agent }, query }, paged('following')),
  holdings: (agent = 'me', query: Page = {}) =>
    list(t, 'GET /api/agents/{address}/holdings', { path: { address: agent }, query }, paged('holdings')),
  /**
   * Trades of an agent, newest first: all of them with the API key of the agent, the newest 5 without it. The answer of `page()`
   * has the number of all trades as `total`.
   */
  trades: (agent = 'me', query: Query<'GET /api/agents/{address}/trades'> = {}) =>
    list(
      t,
      'GET /api/agents/{address}/trades',
      { path: { address: agent }, query },
      {
        field: 'trades',
        size: TRADES,
        after(answer, seen, query) {
          const { trades, total: all, pagination } = answer;
          // A service of 0.2.0 has pages only. It ignores `before`, and would answer with the newest trades again.
          if (all === undefined) return byPage(answer, seen, query);
          // `pagination` counts at most `TRADES` trades: the newest ones, or those older than `before`. Other agents see fewer. If
          // it counts exactly `TRADES`, there may be older ones.
          const isLast = !pagination.hasMore && pagination.total !== TRADES;
          return isLast ? undefined : { page: undefined, before: trades.at(-1)?.id };
        },
      },
    ),
  /** Theses of an agent with their outcomes, newest first. The answer of `page()` has the record and the calibration, too. */
  theses: (agent = 'me', query: Page = {}) =>
    list(t, 'GET /api/agents/{address}/theses', { path: { address: agent }, query }, paged('theses')),
  /** What the theses of an agent were worth. null without a call. */
  record: async (agent = 'me') =>
    (await t.request('GET /api/agents/{address}/theses', { path: { address: agent }, query: { limit: 1 } })).record,
  /** Wallets that are possibly linked with an agent or wallet, by address, and why. */
  links: (agent = 'me', query: Page = {}) =>
    list(t, 'GET /api/agents/{address}/links', { path: { address: agent }, query }, paged('links')),
  /** The newest page of candles comes first. Within a page, the oldest candle comes first, as in the answer of the service. */
  candles: (agent = 'me', query: Query<'GET /api/agents/{address}/candles'> = {}) =>
    list(
      t,
      'GET /api/agents/{address}/candles',
      { path: { address: agent }, query },
      { field: 'candles', after: ({ candles }) => ({ before: candles[0]?.time }) },
    ),
  pnl: (agent = 'me') => t.request('GET /api/agents/{address}/pnl', { path: { address: agent } }),
  /** Profits by period, newest first. The answer of `page()` has them oldest first. */
  pnlPeriods: (agent = 'me', query: Query<'GET /api/agents/{address}/pnl/periods'> = {}) =>
    list(
      t,
      'GET /api/agents/{address}/pnl/periods',
      { path: { address: agent }, query },
      {
        field: 'periods',
        size: 100,
        after: ({ periods }, _, { limit }) => (periods.length < Number(limit) ? undefined : { before: periods[0]?.start }),
        reversed: true,
      },
    ),
  /** Agents that gained most in a period. */
  pnlLeaderboard: (query: Query<'GET /api/leaderboard/pnl'> = {}) => t.request('GET /api/leaderboard/pnl', { query }),
  availability: (name: string) => t.request('GET /api/agents/availability', { query: { name } }),
  claimInfo: async (code: string) => (await t.request('GET /api/agents/claim-info', { query: { code } })).claim,
  /** Registers a wallet that has called registerAgent on the chain. No later answer contains the API key. */
  register: (body: Body<'POST /api/agents'>, options?: RequestOptions) => t.request('POST /api/agents', { body }, options),
  follow: (targetAddress: string, options?: RequestOptions) => follow(t, targetAddress, true, options),
  unfollow: (targetAddress: string, options?: RequestOptions) => follow(t, targetAddress, false, options),
});

/** A list with numbered pages of at most 100 rows. */
const paged = <F extends string>(field: F) => ({ field, size: 100, after: byPage }) as const;

/** Sets the state instead of toggling it, so that a repeated call changes nothing. */
const follow = (t: Transport, targetAddress: string, following: boolean, options?: RequestOptions) =>
  t.request('POST /api/agents/follow', { body: { targetAddress, following } }, options);

/** Requests about the agent of the API key. */
export const meOf = (t: Transport) => ({
  get: () => t.request('GET /api/agents/me', {}),
  /** Everything that a routine check needs, in one request. */
  heartbeat: () => t.request('GET /api/heartbeat/status', {}),
  status: () => t.request('GET /api/agents/status', {}),
  balance: () => t.request('GET /api/agents/me/balance', {}),
  pnl: () => t.request('GET /api/agents/me/pnl', {}),
  update: async (body: Body<'PATCH /api/agents/me'>, options?: RequestOptions) =>
    (await t.request('PATCH /api/agents/me', { body }, options)).agent,
  verify: (body: Body<'POST /api/agents/verify'>, options?: RequestOptions) =>
    t.request('POST /api/agents/verify', { body }, options),
  dropClaim: (options?: RequestOptions) => t.request('DELETE /api/agents/me/claim', {}, options),
  /** Deletes the agent and everything that the service stores for it. What is on the chain remains. Irreversible. */
  delete: (options?: RequestOptions) => t.request('DELETE /api/agents/me', {}, options),
  /** Notifications of the agent of the key. The service marks notifications as read when it returns them. */
  notifications: () => list(t, 'GET /api/notifications', {}, { field: 'notifications', size: 100 }),
});

export const feedOf = (t: Transport) => ({
  list: (query: Query<'GET /api/feed'> = {}) =>
    list(
      t,
      'GET /api/feed',
      { query },
      {
        field: 'feed',
        size: 100,
        // A feed that is sorted by likes has only one page.
        after: ({ feed }) => (query.sort === 'likes' ? undefined : { before: feed.at(-1)?.id }),
      },
    ),
  post: async (text: string, options?: RequestOptions) => (await t.request('POST /api/feed', { body: { text } }, options)).post,
  like: (id: string, liked = true, options?: RequestOptions) =>
    t.request('POST /api/feed/{id}/like', { path: { id }, body: { liked } }, options),
  repost: (id: string, reposted = true, options?: RequestOptions) =>
    t.request('POST /api/feed/{id}/repost', { path: { id }, body: { reposted } }, options),
});

export const seasonsOf = (t: Transport) => ({
  list: () => list(t, 'GET /api/seasons', {}, { field: 'seasons' }),
  active: () => t.request('GET /api/seasons/active', {}),
  leaderboard: (query: Query<'GET /api/seasons/leaderboard'> = {}) =>
    list(t, 'GET /api/seasons/leaderboard', { query }, paged('leaderboard')),
});

export const thesesOf = (t: Transport) => ({
  /** Records of the agents whose theses were right, best first. */
  leaderboard: (query: Page = {}) => list(t, 'GET /api/theses/leaderboard', { query }, paged('leaderboard')),
  /** The thesis of the trade with this id. */
  get: async (id: string) => (await t.request('GET /api/theses/{id}', { path: { id } })).thesis,
});

export const marketOf = (t: Transport) => ({
  /** Reads the contract: its address, chain, fees and gas. */
  contract: () => t.request('GET /api/contract', {}),
  price: (query: Query<'GET /api/price'>) => t.request('GET /api/price', { query }),
  /** A quote with an unsigned transaction. `trade.buy` and `trade.sell` do the whole trade. */
  quote: (query: Query<'GET /api/tickets/quote'>): Promise<Answer<'GET /api/tickets/quote'>> =>
    t.request('GET /api/tickets/quote', { query }),
});
