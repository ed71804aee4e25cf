import { pino } from 'pino';
import type { Chain } from '../../src/chain/chain.js';
import { readConfig } from '../../src/config/config.js';
import { assembleDeps, type Deps } from '../../src/deps.js';
import { scoreNow } from '../../src/features/seasons/score.js';
import type { Database } from '../../src/store/database.js';
import { insertMany, openSql, type Sql } from '../../src/store/sql.js';
import type { Clock } from '../../src/values/time.js';
import { withoutIndexes } from './bulk.js';
import { blockHash, registrations, trades } from './facts.js';
import { storeHistory } from './history.js';
import { walletOf } from './people.js';
import { makePlan, type Size } from './plan.js';
import { storeProfiles } from './profiles.js';
import { socialStatements } from './social.js';
import { type Calendar, calendar } from './time.js';

/** Chain ID and contract of the simulated chain. */
export const CHAIN_ID = 84532;
export const CONTRACT = `0x${'be'.repeat(20)}`;

/** Tables that `storeHistory` fills without indexes. */
const FACTS = ['transaction', 'candle', 'ticket_lot', 'ticket_holding', 'wallet_ledger'];

/** Fills a migrated, empty database. The history ends at `anchor`. The same size and anchor always give the same rows. */
export async function fill(
  orm: Database,
  size: Size,
  anchor: Date,
  { say = () => {}, batchSize }: { readonly say?: (line: string) => void; readonly batchSize?: number } = {},
): Promise<Calendar> {
  const sql = await openSql(orm);
  const at = calendar(size, anchor);
  const plan = makePlan(size);
  const progress = (done: number) => {
    if (done % 200_000 === 0) say(`${done} of ${size.trades} trades`);
  };
  await storeProfiles(sql, size, at);
  say(`${size.agents} agents`);
  await withoutIndexes(orm, sql, FACTS, () =>
    storeHistory(sql, { registered: registrations(size, at), traded: trades(size, plan, at) }, progress, batchSize),
  );
  say('indexes');
  // Gives the wallet of a number to `socialStatements`. Their last statement drops the table.
  await sql('create table who (number int primary key, wallet varchar not null)');
  const numbers = Array.from({ length: plan.wallets }, (_, number) => number);
  await insertMany(sql, 'who', { number: ['int', numbers], wallet: ['varchar', numbers.map(walletOf)] });
  for (const table of ['who', 'transaction', 'market', 'agent']) await sql(`analyze ${table}`);
  for (const statement of socialStatements(size, at.start)) await sql(statement);
  say('posts, likes and follows');
  await storeCursor(sql, at);
  await storeSeasons(orm, sql, at, anchor);
  say('seasons');
  await sql('vacuum analyze');
  return at;
}

/** Sets the index cursor to the last block of the chain. */
async function storeCursor(sql: Sql, { lastBlock }: Calendar): Promise<void> {
  await sql('insert into chain_block (number, hash) values ($1, $2)', [lastBlock, blockHash(lastBlock)]);
  await sql('insert into indexer_cursor (contract, chain_id, block_number, updated_at) values ($1, $2, $3, now())', [
    CONTRACT,
    CHAIN_ID,
    lastBlock,
  ]);
}

/** Computes the points with the scoring of the service, which also freezes the season that has ended. */
async function storeSeasons(orm: Database, sql: Sql, at: Calendar, anchor: Date): Promise<void> {
  for (const { number, startAt, endAt } of at.seasons) {
    await sql('insert into season (number, start_at, end_at) values ($1, $2, $3)', [number, startAt, endAt]);
  }
  await scoreNow(await scoringDeps(orm, { now: () => anchor }));
}

/** What the scoring of the service needs. A stub stands for the chain. With SEASON_DAYS=0, no season starts automatically. */
export function scoringDeps(orm: Database, clock: Clock): Promise<Deps> {
  return assembleDeps(readConfig({ SEASON_DAYS: '0' }), pino({ level: 'silent' }), {
    orm,
    clock,
    chain: { blockNumber: async () => 0, blockTime: async () => new Date(0) } as unknown as Chain,
    secretKey: '',
  });
}
