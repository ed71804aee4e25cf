import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { cast } from '../../../demo/cast.js';
import { type AgentKey, openHome } from '../../../demo/home.js';
import { startLive } from '../../../demo/live.js';
import { levelOf } from '../../../demo/trades.js';
import type { Service } from '../../../src/service/service.js';
import { body, builtDemo, serveDemo } from '../../support/service/demo.js';
import type { Json } from '../../support/service/graphql.js';
import { endProcesses, eventually, root } from '../../support/service/process.js';

/** The time at which the examples of the README were made. */
const README_MADE = new Date('2026-11-20T15:00:00Z');
/** A time on another day. It is shortly after midnight, so this day has almost no events. */
const NIGHT = new Date('2026-11-13T00:04:00Z');
const DAY_MS = 86_400_000;

const dayOf = (moment: Date): number => Math.floor(moment.getTime() / DAY_MS);

type Row = Record<string, unknown>;

/** The data that any two demo markets have in common, whenever they are built. Times are seconds since their first day. */
async function likeness({ deps: { sql } }: Service, made: Date): Promise<Record<string, Row[]>> {
  const day = new Date((dayOf(made) - 14) * DAY_MS).toISOString();
  const today = new Date(dayOf(made) * DAY_MS).toISOString();
  // Times of the current day depend on when the market was built. So rows of this day
  // have no time, and only their order is compared.
  const when = (column: string) =>
    `case when ${column} < '${today}' then extract(epoch from ${column} - '${day}'::timestamptz)::float8 end as "when"`;
  return {
    agents: await sql(
      `select wallet, name, agent_id, description, bio, avatar_url, social_handle, claimed_at is not null as claimed,
         referred_by, follower_count, following_count, ${when('created_at')} from agent order by wallet`,
    ),
    trades: await sql(
      `select block_number, tx_hash, type, trader, agent, amount, price, protocol_fee, agent_fee, supply_after, cost_basis,
         realized_pnl, event_id, ${when('block_time')} from transaction order by block_number, log_index`,
    ),
    theses: await sql('select tx_hash, author, text from thesis order by tx_hash'),
    follows: await sql(`select follower, followed, ${when('created_at')} from agent_follow order by 1, 2`),
    posts: await sql(
      `select agent, text, like_count, repost_count, ${when('created_at')} from agent_activity order by created_at, agent`,
    ),
    points: await sql(
      `select season, agent, rank, price_points, holder_points, volume_points, holding_points, cross_trading_points,
         diversity_points, uptime_points, consistency_points, age_points, referral_points, engagement_points,
         verified_bonus, total_points from agent_season_points order by season, agent`,
    ),
  };
}

/** Reduces a value to the fields of the model. Lists keep all their items. */
function like(value: Json, model: Json): Json {
  if (typeof model !== 'object' || model === null) return value;
  if (Array.isArray(model)) return value.map((item: Json, i: number) => like(item, model[i]));
  return Object.fromEntries(Object.keys(model).map((key) => [key, like(value[key], model[key])]));
}

function keysOf(directory: string): AgentKey[] {
  const home = openHome(directory, pino({ level: 'silent' }));
  home.release();
  return home.keys() ?? [];
}

type Counts = Record<'trades' | 'reported' | 'follows' | 'posts' | 'likes' | 'reposts', number>;

const countsOf = async ({ deps }: Service): Promise<Counts> => {
  const [counts] = await deps.sql<Counts>(
    `select (select count(*)::int from transaction) as trades, (select count(*)::int from thesis) as reported,
       (select count(*)::int from agent_follow) as follows, count(*)::int as posts,
       sum(like_count)::int as likes, sum(repost_count)::int as reposts from agent_activity`,
  );
  return counts as Counts;
};

/** Starts the agents of the demo with short pauses, and collects the errors that they log. */
function liveOn(service: Service, keys: readonly AgentKey[]) {
  const logged: { err: { message: string } }[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const live = startLive(service, keys, log, { seed: 1, pauseMs: [1, 5] });
  return { live, errors: () => logged.map(({ err }) => err.message) };
}

describe('the market of the demo', () => {
  let directory: string;
  let service: Service;
  before(async () => {
    directory = await builtDemo(README_MADE);
    service = await serveDemo(directory, README_MADE);
  });
  after(endProcesses);

  it('has 30 agents with profiles, 22 verified and 11 referred', async () => {
    const [counts] = await service.deps.sql(
      `select count(*)::int as agents, count(bio)::int as bios, count(description)::int as descriptions,
         count(claimed_at)::int as verified, count(referred_by)::int as referred from agent`,
    );
    expect(counts).to.deep.equal({ agents: 30, bios: 30, descriptions: 30, verified: 22, referred: 11 });
  });

  it('has trades on each of the last 14 days and today, and supplies near their levels', async () => {
    const days = await service.deps.sql<{ day: number; trades: number }>(
      `select floor(extract(epoch from block_time) / 86400)::int as day, count(*)::int as trades
         from transaction group by 1 order by 1`,
    );
    expect(days.map(({ day }) => day - dayOf(README_MADE))).to.deep.equal(Array.from({ length: 15 }, (_, i) => i - 14));
    expect(Math.min(...days.map(({ trades }) => trades))).to.be.at.least(8);
    // Yesterday has no trades after 01:00, so the figures of the last 24 hours only cover trades of today.
    const late = `block_time > '2026-11-19T01:00:00Z' and block_time < '2026-11-20T00:00:00Z'`;
    expect(await service.deps.sql(`select 1 from transaction where ${late}`)).to.deep.equal([]);
    const sales = await service.deps.sql(`select 1 from transaction where type = 'AGENT_SELL'`);
    expect(sales.length).to.be.at.least(50);
    const { agents } = await body(service, '/api/agents?limit=100');
    for (const { name, priceChange24h } of agents as Row[]) expect(priceChange24h, String(name)).to.be.at.most(1000);
    const supply = (agents as { totalSupply: number }[]).reduce((sum, { totalSupply }) => sum + totalSupply, 0);
    // `levelOf` is the supply around which the agents of the demo trade.
    const level = cast.reduce((sum, { name }) => sum + levelOf(name), 0);
    expect(supply / level).to.be.within(0.85, 1.15);
  });

  it('has a frozen and an active season, both with standings', async () => {
    const { seasons } = await body(service, '/api/seasons');
    const [active, frozen] = seasons as Row[];
    const period = { startDate: '2026-11-06T00:00:00.000Z', endDate: '2026-11-16T00:00:00.000Z' };
    expect(frozen).to.include({ number: 1, ...period, isActive: false, isFrozen: true, agentCount: 28 });
    expect(active).to.include({ number: 2, isActive: true, isFrozen: false, agentCount: 30 });
    expect(seasons).to.have.length(2);
    expect(await body(service, '/api/seasons/leaderboard')).to.include({ season: 2, totalAgents: 30 });
  });

  it('has a leaderboard, trends and a feed with every type of event', async () => {
    expect((await body(service, '/api/leaderboard')).leaderboard).to.have.length(20);
    expect((await body(service, '/api/trending')).trending).to.have.length.above(5);
    for (const type of ['REGISTERED', 'BOUGHT', 'SOLD', 'STATUS']) {
      expect((await body(service, `/api/feed?type=${type}`)).feed, type).to.have.length.above(10);
    }
    const { likes, reposts, follows } = await countsOf(service);
    expect([likes > 100, reposts > 20, follows > 80]).to.deep.equal([true, true, true]);
  });

  it('has theses with every outcome, and authors with enough judged calls for the board of the market page', async () => {
    const { leaderboard } = await body(service, '/api/theses/leaderboard');
    expect(leaderboard).to.have.length.above(4);
    const outcomes = await service.deps.sql<{ outcome: string }>(
      `select distinct horizon || ' ' || coalesce(paid::text, 'no verdict') as outcome from call_outcome where judged_block is not null`,
    );
    const expected = ['1h', '1d', '7d'].flatMap((horizon) => [`${horizon} true`, `${horizon} false`]);
    expect(outcomes.map(({ outcome }) => outcome)).to.include.members([...expected, '1d no verdict']);
  });

  it('answers like the example of the README', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, section = ''] = readme.split('## A market to look at\n');
    const example = /```sh\ncurl -s '?http:\/\/127\.0\.0\.1:4000(\S+?)'?\n```\n\n```json\n([^`]*)\n```/.exec(section);
    const [, path = '', shortened = ''] = example ?? [];
    expect(like(await body(service, path), JSON.parse(shortened))).to.deep.equal(JSON.parse(shortened));
  });

  it('is the same market on another day and at another hour', async () => {
    const first = await likeness(service, README_MADE);
    expect(first.trades).to.have.length.above(300);
    expect(first.posts).to.have.length.above(100);
    // 28 agents in the first season and 30 in the second.
    expect(first.points).to.have.length(58);
    await service.stop();
    const other = await serveDemo(await builtDemo(NIGHT), NIGHT);
    const second = await likeness(other, NIGHT);
    await other.stop();
    for (const [what, rows] of Object.entries(first)) expect(second[what], what).to.deep.equal(rows);
  });

  describe('after the build', () => {
    it('keeps trading over the API within the rate limits', async () => {
      const keys = keysOf(directory);
      const running = await serveDemo(directory, undefined, { RATE_LIMITS: 'on' });
      const start = await countsOf(running);
      const { live, errors } = liveOn(running, keys);
      const isBusy = async () =>
        Object.entries(await countsOf(running)).every(([what, count]) => count > start[what as keyof Counts]);
      await eventually(isBusy, 'the agents do not do everything');
      await live.stop();
      const { trades, reported } = await countsOf(running);
      // The agents report each trade after it is mined. The last report may be lost when they stop.
      expect(reported - start.reported).to.be.at.least(trades - start.trades - 1);
      expect(errors().filter((text) => / 429 /.test(text))).to.deep.equal([]);
      await running.stop();
    });

    it('stops using an API key that was refused', async () => {
      const [first, ...others] = keysOf(directory) as [AgentKey];
      const running = await serveDemo(directory);
      const { live, errors } = liveOn(running, [{ ...first, apiKey: 'a'.repeat(64) }, ...others]);
      await eventually(() => errors().some((text) => / 401 /.test(text)), 'the demo sends no request');
      // After ten more trades, the refused agent would have had many turns. It must not have sent a second request.
      const { trades } = await countsOf(running);
      await eventually(async () => (await countsOf(running)).trades >= trades + 10, 'the others do not act');
      await live.stop();
      await running.stop();
      const refused = errors().filter((text) => / 401 /.test(text));
      expect(refused).to.have.length(1);
      expect(refused[0]).to.match(/^POST \/graphql: 401 .*Invalid API key/);
    });
  });
});
