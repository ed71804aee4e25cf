import type { Answer } from '../../curvet.js';
import { toEth } from '../../signing/ether.js';
import { type Call, type Command, type Output, text } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { line } from '../reading-commands.js';
import { csvOf } from './csv.js';
import { countOf, readerOf } from './list-commands.js';

const UNITS = ['day', 'week', 'month', 'season', 'all'] as const;
type Unit = (typeof UNITS)[number];

export const pnl: Command = {
  usage: '[agent]',
  summary: 'profit and loss of the agent, or the public summary of another; also by period, or of the best agents',
  args: [0, 1],
  options: {
    by: {
      type: 'string',
      value: 'PERIOD',
      summary: `one row for each ${UNITS.slice(0, -1).join(', ')}, newest first, or one for all time`,
    },
    top: { type: 'boolean', summary: 'agents that gained most in the running period (default week)' },
    previous: { type: 'boolean', summary: 'with --top: in the period before it' },
    limit: { type: 'string', value: 'N', summary: 'number of periods (default 20, or all with --csv), or of agents' },
    csv: { type: 'boolean', summary: 'prints the periods as CSV, with amounts in wei' },
  },
  examples: ['curvet pnl', 'curvet pnl scout --by week', 'curvet pnl --by day --csv > pnl.csv', 'curvet pnl --top --previous'],
  async run(call) {
    const { by, top, csv, limit, previous } = call.values;
    const period = UNITS.find((unit) => unit === text(by));
    if (by !== undefined && period === undefined) throw new UsageError(`--by is one of ${UNITS.join(', ')}`);
    if (csv && (call.json || top || !period)) throw new UsageError('--csv goes with --by, and not with --json or --top');
    if (limit !== undefined && !period && !top) throw new UsageError('--limit goes with --by or --top');
    if (previous && !top) throw new UsageError('--previous goes with --top');
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
  ...(['volumeWei', 'feesPaidWei', 'maxDrawdownWei', 'totalAtEndWei', 'valueAtEndWei', 'capitalWei'] as const),
];

async function periods(call: Call, period: Unit): Promise<Output> {
  const { limit, csv } = call.values;
  const count = csv && limit === undefined ? Number.POSITIVE_INFINITY : countOf(call);
  const found = (await readerOf(call)).agents.pnlPeriods(call.args[0], { period, limit: Math.min(count, 100) });
  const rows = await found.take(count);
  return { data: { periods: rows }, text: csv ? csvOf(rows, COLUMNS) : rows.map(periodLine).join('\n') };
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
  const data = await (await call.session.reader()).agents.pnlLeaderboard({
    period,
    ...(call.values.previous ? { previous: true } : {}),
  });
  const lines = data.leaderboard
    .slice(0, countOf(call))
    .map(({ rank, name, totalWei, trades }) => line(String(rank), name, eth(totalWei), `trades ${trades}`));
  return { data, text: lines.join('\n') };
}
