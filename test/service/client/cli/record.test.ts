import { expect } from 'chai';
import { outcomeSigns } from '../../../../client/src/cli/reading-commands.js';
import { curvet } from '../../../support/client/command-line.js';
import { announceOutcome, type Market, populate } from '../../../support/market/market.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const LEGEND = 'After 1 hour, 1 day, 7 days: + followed and paid, ~ followed, - not followed, ? no verdict, . open';
const RECORD = `Bob
rank          1
calls         46, 44 judged after a day
verdicts      40
followed      67.5 %, at least 54.09 %
paid          30 %, at least 19.6 %
score         0.068125, at least 0.012481
cost to fake  0.053 ETH
beyond luck   yes
${LEGEND}
`;

describe('the record of theses on the command line', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;

  const run = (args: readonly string[], key = market.bob.key) =>
    curvet(args, { CURVET_HOME: '/nonexistent', CURVET_URL: world.url, CURVET_API_KEY: key });
  async function printed(...args: string[]): Promise<string> {
    const { code, out, error } = await run(args);
    expect(code, error).to.equal(0);
    return out.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  }
  const write = (text: string, ...values: unknown[]) => runSql(world.deps, text, values);

  before(async () => {
    market = await populate(world);
  });

  it('shows an agent and its newest theses with their outcomes, by default the own agent', async () => {
    for (const args of [[], ['bob']])
      expect(await printed('record', ...args)).to.equal(`${RECORD}TIME  ~..  bought 3 of Ada (Cheap)\n`);
    const { record, calibration, theses } = JSON.parse(await printed('record', '--json'));
    expect(record).to.include({ agentId: 'bob', rank: 1 });
    expect(calibration).to.include({ calls: 1 });
    expect(theses).to.have.length(1);
    expect(await printed('record', 'ada')).to.equal('No thesis has counted as a call yet.\n');
  });

  it('has a sign for each outcome', () => {
    const none = { followed: null, paid: null };
    const signs = outcomeSigns([
      { hasVerdict: true, followed: true, paid: true },
      { hasVerdict: true, followed: true, paid: false },
      { hasVerdict: true, followed: false, paid: true },
      { hasVerdict: false, ...none },
      { hasVerdict: null, ...none },
    ]);
    expect(signs).to.equal('+~-?.');
  });

  it('says why a thesis is no call, and that calls are too few or have no verdict', async () => {
    const { wallet } = market.eve;
    await write("update thesis set text = 'Small' where author = $1", wallet);
    await write("update reason set eligibility = 'tooSmall', traded_at = given_at where author = $1", wallet);
    await write(
      `insert into thesis_record (author, is_stale, figures) select $1, false, figures || $2::jsonb from thesis_record`,
      wallet,
      JSON.stringify({ followed: { percent: null, atLeast: null }, paid: { percent: null, atLeast: null } }),
    );
    const shown = await printed('record', wallet);
    expect(shown).to.include('rank          too few to tell\n').and.include('beyond luck   no\n');
    expect(shown).to.include('followed      no verdict\npaid          no verdict\n');
    const newest = `${LEGEND}\nTIME  tooSmall  bought 1 of Bob (Small)\n`;
    expect(shown.endsWith(`${newest}TIME  tooSmall  bought 2 of Ada (Small)\n`)).to.equal(true, shown);
    expect((await printed('record', wallet, '--limit', '1')).endsWith(newest)).to.equal(true);
  });

  it('keeps a text on its line, where it cannot look like signs', async () => {
    const { wallet } = market.ada;
    await write("update thesis set text = E'Up\\n+++  \\u001b[31m\\u202ered' where author = $1", wallet);
    expect(await printed('record', 'ada')).to.include('\nTIME  undecided  bought 4 of Bob (Up +++  [31mred)\n');
  });

  it('shows the best agents with --top', async () => {
    const { wallet } = market.eve;
    await write('update thesis_record set rank = 2, lower_bound = 1, luck = 0.5 where author = $1', wallet);
    const figures = 'score 0.068125, at least 0.012481  calls 46';
    const lines = [
      `1  Bob  ${figures}  paid 30 %, at least 19.6 %  cost to fake 0.053 ETH\n`,
      `2  Eve B  ${figures}  paid no verdict  cost to fake 0.053 ETH\n`,
    ];
    expect(await printed('record', '--top')).to.equal(lines.join(''));
    expect(await printed('record', '--top', '--limit', '1')).to.equal(lines[0]);
    expect(JSON.parse(await printed('record', '--top', '--json')).leaderboard).to.have.length(2);
  });

  it('prints each outcome as it comes, and the sequence of its event', async () => {
    const [outcome, watch] = [
      { subject: market.thesis, agent: market.bob.wallet },
      ['watch', 'outcomes', '--after', '0', '--count'],
    ];
    for (let times = 0; times < 2; times++) await announceOutcome(world, outcome);
    const lines = (await printed(...watch, '2', '--agent', 'bob')).trimEnd().split('\n');
    for (const line of lines) expect(line).to.match(/^TIME {2}\d+ {2}~\.\. {2}Ada bought by Bob: 3 for \S+ ETH \(Cheap\)$/);
    const { trade, sequence } = JSON.parse(await printed(...watch, '1', '--json'));
    expect(trade.outcomes).to.have.length(3);
    expect(lines[0]).to.include(`  ${sequence}  `);
  });

  it('has the exit codes of the other commands', async () => {
    for (const [code, line, key] of [
      [2, 'record --limit 0'],
      [2, 'record --top bob'],
      [2, 'record bob ada'],
      [2, 'watch outcome'],
      [3, 'record', ''],
      [3, 'record', 'A'.repeat(64)],
      [4, 'record nobody_at_all'],
      [0, 'record bob', ''],
      [0, 'record --top', ''],
    ] as const)
      expect((await run(line.split(' '), key)).code, line).to.equal(code);
  });
});
