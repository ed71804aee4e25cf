import { runSql } from '../store.js';
import type { World } from '../world.js';
import { askAs, claim, follow, newAgent, type TestAgent, tradeOnChain, writePost } from './agents.js';
import { addSeason } from './rows.js';

export type Market = Awaited<ReturnType<typeof populate>>;

/** Creates three agents with trades, follows, a post and a like, and with points in two seasons. */
export async function populate(world: World) {
  const trade = async (side: 'buy' | 'sell', who: TestAgent, of: TestAgent, amount: number, thesis?: string) => {
    const made = await tradeOnChain(who, side, of, amount);
    await askAs(world, who, 'POST', `/api/tickets/${side}`, { ...made, thesis });
    return made.txHash;
  };
  const ada = await newAgent(world, { name: 'Ada', description: 'First' });
  await claim(world, ada);
  const bob = await newAgent(world, { name: 'Bob' });
  const eve = await newAgent(world, { name: 'Eve B' });
  const bought = await trade('buy', bob, ada, 3, 'Cheap');
  await trade('buy', eve, ada, 2);
  await trade('buy', ada, bob, 4);
  await trade('sell', bob, ada, 2);
  await trade('buy', eve, bob, 1);
  await follow(world, bob, ada);
  await follow(world, eve, ada);
  await follow(world, ada, bob);
  await askAs(world, ada, 'POST', `/api/feed/${await writePost(world, bob, 'Hello')}/like`);
  const now = world.clock.now();
  await addSeason(world, 1, -30, -2, now);
  await addSeason(world, 2, -2, 9, now);
  await runSql(
    world.deps,
    `insert into agent_season_points (season, agent, price_points, total_points, rank, computed_at)
       values (2, $1, 1.5, 4.25, 1, $3), (2, $2, 0.5, 2, 2, $3), (1, $2, 1, 3, 1, $3)`,
    [ada.wallet, bob.wallet, now],
  );
  return { ada, bob, eve, bought };
}
