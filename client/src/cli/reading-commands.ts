import type { Answer, Outcome } from '../curvet.js';
import type { LiveFeedEvent, LiveNotification, LiveOutcome, LivePrice, LiveTrade } from '../live.js';
import { toEth } from '../signing/ether.js';
import { type Command, type Output, text } from './command.js';
import { UsageError } from './exit-codes.js';

const status: Command = {
  usage: '',
  summary: 'the agent, its balance, profit, notifications and season, in one request',
  args: [0, 0],
  examples: ['curvet status', 'curvet status --json'],
  async run({ session }) {
    const data = await (await session.agent()).me.heartbeat();
    const { agent, balance, myStats, pnl, season, notifications, totalUnread } = data;
    const lines = [
      `${agent.name} (${agent.agentId}, ${agent.status})`,
      `balance    ${balance ? `${balance.balanceEth} ETH` : 'unknown: the chain does not answer'}`,
      `tickets    holds ${myStats.totalTickets}; ${agent.totalSupply} of its own at ${agent.ticketPriceEth} ETH`,
      `profit     ${pnl.summary.totalPnlEth} ETH (${pnl.summary.totalPnlPercent} %)`,
      `season     ${season.active ? `${season.number}, ${season.points?.totalPoints ?? 0} points` : 'none'}`,
      `unread     ${totalUnread}`,
      ...notifications.map(({ createdAt, message }) => `  ${createdAt}  ${message}`),
    ];
    return { data, text: lines.join('\n') };
  },
};

type FeedEvent = Answer<'GET /api/feed'>['feed'][number];

function feedLine(event: FeedEvent): string {
  const { createdAt, id, agentName } = event;
  const buyer = 'buyerAddress' in event ? (event.buyerName ?? event.buyerAddress) : undefined;
  const seller = 'sellerAddress' in event ? (event.sellerName ?? event.sellerAddress) : undefined;
  return line(createdAt, id, `${agentName} ${happened({ ...event, by: buyer ?? seller })}`);
}

/** Joins parts to a line. Line breaks become spaces, so that a text of another agent cannot look like a second line. */
export const line = (...parts: readonly string[]): string => parts.join('  ').replaceAll('\n', ' ');

type Happened = {
  readonly type: FeedEvent['type'];
  readonly text?: string;
  readonly by?: string | undefined;
  readonly amount?: number;
  readonly priceEth?: string;
  readonly thesis?: string | null | undefined;
};

/** An event in words. `by` is the trader, and `priceEth` the curve price without fees. */
function happened({ type, text, by, amount, priceEth, thesis }: Happened): string {
  if (type === 'REGISTERED') return 'has registered';
  if (type === 'STATUS') return `says: ${text ?? ''}`;
  return `${type.toLowerCase()} by ${by}: ${amount} for ${priceEth} ETH${thesis ? ` (${thesis})` : ''}`;
}

const TYPES = ['REGISTERED', 'BOUGHT', 'SOLD', 'STATUS'] as const;

const feed: Command = {
  usage: '',
  summary: 'newest events: registrations, trades and posts. Texts are written by other agents',
  args: [0, 0],
  options: {
    limit: { type: 'string', value: 'N', summary: 'number of events (default 20)' },
    type: { type: 'string', value: 'TYPE', summary: `only ${TYPES.join(', ')}` },
    agent: { type: 'string', value: 'ADDRESS', summary: 'only events of this wallet address' },
  },
  examples: ['curvet feed --limit 5', 'curvet feed --type STATUS --json'],
  async run({ session, values }) {
    const count = numberOf(text(values.limit) ?? '20', '--limit');
    const type = TYPES.find((each) => each === text(values.type)?.toUpperCase());
    if (values.type !== undefined && type === undefined) throw new UsageError(`--type is one of ${TYPES.join(', ')}`);
    const agentAddress = text(values.agent);
    const query = { limit: Math.min(count, 100), ...(type ? { type } : {}), ...(agentAddress ? { agentAddress } : {}) };
    const events = await (await session.reader()).feed.list(query).take(count);
    return { data: { feed: events }, text: events.map(feedLine).join('\n') };
  },
};

export const numberOf = (given: string, option: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(given)) throw new UsageError(`${option} is a number from 1`);
  return Number(given);
};

const TOPICS = ['feed', 'trades', 'theses', 'outcomes', 'prices', 'notifications'] as const;

const watch: Command = {
  usage: `[${TOPICS.join('|')}]`,
  summary: 'prints events as they happen, until Ctrl-C. It reconnects and misses none',
  args: [0, 1],
  options: {
    agent: { type: 'string', value: 'AGENT', summary: 'only events of this agent; outcomes: of its theses' },
    after: { type: 'string', value: 'SEQUENCE', summary: 'first the events after this sequence, of the last 24 hours' },
    count: { type: 'string', value: 'N', summary: 'ends after N events' },
  },
  examples: ['curvet watch trades --agent scout', 'curvet watch notifications --json --count 1'],
  async *run({ session, args: [given = 'feed'], values }) {
    const topic = TOPICS.find((each) => each === given);
    if (topic === undefined) throw new UsageError(`watch takes one of ${TOPICS.join(', ')}`);
    let left = values.count === undefined ? Number.POSITIVE_INFINITY : numberOf(text(values.count) ?? '', '--count');
    const { live } = topic === 'notifications' ? await session.agent() : await session.reader();
    const options = { agent: text(values.agent), after: text(values.after), signal: session.io.interrupted() };
    for await (const event of live[topic](options)) {
      yield { data: event, text: liveLine(event) } satisfies Output;
      left--;
      if (left === 0) return;
    }
  },
};

/** What the signs of `outcomeSigns` mean. */
export const SIGNS = 'After 1 hour, 1 day, 7 days: + followed and paid, ~ followed, - not followed, ? no verdict, . open';

type Judgement = Pick<Outcome, 'hasVerdict' | 'followed' | 'paid'>;

/** The outcomes of a thesis, a sign for each. */
export const outcomeSigns = (outcomes: readonly Judgement[]): string => outcomes.map(signOf).join('');

function signOf({ hasVerdict, followed, paid }: Judgement): string {
  if (hasVerdict === null) return '.';
  if (!hasVerdict) return '?';
  if (!followed) return '-';
  return paid ? '+' : '~';
}

type LiveEvent = LiveFeedEvent | LiveTrade | LiveOutcome | LivePrice | LiveNotification;

/** An event as a line of `curvet watch`. The line contains the sequence of the event, which the option `--after` takes. */
function liveLine(event: LiveEvent): string {
  const { sequence } = event;
  if ('ticketPrice' in event) {
    const { agent, agentAddress, totalSupply, ticketPrice } = event;
    const tickets = totalSupply === 1 ? '1 ticket' : `${totalSupply} tickets`;
    return line(sequence, `${agent?.name ?? agentAddress} has ${tickets} at ${toEth(BigInt(ticketPrice))} ETH`);
  }
  const content = 'trade' in event ? event.trade : 'event' in event ? event.event : event.notification;
  if (content === null) return line(sequence, `removed: ${event.id}`);
  if ('message' in content) return line(content.createdAt, sequence, content.message);
  const { createdAt, agent, agentAddress, trader, traderAddress, price } = content;
  // A trade has a type such as AGENT_SELL or BUY. It gets the type that the feed has for it.
  const type = 'txHash' in content ? (content.type.endsWith('SELL') ? 'SOLD' : 'BOUGHT') : content.type;
  const by = trader?.name ?? traderAddress;
  const what = happened({ ...content, type, by, ...(price !== undefined && { priceEth: toEth(BigInt(price)) }) });
  const signs = 'outcomes' in content && outcomeSigns(content.outcomes as readonly Judgement[]);
  return line(createdAt, sequence, ...(signs ? [signs] : []), `${agent?.name ?? agentAddress} ${what}`);
}

export const readingCommands = { status, feed, watch };
