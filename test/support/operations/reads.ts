import { parseValue, valueFromASTUntyped } from 'graphql';
import { holder, holding, trend } from '../../../src/features/agents/lists/resource.js';
import { myStats } from '../../../src/features/agents/me/resource.js';
import * as agents from '../../../src/features/agents/resource.js';
import { claimInfo } from '../../../src/features/claims/resource.js';
import * as events from '../../../src/features/feed/resource.js';
import { followEntry, followView } from '../../../src/features/follows/resource.js';
import { notification } from '../../../src/features/notices/resource.js';
import { activeSeason, activeSeasonView, points, season, standing } from '../../../src/features/seasons/resource.js';
import { calibration, calibrationBin, thesisRecord } from '../../../src/features/theses/resource.js';
import { pnlPeriod, pnlStanding } from '../../../src/features/trading/periods/resource.js';
import { pnl, pnlSummary } from '../../../src/features/trading/pnl-resource.js';
import { candle, price, quote, transaction } from '../../../src/features/trading/prices/resource.js';
import { trade } from '../../../src/features/trading/resource.js';
import * as wallets from '../../../src/features/trading/wallet-resource.js';
import type { Resource, View } from '../../../src/server/resources/field.js';
import type { Json } from '../service/graphql.js';
import { shared } from '../service/selections.js';

/** A call of a read on each API, and what it returns. */
export type Call = {
  /** The request of REST, without `/api`. */
  readonly request: string;
  /** The path of GraphQL fields with their arguments. Empty if GraphQL has no such read. */
  readonly graphql: string;
  /** The arguments of the MCP tool. undefined if the tool cannot be called so. */
  readonly args: Json;
  /** The values of `shown`, rows separated by commas. */
  readonly expected: string;
  /** The code of a refusal, in place of `expected`. */
  readonly code: string | undefined;
};
type Options = {
  /** The MCP tool with the same result, if there is one. */
  readonly tool?: string;
  /** The fields that the tool shows, if REST has more. */
  readonly ofTool?: string;
  /** The path of the rows, or of the object, in the answers of REST and MCP. @default the whole answer */
  readonly at?: string;
  /** The GraphQL selection of the fields that REST has, too, under their names in REST. */
  readonly fields?: string;
  /** The fields of a row whose values `expected` lists. */
  readonly shown: string;
};
export type Read = Options & { readonly calls: readonly Call[] };

/** Parses the table of one read: a line for each call, with its columns between bars. `-` stands for an empty column. */
const read =
  (options: Options) =>
  ({ raw: [table = ''] }: TemplateStringsArray): Read => ({
    ...options,
    calls: table
      .trim()
      .split('\n')
      .map((line) => line.split('|').map((column) => column.trim().replace(/^-$/, '')))
      .map(([request = '', graphql = '', args = '', expected = '']) => ({
        request,
        graphql,
        args: args === '' ? undefined : valueFromASTUntyped(parseValue(args)),
        expected,
        code: /^! (\w+)$/.exec(expected)?.[1],
      })),
  });

/** The fields that a view of REST and a resource of GraphQL share. */
const both = (view: object, resource: Resource = view as Resource): string => shared(view as View, resource);
const post = { ...events.statusEvent, fields: events.eventTable };
/** Without `horizon`, whose values have other names in REST. */
const OUTCOME = 'until state hasVerdict followed paid move benchmark excess valueWei';
/** What the tools show of a thesis and of a record. */
const TOLD = {
  thesis: 'id type amount price thesis agentAddress agentName createdAt eligibility confidence',
  record:
    'walletAddress name agentId rank lowerBound calls judgedCalls verdicts followedPercent paidPercent paidAtLeastPercent beyondLuck fakeCostWei soldHalf',
};
const lists = { agents: both(agents.agentCard, agents.agent), follows: both(followView, followEntry) };

/**
 * Every read of REST and MCP, in the market of `populate`, for Bob as the caller. The columns: the request of REST, the path of
 * GraphQL fields, the arguments of the MCP tool, and the expected values, or `!` and the code of a refusal. ADA, BOB, EVE, CODE
 * and THESIS stand for wallets, Eve's verification code and the id of a trade of Bob.
 */
export const reads: readonly Read[] = [
  read({ tool: 'list_agents', at: 'agents', fields: lists.agents, shown: 'name' })`
    /agents                                    | agents > nodes                                          | {}                                  | Eve B, Bob, Ada
    /agents?sort=price                         | agents(sort: PRICE) > nodes                             | {sort: "price"}                     | Bob, Ada, Eve B
    /agents?sort=volume                        | agents(sort: VOLUME) > nodes                            | {sort: "volume"}                    | Ada, Bob, Eve B
    /agents?sort=volume&sortOrder=asc          | agents(sort: VOLUME, sortOrder: ASC) > nodes            | {sort: "volume", sortOrder: "asc"}  | Eve B, Bob, Ada
    /agents?sort=priceChange24h                | agents(sort: PRICE_CHANGE_24H) > nodes                  | {sort: "priceChange24h"}            | Bob, Ada, Eve B
    /agents?sort=priceChange24h&sortOrder=asc  | agents(sort: PRICE_CHANGE_24H, sortOrder: ASC) > nodes  | -                                   | Eve B, Ada, Bob
    /agents?sort=holders&sortOrder=asc         | agents(sort: HOLDERS, sortOrder: ASC) > nodes           | -                                   | Eve B, Ada, Bob
    /agents?sort=supply&limit=1                | agents(sort: SUPPLY, first: 1) > nodes                  | {sort: "supply", limit: 1}          | Bob
    /agents?sort=supply&limit=1&page=2         | -                                                       | {sort: "supply", limit: 1, page: 2} | Ada
    /agents?verified=true                      | agents(verified: true) > nodes                          | {verified: true}                    | Ada
    /agents?verified=false&sort=supply         | agents(verified: false, sort: SUPPLY) > nodes           | {verified: false, sort: "supply"}   | Bob, Eve B
    /agents?verified=false&sort=priceChange24h | agents(verified: false, sort: PRICE_CHANGE_24H) > nodes | -                                   | Bob, Eve B
    /agents?sort=supply                        | agents(sort: SUPPLY) > nodes                            | {sort: "supply"}                    | Bob, Ada, Eve B
    /agents?minPrice=0.0003                    | agents(minPrice: "0.0003") > nodes                      | {minPrice: "0.0003"}                | Bob, Ada
    /agents?maxPrice=0.0003&sort=volume        | agents(maxPrice: "0.0003", sort: VOLUME) > nodes        | -                                   | Eve B
    /agents?maxPrice=0                         | agents(maxPrice: "0") > nodes                           | {maxPrice: "0"}                     | -
    /agents?minHolder=2&maxHolder=2            | agents(minHolder: 2, maxHolder: 2) > nodes              | {minHolder: 2, maxHolder: 2}        | -
    /agents?minSupply=2                        | agents(minSupply: 2) > nodes                            | {minSupply: 2}                      | Bob, Ada
    /agents?name=Eve%20B                       | agents(name: "Eve B") > nodes                           | -                                   | Eve B
    /agents?agentId=bob                        | agents(agentId: "bob") > nodes                          | -                                   | Bob
    /agents?search=B                           | agents(search: "B") > nodes                             | -                                   | Eve B, Bob`,
  read({ at: 'agents', fields: 'id', shown: 'id' })`
    /agents?limit=101 | agents(first: 101) > nodes | - | ! INVALID_QUERY`,
  read({
    tool: 'get_agent',
    at: 'agent',
    fields: both(agents.agentProfile, agents.agent),
    shown: 'name totalSupply holderCount followerCount',
  })`
    /agents/ada    | agent(agentId: "ada")    | {agent: "ada"}    | Ada 4 3 2
    /agents/EVE    | agent(address: "EVE")    | {agent: "EVE"}    | Eve B 1 1 0
    /agents/nobody | agent(agentId: "nobody") | {agent: "nobody"} | ! AGENT_NOT_FOUND`,
  read({ tool: 'get_agent', at: 'agent.holders', fields: both(holder), shown: 'name amount' })`
    /agents/ada | agent(agentId: "ada") > holders > nodes | {agent: "ada"} | Eve B 2, Bob 1, Ada 1`,
  read({ at: 'holdings', fields: both(holding), shown: 'agentName amount' })`
    /agents/bob/holdings    | agent(agentId: "bob") > holdings > nodes    | - | Ada 1
    /agents/nobody/holdings | agent(agentId: "nobody") > holdings > nodes | - | ! AGENT_NOT_FOUND`,
  read({ at: 'holdings', fields: both(holding), shown: 'agentName amount' })`
    /agents/me/holdings | me > agent > holdings > nodes | - | Ada 1`,
  read({ at: 'followers', fields: lists.follows, shown: 'name' })`
    /agents/ada/followers | agent(agentId: "ada") > followers > nodes | - | Eve B, Bob`,
  read({ at: 'followers', fields: lists.follows, shown: 'name' })`
    /agents/me/followers | me > agent > followers > nodes | - | Ada`,
  read({ at: 'following', fields: lists.follows, shown: 'name' })`
    /agents/eve_b/following | agent(agentId: "eve_b") > following > nodes | - | Ada`,
  read({ at: 'following', fields: lists.follows, shown: 'name' })`
    /agents/me/following | me > agent > following > nodes | - | Ada`,
  read({ tool: 'get_trades', at: 'trades', fields: both(trade), shown: 'type amount' })`
    /agents/bob/trades               | agent(agentId: "bob") > trades(first: 50) > nodes | {agent: "bob"}                   | AGENT_SELL 2, AGENT_BUY 3
    /agents/ada/trades?side=received | trades(agent: "ada") > nodes                      | {agent: "ada", side: "received"} | AGENT_SELL 2, AGENT_BUY 2, AGENT_BUY 3
    /agents/ada/trades?side=received&minAmount=3 | trades(agent: "ada", minAmount: 3) > nodes | {agent: "ada", side: "received", minAmount: 3} | AGENT_BUY 3
    /agents/nobody/trades            | agent(agentId: "nobody") > trades > nodes         | {agent: "nobody"}                | ! AGENT_NOT_FOUND`,
  read({ at: 'trades', fields: both(trade), shown: 'type amount' })`
    /agents/me/trades | me > agent > trades > nodes | - | AGENT_SELL 2, AGENT_BUY 3`,
  read({ tool: 'get_trades', at: 'trades', fields: both(trade), shown: 'type amount' })`
    /agents/me/trades?minAmount=3                | me > agent > trades(minAmount: 3) > nodes                | {minAmount: 3}                  | AGENT_BUY 3
    /agents/me/trades?since=2100-01-01T00:00:00Z | me > agent > trades(since: "2100-01-01T00:00:00Z") > nodes | {since: "2100-01-01T00:00:00Z"} | -
    /agents/me/trades?until=2000-01-01T00:00:00Z | me > agent > trades(until: "2000-01-01T00:00:00Z") > nodes | {until: "2000-01-01T00:00:00Z"} | -
    /agents/me/trades?sale=true                  | me > agent > trades(sale: true) > nodes                  | {sale: true}                    | AGENT_SELL 2
    /agents/me/trades?sale=false                 | me > agent > trades(sale: false) > nodes                 | {sale: false}                   | AGENT_BUY 3
    /agents/me/trades?minAmount=0                | trades(minAmount: 0) > nodes                             | -                               | ! INVALID_QUERY
    /agents/me/trades?minAmount=-1               | me > agent > trades(minAmount: -1) > nodes               | -                               | ! INVALID_QUERY`,
  read({ tool: 'get_theses', ofTool: TOLD.thesis, at: 'theses', fields: both(trade), shown: 'thesis amount' })`
    /agents/bob/theses         | agent(agentId: "bob") > theses > nodes           | {agent: "bob"}           | Cheap 3
    /agents/ADA/theses         | agent(address: "ADA") > theses(first: 5) > nodes | {agent: "ADA", limit: 5} | -
    /agents/bob/theses?limit=0 | agent(agentId: "bob") > theses(first: 0) > nodes | -                        | ! INVALID_QUERY
    /agents/nobody/theses      | agent(agentId: "nobody") > theses > nodes        | {agent: "nobody"}        | ! AGENT_NOT_FOUND`,
  read({ at: 'theses', fields: both(trade), shown: 'thesis amount' })`
    /agents/me/theses | me > agent > theses > nodes | - | Cheap 3`,
  read({
    tool: 'get_theses',
    ofTool: TOLD.record,
    at: 'record',
    fields: both(thesisRecord),
    shown: 'rank score calls paidPercent fakeCostWei',
  })`
    /agents/bob/theses | agent(agentId: "bob") > record | {agent: "bob"} | 1 0.068125 46 30 53000000000000000`,
  read({ at: 'calibration', fields: both(calibration), shown: 'calls brier skillPercent' })`
    /agents/bob/theses | agent(agentId: "bob") > record > calibration | - | 1 0.04`,
  read({ at: 'calibration.bins', fields: both(calibrationBin), shown: 'fromPercent calls paidAtLeastPercent' })`
    /agents/bob/theses | agent(agentId: "bob") > record > calibration > bins | - | 1 0, 21 0, 41 0, 61 1 26.98, 81 0`,
  read({
    tool: 'get_thesis_leaderboard',
    ofTool: TOLD.record,
    at: 'leaderboard',
    fields: both(thesisRecord),
    shown: 'rank walletAddress beyondLuck',
  })`
    /theses/leaderboard         | thesisLeaderboard > nodes            | {}         | 1 BOB true
    /theses/leaderboard?limit=1 | thesisLeaderboard(first: 1) > nodes  | {limit: 1} | 1 BOB true
    /theses/leaderboard?page=2  | -                                    | {page: 2}  | -
    /theses/leaderboard?limit=0 | thesisLeaderboard(first: 0) > nodes  | -          | ! INVALID_QUERY`,
  read({ at: 'thesis', fields: both(trade), shown: 'thesis amount' })`
    /theses/THESIS | node(id: "Trade:THESIS") > ... on Trade | - | Cheap 3
    /theses/x      | -                                       | - | ! THESIS_NOT_FOUND`,
  read({ at: 'thesis.outcomes', fields: OUTCOME, shown: 'state hasVerdict followed paid excess' })`
    /theses/THESIS | node(id: "Trade:THESIS") > ... on Trade > outcomes | - | final true true false 0.113222, open, open`,
  read({ tool: 'get_candles', at: 'candles', fields: both(candle), shown: 'close trades' })`
    /agents/ada/candles?interval=1d | candles(agent: "ada", interval: DAY)      | {agent: "ada", interval: "1d"} | 320000000000000 3
    /agents/BOB/candles?limit=1     | agent(agentId: "bob") > candles(first: 1) | {agent: "BOB", limit: 1}       | 720000000000000 2
    /agents/bob/candles?interval=5m | candles(agent: "bob", interval: FIVE_MINUTES) | {agent: "bob", interval: "5m"} | 720000000000000 2
    /agents/nobody/candles          | candles(agent: "nobody")                  | {agent: "nobody"}              | ! AGENT_NOT_FOUND`,
  read({ at: 'candles', fields: both(candle), shown: 'close trades' })`
    /agents/me/candles?interval=1d | me > agent > candles(interval: DAY) | - | 720000000000000 2`,
  read({ tool: 'get_leaderboard', at: 'leaderboard', fields: lists.agents, shown: 'rank name' })`
    /leaderboard?limit=2 | leaderboard(first: 2) > nodes > agent | {limit: 2} | 1 Bob, 2 Ada`,
  read({ at: 'leaderboard', fields: 'rank', shown: 'rank' })`
    /leaderboard | leaderboard(first: 10) > nodes | - | 1, 2, 3`,
  read({ at: 'trending', fields: both(trend), shown: 'rank agent.name' })`
    /trending | trending > nodes | - | 1 Ada, 2 Bob`,
  read({ tool: 'search_agents', at: 'agents', fields: lists.agents, shown: 'name' })`
    /search?q=bo          | search(q: "bo") > nodes            | {query: "bo"}           | Bob
    /search?q=AD&limit=5  | search(q: "AD", first: 5) > nodes  | {query: "AD", limit: 5} | Ada
    /search?q=a           | search(q: "a") > nodes             | {query: "a"}            | ! QUERY_TOO_SHORT
    /search?q=ada&limit=0 | search(q: "ada", first: 0) > nodes | -                       | ! INVALID_QUERY`,
  read({ fields: both(agents.nameAvailability), shown: 'available reason' })`
    /agents/availability?name=Ada   | nameAvailability(name: "Ada")   | - | false taken
    /agents/availability?name=Grace | nameAvailability(name: "Grace") | - | true`,
  read({ fields: 'status isClaimed name agentId walletAddress', shown: 'status name' })`
    /agents/status | me > agent | - | pending_claim Bob`,
  read({ at: 'claim', fields: both(claimInfo), shown: 'status' })`
    /agents/claim-info?code=CODE        | claimInfo(code: "CODE")        | - | pending_claim
    /agents/claim-info?code=CURVET-0000 | claimInfo(code: "CURVET-0000") | - | ! CODE_UNKNOWN`,
  read({ at: 'myStats', fields: both(myStats), shown: 'holderCount totalTickets' })`
    /agents/me | me > stats | - | 3 2`,
  read({ at: 'points', fields: both(points), shown: 'totalPoints' })`
    /agents/me | agent(agentId: "bob") > points | - | 2`,
  read({ tool: 'heartbeat', at: 'myStats', fields: both(myStats), shown: 'holderCount totalTickets' })`
    /heartbeat/status | heartbeat > me > stats | {} | 3 2`,
  read({ at: 'notifications', fields: both(notification), shown: 'type' })`
    /notifications | notifications > nodes | - | POST_LIKED, NEW_FOLLOWER, TICKET_BOUGHT, TICKET_BOUGHT`,
  read({ tool: 'get_pnl', fields: both(pnl), shown: 'summary.totalPnlWei' })`
    /agents/me/pnl | me > pnl | {} | 1097000000000000`,
  read({ tool: 'get_pnl', at: 'summary', fields: both(pnlSummary), shown: 'totalPnlWei' })`
    /agents/ada/pnl    | agent(agentId: "ada") > pnl    | {agent: "ada"}    | 570000000000000
    /agents/nobody/pnl | agent(agentId: "nobody") > pnl | {agent: "nobody"} | ! AGENT_NOT_FOUND`,
  read({ tool: 'get_pnl_history', at: 'periods', fields: both(pnlPeriod), shown: 'totalWei totalAtEndWei trades' })`
    /agents/ada/pnl/periods?period=all       | pnlPeriods(agent: "ada", period: ALL)    | {agent: "ada", period: "all"} | 570000000000000 570000000000000 1
    /agents/BOB/pnl/periods?limit=1          | pnlPeriods(agent: "BOB", first: 1)       | {agent: "BOB", limit: 1}      | 1097000000000000 1097000000000000 2
    /agents/bob/pnl/periods?period=season    | pnlPeriods(agent: "bob", period: SEASON) | {agent: "bob", period: "season"} | 1097000000000000 1097000000000000 2
    /agents/nobody/pnl/periods               | pnlPeriods(agent: "nobody")              | {agent: "nobody"}             | ! AGENT_NOT_FOUND`,
  read({ tool: 'get_pnl_history', at: 'periods', fields: both(pnlPeriod), shown: 'totalWei' })`
    /agents/me/pnl/periods?period=week | pnlPeriods(agent: "bob", period: WEEK) | {period: "week"} | 1097000000000000`,
  read({ at: 'periods', fields: 'start', shown: 'start' })`
    /agents/bob/pnl/periods?limit=101 | pnlPeriods(agent: "bob", first: 101) | - | ! INVALID_QUERY`,
  read({ tool: 'get_pnl_leaderboard', at: 'leaderboard', fields: both(pnlStanding), shown: 'rank name totalWei' })`
    /leaderboard/pnl                                    | pnlLeaderboard > leaderboard                           | {}                               | 1 Bob 1097000000000000, 2 Ada 570000000000000, 3 Eve B -768000000000000
    /leaderboard/pnl?period=all                         | pnlLeaderboard(period: ALL) > leaderboard              | {period: "all"}                  | 1 Bob 1097000000000000, 2 Ada 570000000000000, 3 Eve B -768000000000000
    /leaderboard/pnl?period=season&previous=true        | pnlLeaderboard(period: SEASON, previous: true) > leaderboard | {period: "season", previous: true} | ! SEASON_NOT_FOUND
    /leaderboard/pnl?period=all&previous=true           | pnlLeaderboard(period: ALL, previous: true) > leaderboard | - | ! INVALID_QUERY`,
  read({ fields: both(wallets.etherBalance), shown: 'address' })`
    /agents/me/balance | me > balance | - | BOB`,
  read({ fields: both(wallets.walletBalanceView, wallets.walletBalance), shown: 'totalTickets' })`
    /agent-wallet/balance?agentId=bob    | agentWallet(agentId: "bob") > balance    | - | 2
    /agent-wallet/balance?agentId=nobody | agentWallet(agentId: "nobody") > balance | - | ! AGENT_NOT_FOUND`,
  read({ fields: both(wallets.agentWallet), shown: 'walletAddress walletType' })`
    /agent-wallet/info?agentId=bob    | agentWallet(agentId: "bob")    | - | BOB external
    /agent-wallet/info?agentId=nobody | agentWallet(agentId: "nobody") | - | ! AGENT_NOT_FOUND`,
  read({ fields: 'chainId contractAddress: address overloads', shown: 'chainId overloads fees.protocolBps fees.agentBps' })`
    /contract | contract | - | 84532 true 500 500`,
  read({ tool: 'get_price', fields: both(price), shown: 'amount type price' })`
    /price?agent=ADA&amount=3&slippage=2.5                  | price(agent: "ADA", amount: 3, slippage: 2.5)              | {agent: "ADA", amount: 3, slippagePercent: 2.5}       | 3 buy 1540000000000000
    /price?agent=ADA&amount=2&type=sell                     | price(agent: "ADA", amount: 2, type: SELL)                 | {agent: "ADA", amount: 2, action: "sell"}             | 2 sell 260000000000000
    /price?agent=0x9999999999999999999999999999999999999999 | price(agent: "0x9999999999999999999999999999999999999999") | {agent: "0x9999999999999999999999999999999999999999"} | ! AGENT_NOT_FOUND
    /price?agent=ADA&amount=21                              | price(agent: "ADA", amount: 21)                            | {agent: "ADA", amount: 21}                            | ! INVALID_AMOUNT
    /price?agent=ADA&slippage=51                            | price(agent: "ADA", slippage: 51)                          | -                                                     | ! INVALID_QUERY`,
  read({ tool: 'quote_trade', at: 'transaction', fields: both(transaction), shown: 'from value' })`
    /tickets/quote?action=buy&agent=ADA&amount=1&walletAddress=BOB | quote(action: BUY, agent: "ADA", amount: 1, walletAddress: "BOB") > transaction | {action: "buy", agent: "ADA", amount: 1} | BOB 0x1502634b58000`,
  read({ fields: both(quote), shown: 'action amount totalCost maxCost' })`
    /tickets/quote?action=buy&agent=ADA&amount=1&walletAddress=BOB | quote(action: BUY, agent: "ADA", amount: 1, walletAddress: "BOB") | - | buy 1 0.000352 0.0003696`,
  read({ tool: 'get_feed', at: 'feed', fields: 'id ... on TradeEvent { txHash amount price }', shown: 'type' })`
    /feed                       | feed > nodes                             | {}                             | STATUS, BOUGHT, SOLD, BOUGHT, BOUGHT, BOUGHT, REGISTERED, REGISTERED, REGISTERED
    /feed?type=SOLD             | feed(type: SOLD) > nodes                 | {type: "SOLD"}                 | SOLD
    /feed?sort=likes            | feed(sort: LIKES) > nodes                | {sort: "likes"}                | STATUS
    /feed?agent=ADA             | agent(agentId: "ada") > feed > nodes     | {agent: "ADA"}                 | SOLD, BOUGHT, BOUGHT, REGISTERED
    /feed?type=BOUGHT&agent=BOB | feed(type: BOUGHT, agent: "BOB") > nodes | {type: "BOUGHT", agent: "BOB"} | BOUGHT, BOUGHT`,
  read({ tool: 'get_feed', at: 'feed', fields: both(events.postView, post), shown: 'text likeCount' })`
    /feed?type=STATUS | feed(type: STATUS) > nodes > ... on StatusEvent | {type: "STATUS"} | Hello 1`,
  read({ at: 'seasons', fields: both(season), shown: 'number isActive' })`
    /seasons | seasons > nodes | - | 2 true, 1 false`,
  read({ at: 'season', fields: both(activeSeasonView, season), shown: 'number' })`
    /seasons/active | activeSeason > season | - | 2`,
  read({ at: 'season', fields: both(activeSeasonView, activeSeason), shown: 'daysLeft' })`
    /seasons/active | activeSeason | - | 9`,
  read({ tool: 'get_season', at: 'leaderboard', fields: both(standing), shown: 'rank name totalPoints' })`
    /seasons/leaderboard           | seasonLeaderboard > nodes             | {}           | 1 Ada 4.25, 2 Bob 2
    /seasons/leaderboard?season=1  | seasonLeaderboard(season: 1) > nodes  | {season: 1}  | 1 Bob 3
    /seasons/leaderboard?season=99 | seasonLeaderboard(season: 99) > nodes | {season: 99} | ! SEASON_NOT_FOUND`,
  read({
    tool: 'get_season',
    at: 'leaderboard',
    fields: both(standing),
    shown: 'name withoutLinks.totalPoints withoutLinks.linkedShare withoutLinks.organicVolumeWei',
  })`
    /seasons/leaderboard?order=withoutLinks&limit=5 | seasonLeaderboard(order: WITHOUT_LINKS, first: 5) > nodes | {order: "withoutLinks", limit: 5} | Ada 4.25 0 10000, Bob 1 50 10000
    /seasons/leaderboard?order=rank                 | seasonLeaderboard(order: POINTS, first: 0) > nodes        | -                                 | ! INVALID_QUERY`,
  read({ tool: 'get_possible_links', at: 'links', fields: 'walletAddress signs { weight about text }', shown: 'name signs.kind' })`
    /agents/BOB/links    | possibleLinks(agent: "BOB") > nodes    | {agent: "BOB"}    | Eve B sameBlocks,sameTrades
    /agents/ada/links    | possibleLinks(agent: "ada") > nodes    | {agent: "ada"}    |
    /agents/nobody/links | possibleLinks(agent: "nobody") > nodes | {agent: "nobody"} | ! AGENT_NOT_FOUND`,
  read({ shown: 'changed' })`
    /skill-version | - | - | true`,
];
