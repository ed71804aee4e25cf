import type { EntityName } from '@mikro-orm/core';
import { AgentActivity } from '../../../src/features/feed/entities.js';
import { AgentFollow } from '../../../src/features/follows/entity.js';
import { AgentSeasonPoints, SeasonTable } from '../../../src/features/seasons/entities.js';
import { addThesis, putRecord } from '../market/judged.js';
import { addHolding, addListedAgent, addTrade } from '../market/rows.js';
import { runSql } from '../store.js';
import type { World } from '../world.js';

/** Texts that do harm if a page interprets them as HTML, as a URL, as a template, or as a change of the direction of writing. */
export const hostileTexts = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "'-window.hacked=1-'",
  'javascript:window.hacked=1',
  '</title><svg onload=window.hacked=1>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202egnp.exe\u202c',
];
/** Cuts a text to 15 characters, the maximum length of agent names and of handles on X. */
export const hostileName = (text: string): string => text.slice(0, 15);

/** The widest name of 15 characters. It has no place where a line could break. */
export const WIDE_NAME = 'W'.repeat(15);

/** Verification code and name of the agent that nobody has claimed. */
export const PENDING = { verificationCode: 'CURVET-P3ND', name: '<b>&amp;</b>' };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Number of further agents, so that the lists have more than one page. The first is `PENDING`, the second has `WIDE_NAME`. */
const PLAIN = 5;

/**
 * Fills a world with agents whose texts try to do harm: `hostile_0` and so on, with trades of two weeks, posts, followers and two
 * seasons. Their theses are judged. The API refuses or changes such texts, so the rows are inserted directly. Returns the wallets of the agents.
 */
export async function addHostileMarket(world: World): Promise<readonly string[]> {
  const now = world.clock.now().getTime();
  const at = (age: number): Date => new Date(now - age);
  const insert = <T extends object>(entity: EntityName<T>, row: object) =>
    world.deps.write((tx) => tx.insert(entity, row as never));

  const wallets: string[] = [];
  for (const [i, text] of hostileTexts.entries()) {
    const agentId = `hostile_${i}`;
    const texts = { name: hostileName(text), description: text, bio: text, avatarUrl: text };
    const claim = { socialHandle: hostileName(text), claimedAt: at(DAY), claimPostId: String(i) };
    const figures = { supply: 40 - i, holderCount: hostileTexts.length, registeredAt: at(20 * DAY) };
    const { wallet } = await addListedAgent(world, { agentId, ...texts, ...claim }, { agentId, ...figures });
    wallets.push(wallet);
  }
  for (let i = 0; i < PLAIN; i++) {
    const agentId = `plain_${i}`;
    const texts = [PENDING, { name: WIDE_NAME, socialHandle: 'wide', claimedAt: at(DAY), claimPostId: 'wide' }][i];
    const { wallet } = await addListedAgent(world, { agentId, ...texts }, { agentId });
    wallets.push(wallet);
  }

  // The last agent stays without trades, followers and other holders. Prices and costs have many digits, so pages must round them.
  for (const [i, agent] of wallets.slice(0, -1).entries()) {
    const trader = wallets[(i + 1) % hostileTexts.length] as string;
    for (const age of [13 * DAY, 6 * DAY, 3 * HOUR, HOUR]) {
      await addTrade(world, { agent, trader, price: 20_000_123_456_789n * BigInt(i + 1), blockTime: at(age) });
    }
    // The newest trade has a thesis, so the hostile texts also appear as theses.
    const trade = await addTrade(world, { agent, trader: agent, type: 'AGENT_BUY', blockTime: at(MINUTE) });
    const text = hostileTexts[i];
    if (text) await addThesis(world, trade, { text, confidence: 70 }, [[-0.1, false], [0.2, true], 'no verdict']);
    if (text) await putRecord(world, agent, { rank: i + 1, beyondLuck: true });
    for (const holder of wallets.slice(0, hostileTexts.length)) {
      if (holder === agent) continue;
      await addHolding(world, { agent, holder, amount: 2, cost: 33_333_333_333_333n });
      await insert(AgentFollow, { follower: holder, followed: agent, createdAt: at(DAY) });
    }
  }
  // The posts are newer than everything else, so the first page of the feed shows all of them.
  for (const [i, text] of hostileTexts.entries()) {
    await insert(AgentActivity, { id: `hostile${i}`.padEnd(22, '0'), agent: wallets[i], text, createdAt: at(0) });
  }
  // Two seasons of ten days each. The second ends now.
  for (const season of [1, 2]) {
    const age = (3 - season) * 10 * DAY;
    await insert(SeasonTable, { number: season, startAt: at(age), endAt: at(age - 10 * DAY) });
    for (const [i, agent] of wallets.entries()) {
      const points = { pricePoints: 40 - i, volumePoints: 20.25, totalPoints: 60.25 - i, rank: i + 1 };
      await insert(AgentSeasonPoints, { season, agent, ...points, computedAt: at(0) });
    }
  }
  await linkAll(world, wallets.slice(0, hostileTexts.length));
  return wallets;
}

/** Links all wallets with the first one, which gets their fees. */
async function linkAll({ deps }: World, wallets: readonly string[]): Promise<void> {
  await runSql(
    deps,
    `insert into linked_wallet (wallet, cluster, leads, links) select wallet, 1, wallet = $1, $3 - 1 from unnest($2::varchar[]) wallet`,
    [wallets[0], wallets, wallets.length],
  );
  await runSql(
    deps,
    `insert into link_sign (cluster, wallet, kind, about, figure)
     select 1, wallet, 'feeDestination', $1, $3 from unnest($2::varchar[]) wallet`,
    [wallets[0], wallets, wallets.length - 1],
  );
  await runSql(
    deps,
    `insert into unlinked_standing (season, agent, total_points, rank, linked_wallets, volume, round_trips, computed_at)
     select season, agent, total_points / 3, rank, $2 - 1, 20000123456789, 2, computed_at from agent_season_points where agent = any($1)`,
    [wallets, wallets.length],
  );
}
