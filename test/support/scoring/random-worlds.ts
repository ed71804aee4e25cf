import { createHash } from 'node:crypto';
import { seeded } from '../seed.js';
import type { History, OracleAct, OracleAgent, OracleTrade } from './scoring-oracle.js';

// Random histories of small, independent groups of agents, so that many groups can share one database. Many events
// happen exactly when a season starts or ends.

const DAY = 86_400_000;
const HOUR = 3_600_000;
const BASE = Date.UTC(2026, 0, 1);

/** A source of random values. The same seed gives the same histories everywhere. */
export function randomFrom(seed: number) {
  const real = seeded(seed);
  const integer = (max: number) => Math.floor(real() * (max + 1));
  const pick = <T>(list: readonly T[]): T => list[integer(list.length - 1)] as T;
  return { real, integer, chance: (probability: number) => real() < probability, pick };
}
type Random = ReturnType<typeof randomFrom>;

/** Three seasons and two times of scoring. The first season is active at `early`, the last one at `late`. */
export function randomCalendar(random: Random) {
  const at = (days: number, hours = 0) => new Date(BASE + days * DAY + hours * HOUR);
  const first = random.integer(2);
  const firstEnd = first + 6 + random.integer(8);
  const second = firstEnd + random.pick([0, 0, 1, 3]);
  // The second season may end at 13:30 instead of at midnight, as if an operator had ended it.
  const secondEnd = second + 5 + random.integer(7);
  const hour = random.pick([0, 0, 13.5]);
  const third = secondEnd + random.pick([0, 2]);
  return {
    spans: [
      { startAt: at(first), endAt: at(firstEnd) },
      { startAt: at(second), endAt: at(secondEnd, hour) },
      { startAt: at(third, hour), endAt: at(third + 14) },
    ],
    early: at(first + 1 + random.integer(4), random.integer(23)),
    late: at(third + 2 + random.integer(8), random.integer(23)),
  };
}
export type Calendar = ReturnType<typeof randomCalendar>;

export function randomHistory(random: Random, calendar: Calendar, name: string): History {
  const hex = (text: string, length: number) => createHash('sha256').update(`${name} ${text}`).digest('hex').slice(0, length);
  const wallets = Array.from({ length: 3 + random.integer(5) }, (_, i) => `0x${hex(`wallet ${i}`, 40)}`);
  const end = calendar.late.getTime() + 2 * DAY;
  const edges = [...calendar.spans.flatMap(({ startAt, endAt }) => [startAt, endAt]), calendar.early, calendar.late];
  const moment = (after = BASE): Date => {
    const edge = random.pick(edges).getTime() + random.pick([0, 0, -1000, 1000]);
    if (random.chance(0.15) && edge >= after) return new Date(edge);
    const any = after + random.real() * Math.max(0, end - after);
    return new Date(random.chance(0.1) ? Math.max(after, Math.floor(any / DAY) * DAY) : Math.floor(any / 1000) * 1000);
  };
  const undone = (at: Date): Date | null => (random.chance(0.4) ? moment(at.getTime()) : null);

  const markets = new Map(wallets.filter(() => random.chance(0.9)).map((wallet) => [wallet, moment(BASE - 5 * DAY)]));
  const here = wallets.filter(() => random.chance(0.8));
  // In some worlds, most agents come from one referrer. In some, two wallets do the same.
  const isRing = random.chance(0.3);
  const agents = here.map((wallet, i): OracleAgent => {
    const createdAt = random.chance(0.6) ? new Date(BASE - HOUR) : moment();
    const referrer = i > 0 && random.chance(isRing ? 0.9 : 0.5) ? random.pick(here.slice(0, isRing ? 1 : i)) : null;
    return {
      wallet,
      createdAt,
      claimedAt: random.chance(0.6) ? moment(createdAt.getTime()) : null,
      referredBy: referrer,
      referredAt: referrer === null ? null : random.chance(0.7) ? createdAt : moment(createdAt.getTime()),
    };
  });

  const posts = agents.flatMap(({ wallet, createdAt }, i) =>
    Array.from({ length: random.integer(6) }, (_, k) => ({
      id: hex(`post ${i} ${k}`, 22),
      agent: wallet,
      at: moment(createdAt.getTime()),
    })),
  );
  const acts = (count: number, after: number): OracleAct[] => {
    // The acts do not overlap: the next one starts after the previous one was undone.
    const list: OracleAct[] = [];
    for (let i = 0; i < count && list.at(-1)?.removedAt !== null; i++) {
      const at = moment(list.at(-1)?.removedAt?.getTime() ?? after);
      list.push({ at, removedAt: undone(at) });
    }
    return list;
  };
  const follows = here.flatMap((follower) =>
    here
      .filter((followed) => followed !== follower && random.chance(0.4))
      .flatMap((followed) => acts(1 + random.integer(2), BASE).map((act) => ({ follower, followed, ...act }))),
  );
  const reactions = posts.flatMap((post) =>
    here
      .filter((actor) => actor !== post.agent && random.chance(0.3))
      .flatMap((actor) => {
        const kind = random.pick(['like', 'repost'] as const);
        return acts(1 + random.integer(1), post.at.getTime()).map((act) => ({ post: post.id, actor, kind, ...act }));
      }),
  );
  const times = Array.from({ length: random.integer(isRing ? 20 : 60) }, () => moment());
  // Some agents let others receive their fees, and some take that back.
  const paying = [...markets.keys()].filter(() => random.chance(0.3)).map((agent) => ({ agent, at: moment() }));
  const destinations = paying
    .map((payment) => ({ ...payment, destination: random.pick([...wallets, payment.agent, `0x${hex('outside', 40)}`]) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  return { agents, markets, trades: trade(random, wallets, markets, times), destinations, posts, follows, reactions };
}

/** Random trades that the contract would accept, in chain order, often several in one second. */
function trade(
  random: Random,
  wallets: readonly string[],
  markets: ReadonlyMap<string, Date>,
  times: readonly Date[],
): OracleTrade[] {
  const supply = new Map<string, number>();
  const held = new Map<string, number>();
  const trades: OracleTrade[] = [];
  const twin = random.chance(0.3) ? wallets[1] : undefined;
  for (const at of [...times].sort((a, b) => a.getTime() - b.getTime())) {
    const open = [...markets].filter(([, registered]) => registered <= at).map(([wallet]) => wallet);
    if (open.length === 0) continue;
    const agent = random.pick(open);
    // Twins make most trades, and the second one only those of the first.
    const trader = twin ? random.pick([twin, twin, twin, ...wallets.filter((_, i) => i !== 2)]) : random.pick(wallets);
    const key = `${agent} ${trader}`;
    const tickets = supply.get(agent) ?? 1;
    const balance = held.get(key) ?? (agent === trader ? 1 : 0);
    const most = Math.min(balance, tickets - 1, 20);
    const sells = most > 0 && trader !== twin && random.chance(0.6);
    const amount = sells ? (random.chance(0.6) ? most : 1 + random.integer(most - 1)) : 1 + random.integer(5);
    const from = sells ? tickets - amount : tickets;
    let squares = 0n;
    for (let i = from; i < from + amount; i++) squares += BigInt(i) ** 2n;
    supply.set(agent, sells ? from : from + amount);
    held.set(key, balance + (sells ? -amount : amount));
    // 1 / 50000 ETH are 20000000000000 wei.
    trades.push({ side: sells ? 'sell' : 'buy', trader, agent, amount, price: squares * 20_000_000_000_000n, at });
    if (trader === twin && !sells) {
      // The twin buys one ticket in the same block.
      const other = wallets[2] as string;
      const now = supply.get(agent) ?? 1;
      supply.set(agent, now + 1);
      held.set(`${agent} ${other}`, (held.get(`${agent} ${other}`) ?? (agent === other ? 1 : 0)) + 1);
      trades.push({ side: 'buy', trader: other, agent, amount: 1, price: BigInt(now) ** 2n * 20_000_000_000_000n, at });
    }
  }
  return trades;
}
