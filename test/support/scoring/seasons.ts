import { pino } from 'pino';
import type { Chain } from '../../../src/chain/chain.js';
import { readConfig } from '../../../src/config/config.js';
import { assembleDeps, type Deps } from '../../../src/deps.js';
import { updateSeasons } from '../../../src/features/seasons/score.js';
import { emptyTables, testDatabase } from '../database.js';
import { runSql, storeOf } from '../store.js';
import { TIMEOUT_FACTOR } from '../times.js';
import { categoryNames } from './scoring-oracle.js';

export type SeasonWorld = Awaited<ReturnType<typeof seasonWorld>>;

/** The settings of a service on an external chain, which mines blocks by itself. */
export const elsewhere = {
  EMBEDDED: '1',
  RPC_URL: 'http://127.0.0.1:1',
  CONTRACT_ADDRESS: `0x${'5f'.repeat(20)}`,
  SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/{url}',
};

/** The newest block of the fake chain. */
export const HEAD = 1_000_000;

/** Creates the dependencies that the season functions need, over an empty database and a fake chain. */
export async function seasonWorld(environment: Record<string, string> = {}) {
  const { orm } = await testDatabase();
  await emptyTables(orm);
  const logged: Record<string, unknown>[] = [];
  // A test sets `now` and `headTime` as it needs them. At first, the head has the latest time that a Date can have, so no season
  // waits for a block. The index is at the head unless the test calls `indexTo`.
  const world = { now: new Date(), headTime: new Date(8.64e15), logged };
  const chain = {
    blockNumber: async () => HEAD,
    // Blocks are ten seconds apart.
    blockTime: async (number: number) => new Date(world.headTime.getTime() - (HEAD - number) * 10_000),
  };
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const deps = await assembleDeps(readConfig({ TIMEOUT_FACTOR, ...environment }), log, {
    orm,
    clock: { now: () => world.now },
    chain: chain as unknown as Chain,
    secretKey: '',
    ...(await storeOf(orm)),
  });
  await indexTo({ deps }, HEAD);
  return Object.assign(world, { deps });
}

/** Sets the last indexed block and the fault of the index. */
export async function indexTo({ deps }: { readonly deps: Deps }, block: number, fault: string | null = null): Promise<void> {
  await runSql(
    deps,
    `insert into indexer_cursor (contract, chain_id, block_number, fault, updated_at) values ($1, 84532, $2, $3, now())
     on conflict (contract) do update set block_number = excluded.block_number, fault = excluded.fault`,
    [`0x${'5f'.repeat(20)}`, block, fault],
  );
}

type PointsRow = Readonly<Record<string, number>> & { readonly agent: string; readonly computedAt: Date };

const columns = [...categoryNames, 'seasonAge', 'rank', 'agent', 'computedAt'];
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const selected = columns.map((name) => `${snake(name)} as "${name}"`).join(', ');

/** Returns the stored points of a season, by rank. */
export const pointsRows = ({ deps }: SeasonWorld, season: number): Promise<PointsRow[]> =>
  deps.sql<PointsRow>(`select ${selected} from agent_season_points where season = $1 order by rank`, [season]);

type UnlinkedRow = {
  readonly agent: string;
  readonly totalPoints: number;
  readonly rank: number;
  readonly linkedWallets: number;
  readonly volume: bigint;
  readonly roundTrips: bigint;
};

/** Returns the stored standings of a season without links, by rank. */
export const unlinkedRows = ({ deps }: SeasonWorld, season: number): Promise<UnlinkedRow[]> =>
  deps.sql<UnlinkedRow>(
    `select agent, total_points as "totalPoints", rank, linked_wallets as "linkedWallets", volume, round_trips as "roundTrips"
     from unlinked_standing where season = $1 order by rank`,
    [season],
  );

export async function addSeason({ deps }: SeasonWorld, number: number, startAt: Date, endAt: Date): Promise<void> {
  await runSql(deps, 'insert into season (number, start_at, end_at) values ($1, $2, $3)', [number, startAt, endAt]);
}

export const seasonRows = ({ deps }: SeasonWorld) =>
  deps.sql<{ number: number; startAt: Date; endAt: Date; scoredAt: Date | null; frozenAt: Date | null }>(
    `select number, start_at as "startAt", end_at as "endAt", scored_at as "scoredAt", frozen_at as "frozenAt"
     from season order by number`,
  );

const points = ({ sql }: Deps) => sql<Record<string, unknown>>('select * from agent_season_points order by 1, 2');

/**
 * Scores, and then deletes all points, so that the next run must write them again. Returns the deleted points, and a function that
 * reads the points.
 */
export async function unscored(deps: Deps) {
  await updateSeasons(deps);
  const scored = await points(deps);
  if (scored.length === 0) throw new Error('no agent has points');
  await runSql(deps, 'delete from agent_season_points');
  await runSql(deps, 'update season set scored_at = null');
  return { scored, points: () => points(deps) };
}
