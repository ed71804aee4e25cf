import { expect } from 'chai';
import { categoryNames, type History, oracleScores } from '../../../support/scoring/scoring-oracle.js';
import type { PostgresServer } from '../../../support/servers/postgres.js';

/** Reads the rows on which the scoring depends, in the form that the oracle takes. */
export async function storedHistory(postgres: PostgresServer): Promise<History> {
  const markets = await postgres.query<{ wallet: string; at: Date }>('select wallet, registered_at as at from market');
  const trades = await postgres.query<Omit<History['trades'][number], 'price'> & { price: string }>(
    `select case when type like '%BUY' then 'buy' else 'sell' end as side, trader, agent, amount, price,
       block_time as at from transaction order by block_number, log_index`,
  );
  const reactions = `select post, actor, kind, created_at as at, removed_at as "removedAt" from reaction`;
  const follows = `select follower, followed, created_at as at, removed_at as "removedAt" from agent_follow`;
  return {
    agents: await postgres.query(
      `select wallet, created_at as "createdAt", claimed_at as "claimedAt", referred_by as "referredBy",
         referred_at as "referredAt" from agent`,
    ),
    markets: new Map(markets.map(({ wallet, at }) => [wallet, at])),
    trades: trades.map((trade) => ({ ...trade, price: BigInt(trade.price) })),
    posts: await postgres.query('select id, agent, created_at as at from agent_activity'),
    follows: await postgres.query(follows),
    reactions: await postgres.query(reactions),
  };
}

export type SeasonScore = { readonly scoredAt: Date; readonly agents: number };

/** Checks that the points of the first season equal those of the oracle at the time of the scoring. */
export async function expectScores(postgres: PostgresServer): Promise<SeasonScore> {
  const [season] = await postgres.query<{ scoredAt: Date }>('select scored_at as "scoredAt" from season where number = 1');
  const moment = season?.scoredAt as Date;
  const expected = oracleScores(await storedHistory(postgres), { from: null, moment, age: () => 0 });
  const names = categoryNames.map((name) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`);
  const rows = await postgres.query<{ agent: string; at: Date; [name: string]: unknown }>(
    `select agent, computed_at as at, ${names.join(', ')} from agent_season_points where season = 1`,
  );
  expect(rows.map(({ agent }) => agent).sort()).to.deep.equal([...expected.keys()].sort());
  for (const row of rows) {
    expect(row.at).to.deep.equal(moment);
    for (const name of categoryNames) {
      expect(Number(row[name]), `${name} of ${row.agent}`).to.be.closeTo(expected.get(row.agent)?.[name] as number, 1e-9);
    }
  }
  return { scoredAt: moment, agents: rows.length };
}
