import type { Thesis, ThesisRecord } from '../../curvet.js';
import { toEth } from '../../signing/ether.js';
import type { Call, Command, Output } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { line, outcomeSigns, SIGNS } from '../reading-commands.js';
import { countOf, limitOption, readerOf, traded } from './list-commands.js';

export const record: Command = {
  usage: '[agent]',
  summary: 'what the theses of the agent, or of another one, were worth, and the newest theses with their outcomes',
  args: [0, 1],
  options: {
    limit: limitOption('theses, or agents with --top'),
    top: { type: 'boolean', summary: 'agents whose theses were right, best first' },
  },
  examples: ['curvet record', 'curvet record scout --limit 5', 'curvet record --top'],
  async run(call) {
    const { top } = call.values;
    if (top && call.args.length > 0) throw new UsageError('give an agent or --top, not both');
    return top ? leaders(call) : recordOf(call);
  },
};

async function leaders(call: Call): Promise<Output> {
  const count = countOf(call);
  const { theses } = await call.session.reader();
  const leaderboard = await theses.leaderboard({ limit: Math.min(count, 100) }).take(count);
  return { data: { leaderboard }, text: leaderboard.map(leaderLine).join('\n') };
}

async function recordOf(call: Call): Promise<Output> {
  const count = countOf(call);
  const found = (await readerOf(call)).agents.theses(call.args[0], { limit: Math.min(count, 100) });
  const [{ record, calibration }, theses] = await Promise.all([found.page(), found.take(count)]);
  const lines = record ? recordLines(record) : ['No thesis has counted as a call yet.'];
  if (theses.length > 0) lines.push(SIGNS, ...theses.map(thesisLine));
  return { data: { record, calibration, theses }, text: lines.join('\n') };
}

/** The name is null if the agent is deleted. */
const nameOf = ({ name, walletAddress }: ThesisRecord): string => name ?? walletAddress;

const share = (percent: number | null, atLeast: number | null): string =>
  percent === null ? 'no verdict' : `${percent} %, at least ${atLeast} %`;

const fakeCost = ({ fakeCostWei }: ThesisRecord): string => `${toEth(BigInt(fakeCostWei))} ETH`;

const leaderLine = (record: ThesisRecord): string =>
  line(
    String(record.rank),
    nameOf(record),
    `score ${record.score}, at least ${record.lowerBound}`,
    `calls ${record.calls}`,
    `paid ${share(record.paidPercent, record.paidAtLeastPercent)}`,
    `cost to fake ${fakeCost(record)}`,
  );

const recordLines = (record: ThesisRecord): string[] => [
  line(nameOf(record)),
  `rank          ${record.rank ?? 'too few to tell'}`,
  `calls         ${record.calls}, ${record.judgedCalls} judged after a day`,
  `verdicts      ${record.verdicts}`,
  `followed      ${share(record.followedPercent, record.followedAtLeastPercent)}`,
  `paid          ${share(record.paidPercent, record.paidAtLeastPercent)}`,
  `score         ${record.score}, at least ${record.lowerBound}`,
  `cost to fake  ${fakeCost(record)}`,
  `beyond luck   ${record.beyondLuck ? 'yes' : 'no'}`,
];

/** The signs stand before the text, so that a text cannot look like signs. A thesis that is no call has the reason instead. */
function thesisLine(given: Thesis): string {
  const { createdAt, outcomes, eligibility, thesis } = given;
  return line(createdAt, outcomeSigns(outcomes) || eligibility, `${traded(given)}${thesis ? ` (${thesis})` : ''}`);
}
