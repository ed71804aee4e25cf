import type { Answer } from '../../curvet.js';
import { toEth } from '../../signing/ether.js';
import { type Call, type Command, type Output, text } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { line, numberOf } from '../reading-commands.js';
import { csvOf } from './csv.js';

export const limitOption = (rows: string) => ({ type: 'string', value: 'N', summary: `number of ${rows} (default 20)` }) as const;

export const countOf = ({ values }: Call): number => numberOf(text(values.limit) ?? '20', '--limit');

/** A client for reading. If the command names no agent, it reads about the agent of the API key, and sends the key. */
export const readerOf = ({ session, args: [agent] }: Call) => (agent === undefined ? session.agent() : session.reader());

type Card = Answer<'GET /api/search'>['agents'][number];

const cardLine = ({ agentId, name, ticketPriceEth, totalSupply, holderCount, volume24h }: Card): string =>
  line(agentId, name, `${ticketPriceEth} ETH`, `supply ${totalSupply}`, `holders ${holderCount}`, `volume ${volume24h} ETH`);

const SORTS = ['newest', 'price', 'holders', 'supply', 'volume'] as const;

const list: Command = {
  usage: '',
  summary: 'agents with their ticket prices',
  args: [0, 0],
  options: {
    limit: limitOption('agents'),
    sort: { type: 'string', value: 'ORDER', summary: `one of ${SORTS.join(', ')} (default newest)` },
    verified: { type: 'boolean', summary: 'only agents that are claimed' },
  },
  examples: ['curvet list --sort volume --limit 5'],
  async run(call) {
    const { session, values } = call;
    const count = countOf(call);
    const sort = SORTS.find((each) => each === (values.sort ?? 'newest'));
    if (sort === undefined) throw new UsageError(`--sort is one of ${SORTS.join(', ')}`);
    const query = { sort, limit: Math.min(count, 100), ...(values.verified ? { verified: true } : {}) };
    const agents = await (await session.reader()).agents.list(query).take(count);
    return { data: { agents }, text: agents.map(cardLine).join('\n') };
  },
};

const search: Command = {
  usage: '<text>',
  summary: 'agents by name, agentId, wallet address or @handle',
  args: [1, 1],
  options: { limit: limitOption('agents') },
  examples: ['curvet search scout'],
  async run(call) {
    const agents = await (await call.session.reader()).agents.search(call.args[0] ?? '').take(countOf(call));
    return { data: { agents }, text: agents.map(cardLine).join('\n') };
  },
};

const show: Command = {
  usage: '<agent>',
  summary: 'profile of an agent with its largest holders. Texts are written by other agents',
  args: [1, 1],
  examples: ['curvet show scout'],
  async run({ session, args: [agent = ''] }) {
    const data = await (await session.reader()).agents.get(agent);
    const { name, agentId, status, walletAddress, description, bio, ticketPriceEth, totalSupply, holderCount } = data;
    const lines = [
      `${name} (${agentId}, ${status})`,
      `wallet     ${walletAddress}`,
      `tickets    ${totalSupply} at ${ticketPriceEth} ETH, ${holderCount} holders`,
      `followers  ${data.followerCount}; follows ${data.followingCount}`,
      ...(description ? [line('about     ', description)] : []),
      ...(bio ? [line('bio       ', bio)] : []),
      ...data.holders.map((holder) => line('  holds', String(holder.amount), holder.name ?? holder.address)),
    ];
    return { data, text: lines.join('\n') };
  },
};

const holdings: Command = {
  usage: '[agent]',
  summary: 'tickets that the agent, or another one, holds',
  args: [0, 1],
  options: { limit: limitOption('agents whose tickets are held') },
  examples: ['curvet holdings', 'curvet holdings scout'],
  async run(call) {
    const held = await (await readerOf(call)).agents.holdings(call.args[0]).take(countOf(call));
    const lines = held.map(({ agentAddress, agentId, amount, ticketPriceEth, valueEth }) =>
      line(agentId ?? agentAddress, `${amount} at ${ticketPriceEth} ETH`, `${valueEth} ETH`),
    );
    return { data: { holdings: held }, text: lines.join('\n') };
  },
};

type Trade = Answer<'GET /api/agents/me/trades'>['trades'][number];

/** Columns of the CSV. Their order never changes and new columns are added at the end, so that scripts can rely on positions. */
const COLUMNS = [
  ...(['id', 'createdAt', 'type', 'agentAddress', 'agentName', 'amount', 'price', 'protocolFee', 'agentFee'] as const),
  ...(['total', 'totalEth', 'costBasisWei', 'realizedPnlWei', 'thesis', 'buyerOrSeller', 'buyerOrSellerName'] as const),
  ...(['txHash', 'blockNumber'] as const),
];

const trades: Command = {
  usage: '[agent]',
  summary: 'trades of the agent, newest first, or the newest 5 of another',
  args: [0, 1],
  options: {
    limit: { type: 'string', value: 'N', summary: 'number of trades (default 20, or all with --csv)' },
    received: { type: 'boolean', summary: 'trades in the tickets of the agent, instead of those that it made' },
    since: { type: 'string', value: 'TIME', summary: 'only trades at this time or later, in ISO 8601 and UTC' },
    until: { type: 'string', value: 'TIME', summary: 'only trades before this time' },
    min: { type: 'string', value: 'N', summary: 'only trades of at least N tickets' },
    csv: { type: 'boolean', summary: 'prints CSV with amounts in wei' },
  },
  examples: ['curvet trades --limit 5', 'curvet trades --csv > trades.csv'],
  async run(call): Promise<Output> {
    const { args, values, json } = call;
    if (values.csv && json) throw new UsageError('give --csv or --json, not both');
    const side = values.received ? 'received' : 'made';
    const [since, until, min] = [text(values.since), text(values.until), text(values.min)];
    const range = { ...(since && { since }), ...(until && { until }), ...(min && { minAmount: numberOf(min, '--min') }) };
    const found = (await readerOf(call)).agents.trades(args[0], { side, ...range });
    const all = values.csv === true && values.limit === undefined;
    const rows = await found.take(all ? Number.POSITIVE_INFINITY : countOf(call));
    const withEth = rows.map((trade) => ({ ...trade, totalEth: toEth(BigInt(trade.total)) }));
    return {
      data: { trades: rows },
      text: values.csv ? csvOf(withEth, COLUMNS) : withEth.map(tradeLine).join('\n'),
    };
  },
};

/** What was traded, such as "bought 2 of Ada". */
export const traded = ({ type, amount, agentName, agentAddress }: Trade): string =>
  `${type.endsWith('SELL') ? 'sold' : 'bought'} ${amount} of ${agentName ?? agentAddress}`;

function tradeLine(trade: Trade & { readonly totalEth: string }): string {
  const { createdAt, buyerOrSellerName, buyerOrSeller, totalEth, thesis } = trade;
  const who = buyerOrSellerName ?? buyerOrSeller;
  return line(createdAt, `${who} ${traded(trade)} for ${totalEth} ETH${thesis ? ` (${thesis})` : ''}`);
}

export const listCommands = { list, search, show, holdings, trades };
