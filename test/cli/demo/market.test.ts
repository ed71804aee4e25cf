// Nightly: it builds two demo markets; demo.test.ts builds one with npm run demo.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { type AgentKey, openHome } from '../../../src/cli/demo/home.js';
import { startLive } from '../../../src/cli/demo/live.js';
import type { Act } from '../../../src/cli/demo/turns.js';
import type { Service } from '../../../src/service/service.js';
import { body, builtDemo, serveDemo } from '../../support/service/demo.js';
import type { Json } from '../../support/service/graphql.js';
import { endProcesses, eventually, root, run } from '../../support/service/process.js';

/** The time at which the examples of the README were made. */
const README_MADE = new Date('2026-11-20T15:00:00Z');
/** A time on another day, shortly after midnight, when that day has almost no events. */
const NIGHT = new Date('2026-11-13T00:04:00Z');
const DAY_MS = 86_400_000;

const dayOf = (moment: Date): number => Math.floor(moment.getTime() / DAY_MS);

type Row = Record<string, unknown>;

/**
 * Everything that is equal in two demo markets, whenever they are built. Times count from the first day of the market.
 */
async function likeness({ deps: { sql } }: Service, made: Date): Promise<Record<string, Row[]>> {
  const day = new Date((dayOf(made) - 14) * DAY_MS).toISOString();
  const today = new Date(dayOf(made) * DAY_MS).toISOString();
  // For rows of the current day, only the order is compared, not the time.
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
    theses: await sql('select tx_hash, claimant, thesis from trade_claim order by tx_hash'),
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

/** The value with the fields that the model has. Lists keep all their items. */
function like(value: Json, model: Json): Json {
  if (typeof model !== 'object' || model === null) return value;
  if (Array.isArray(model)) return value.map((item: Json, i: number) => like(item, model[i]));
  return Object.fromEntries(Object.keys(model).map((key) => [key, like(value[key], model[key])]));
}

function keysOf(directory: string): AgentKey[] {
  const home = openHome(directory, pino({ level: 'silent' }));
  home.release();
  return home.keys();
}

describe('the market of the demo', () => {
  let directory: string;
  let likenessThen: Record<string, Row[]>;

  before(async () => {
    directory = await builtDemo(README_MADE);
  });
  after(endProcesses);

  describe('the market right after it is built', () => {
    let service: Service;
    before(async () => {
      service = await serveDemo(directory, README_MADE);
    });
    after(() => service.stop());

    it('has 30 agents with profiles, 22 verified and 11 referred', async () => {
      const agents = (await body(service, '/api/agents?limit=100')).agents as Row[];
      expect(agents).to.have.length(30);
      expect(agents.filter(({ isClaimed }) => isClaimed).length).to.equal(22);
      const profiles = await service.deps.sql('select 1 from agent where bio is not null and description is not null');
      expect(profiles).to.have.length(30);
      const referred = await service.deps.sql('select 1 from agent where referred_by is not null');
      expect(referred).to.have.length(11);
    });

    it('has trades on each of the last 14 days and today', async () => {
      const days = await service.deps.sql<{ day: number; trades: number }>(
        `select floor(extract(epoch from block_time) / 86400)::int as day, count(*)::int as trades
         from transaction group by 1 order by 1`,
      );
      expect(days.map(({ day }) => day - dayOf(README_MADE))).to.deep.equal(
        Array.from({ length: 15 }, (_, i) => i - 14),
      );
      expect(Math.min(...days.map(({ trades }) => trades))).to.be.at.least(8);
      const sales = await service.deps.sql(`select 1 from transaction where type = 'AGENT_SELL'`);
      expect(sales.length).to.be.at.least(50);
    });

    it('has a frozen and an active season, both with standings', async () => {
      const { seasons } = await body(service, '/api/seasons');
      expect(seasons).to.deep.include({
        number: 1,
        startDate: '2026-11-06T00:00:00.000Z',
        endDate: '2026-11-16T00:00:00.000Z',
        isActive: false,
        isFrozen: true,
        agentCount: 28,
      });
      expect((seasons as Row[])[0]).to.include({ number: 2, isActive: true, isFrozen: false, agentCount: 30 });
      expect(seasons).to.have.length(2);
      const running = await body(service, '/api/seasons/leaderboard');
      expect(running).to.include({ season: 2, totalAgents: 30 });
    });

    it('has a leaderboard, trends and a feed with every type of event', async () => {
      expect((await body(service, '/api/leaderboard')).leaderboard).to.have.length(20);
      expect((await body(service, '/api/trending')).trending).to.have.length.above(5);
      for (const type of ['REGISTERED', 'BOUGHT', 'SOLD', 'STATUS']) {
        expect((await body(service, `/api/feed?type=${type}`)).feed, type).to.have.length.above(10);
      }
      const [{ likes = 0, reposts = 0 } = {}] = await service.deps.sql<{ likes: number; reposts: number }>(
        'select sum(like_count)::int as likes, sum(repost_count)::int as reposts from agent_activity',
      );
      expect([likes > 100, reposts > 20]).to.deep.equal([true, true]);
    });

    it('answers like the examples of the README', async () => {
      const readme = readFileSync(join(root, 'README.md'), 'utf8');
      const [, section = ''] = readme.split('## A market to look at\n');
      const [part = ''] = section.split('\n## ');
      const examples = [
        ...part.matchAll(/```sh\ncurl -s '?http:\/\/127\.0\.0\.1:4000(\S+?)'?\n```\n\n```json\n([^`]*)\n```/g),
      ];
      expect(examples).to.have.length(1);
      for (const [, path = '', shortened = ''] of examples) {
        const shown = JSON.parse(shortened);
        expect(like(await body(service, path), shown), path).to.deep.equal(shown);
      }
    });

    it('is stored for the comparison with a second build', async () => {
      likenessThen = await likeness(service, README_MADE);
      expect(likenessThen.trades).to.have.length.above(300);
      expect(likenessThen.posts).to.have.length.above(100);
      expect(likenessThen.points).to.have.length(58);
    });
  });

  // These are nested suites, because mocha runs the tests of a suite before its nested suites.
  describe('built again', () => {
    it('is the same market on another day and at another hour', async () => {
      const other = await serveDemo(await builtDemo(NIGHT), NIGHT);
      try {
        const now = await likeness(other, NIGHT);
        for (const [what, rows] of Object.entries(likenessThen)) expect(now[what], what).to.deep.equal(rows);
      } finally {
        await other.stop();
      }
    });
  });

  describe('the demo after the build', () => {
    it('stores the API keys in a file that only its user can read', () => {
      expect(statSync(join(directory, 'agents.json')).mode & 0o777).to.equal(0o600);
    });

    it('keeps trading over the API within the rate limits', async () => {
      const logged: Row[] = [];
      const keys = keysOf(directory);
      const service = await serveDemo(directory, undefined, { RATE_LIMITS: 'on' });
      const before = (await service.deps.sql('select 1 from transaction')).length;
      const done: [AgentKey, Act][] = [];
      const live = startLive(
        service,
        keys,
        pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
        {
          seed: 1,
          pauseMs: [1, 5],
          onAct: (agent, act) => done.push([agent, act]),
        },
      );
      try {
        const acts = () => new Set(done.map(([, act]) => act));
        await eventually(
          () => done.length >= 40 && acts().size === 5,
          `only ${JSON.stringify(done.map(([, act]) => act))}`,
        );
      } finally {
        await live.stop();
      }
      const trades = await service.deps.sql<{ claimed: boolean }>(
        `select exists (select from trade_claim c where c.tx_hash = t.tx_hash) as claimed from transaction t
       order by block_number desc limit ${done.filter(([, act]) => act === 'trade').length}`,
      );
      expect((await service.deps.sql('select 1 from transaction')).length).to.be.at.least(before + trades.length);
      expect(trades.filter(({ claimed }) => claimed).length).to.be.at.least(trades.length - 1);
      const refused = logged.filter(({ err }) =>
        / 429 /.test((err as { message?: string } | undefined)?.message ?? ''),
      );
      expect(refused).to.deep.equal([]);
      await service.stop();
    });

    it('stops using an API key that was refused', async () => {
      const logged: Row[] = [];
      const acts: string[] = [];
      const others = keysOf(directory).slice(1, 5);
      const service = await serveDemo(directory);
      const gone = { agent: 0, name: 'Gone', wallet: `0x${'0'.repeat(40)}`, apiKey: 'a'.repeat(64) };
      const live = startLive(
        service,
        [gone, ...others],
        pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
        {
          seed: 1,
          pauseMs: [1, 2],
          restSeconds: 0,
          onAct: ({ name }) => acts.push(name),
        },
      );
      // The others have had many turns since the refusal.
      const isRefused = () => logged.some(({ err }) => / 401 /.test((err as { message: string }).message));
      await eventually(isRefused, 'the demo sends no request');
      const turns = acts.length + 10;
      await eventually(() => acts.length >= turns, 'the other agents do not act');
      await live.stop();
      await service.stop();
      const refused = logged
        .map(({ err }) => (err as { message: string }).message)
        .filter((text) => / 401 /.test(text));
      expect(refused).to.have.length(1);
      expect(refused[0]).to.match(/^POST \/graphql: 401 .*Invalid API key/);
      expect(acts).not.to.include('Gone');
    });

    it('continues at the next start and stops on SIGINT', async () => {
      const demo = run({ env: { DATA_DIR: directory }, program: ['cli/demo.js'] });
      await demo.ready();
      await demo.until(
        () => demo.stdout.includes('The market has 30 agents; they keep trading'),
        'the demo does not report its agents',
      );
      expect(demo.stdout).to.include(`Open ${demo.url} in a browser`);
      expect(demo.stdout).to.not.include('Building a market');
      expect(await demo.stop('SIGINT')).to.include({ code: 0 });
      expect(demo.stderr).to.equal('');
    });
  });
});
