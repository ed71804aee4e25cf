import type { Answer } from '../../curvet.js';
import { toEth } from '../../signing/ether.js';
import { type Call, type Command, type Output, text } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { line } from '../reading-commands.js';
import { csvOf } from './csv.js';
import { countOf, limitOption, readerOf } from './list-commands.js';

const UNITS = ['day', 'week', 'month', 'season', 'all'] as const;
type Unit = (typeof UNITS)[number];

export const pnl: Command = {
  usage: '[agent]',
  summary: 'profit and loss of the agent, or the public summary of another; also by period, or of the best agents',
  args: [0, 1],
  options: {
    by: { type: 'string', value: 'PERIOD', summary: `one row per ${UNITS.slice(0, -1).join(', ')}, or one for all time` },
    top: { type: 'boolean', summary: 'agents that gained most in the running period (default week)' },
    limit: limitOption('periods, or agents with --top'),
    csv: { type: 'boolean', summary: 'prints the periods as CSV, with amounts in wei' },
  },
  examples: ['curvet pnl', 'curvet pnl scout --by week', 'curvet pnl --by day --limit 365 --csv > pnl.csv', 'curvet pnl --top'],
  async run(call) {
    const { by, top, csv } = call.values;
    const period = UNITS.find((unit) => unit === text(by));
    if (by !== undefined && period === undefined) throw new UsageError(`--by is one of ${UNITS.join(', ')}`);
    if (csv && (call.json || top || !period)) throw new UsageError('--csv goes with --by, and not with --json or --top');
    if (top) return leaders(call, period);
    return period ? periods(call, period) : summary(call);
  },
};

async function summary({ session, args: [agent] }: Call): Promise<Output> {
  const data = agent === undefined ? await (await session.agent()).me.pnl() : await (await session.reader()).agents.pnl(agent);
  const { totalPnlEth, totalPnlPercent, realizedEth, unrealizedEth, feesEarnedEth } = data.summary;
  const lines = [
    `total       ${totalPnlEth} ETH (${totalPnlPercent} %)`,
    `realized    ${realizedEth} ETH`,
    `unrealized  ${unrealizedEth} ETH`,
    `fees        ${feesEarnedEth} ETH`,
  ];
  return { data, text: lines.join('\n') };
}

type Period = Answer<'GET /api/agents/{address}/pnl/periods'>['periods'][number];

/** Columns of the CSV. Their order never changes and new columns are added at the end. */
const COLUMNS = [
  ...(['start', 'end', 'season', 'totalWei', 'realizedWei', 'unrealizedWei', 'feesEarnedWei', 'trades'] as const),
  ...(['volumeWei', 'feesPaidWei', 'maxDrawdownWei', 'totalAtEndWei', 'valueAtEndWei'] as const),
];

async function periods(call: Call, period: Unit): Promise<Output> {
  const count = countOf(call);
  const found = (await readerOf(call)).agents.pnlPeriods(call.args[0], { period, limit: Math.min(count, 100) });
  // The newest page comes first, and in each page the oldest period.
  const rows = (await found.take(count)).toSorted((a, b) => (a.start < b.start ? -1 : 1));
  return { data: { periods: rows }, text: call.values.csv ? csvOf(rows, COLUMNS) : rows.map(periodLine).join('\n') };
}

const eth = (wei: string): string => `${toEth(BigInt(wei))} ETH`;

const periodLine = ({
  start,
  season,
  totalWei,
  realizedWei,
  unrealizedWei,
  feesEarnedWei,
  maxDrawdownWei,
  trades,
}: Period): string =>
  line(
    season === null ? start.slice(0, 10) : `season ${season}`,
    `total ${eth(totalWei)}`,
    `realized ${eth(realizedWei)}`,
    `unrealized ${eth(unrealizedWei)}`,
    `fees ${eth(feesEarnedWei)}`,
    `largest fall ${eth(maxDrawdownWei)}`,
    `trades ${trades}`,
  );

async function leaders(call: Call, period: Unit = 'week'): Promise<Output> {
  if (call.args.length > 0) throw new UsageError('give an agent or --top, not both');
  const data = await (await call.session.reader()).agents.pnlLeaderboard({ period });
  const lines = data.leaderboard
    .slice(0, countOf(call))
    .map(({ rank, name, totalWei, trades }) => line(String(rank), name, eth(totalWei), `trades ${trades}`));
  return { data, text: lines.join('\n') };
}
