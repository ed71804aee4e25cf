import { createHash } from 'node:crypto';
import { seeded } from '../market/traffic.js';
import type { History, OracleAct, OracleAgent, OracleTrade } from './scoring-oracle.js';

// Random histories of small, independent groups of agents, so that many groups can share one database. Many events
// happen exactly when a season starts or ends.

const DAY = 86_400_000;
const HOUR = 3_600_000;
export const BASE = Date.UTC(2026, 0, 1);

/** Three seasons. The first is scored at `early` and the last at `late`, while they are active. */
export type Calendar = {
  readonly spans: readonly { readonly startAt: Date; readonly endAt: Date }[];
  readonly early: Date;
  readonly late: Date;
};

export type Random = {
  real(): number;
  integer(max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
};

/** The same seed gives the same histories everywhere. */
export function randomFrom(seed: number): Random {
  const real = seeded(seed);
  const integer = (max: number) => Math.floor(real() * (max + 1));
  return { real, integer, chance: (p) => real() < p, pick: (list) => list[integer(list.length - 1)] as never };
}

export function randomCalendar(random: Random): Calendar {
  const at = (days: number, hours = 0) => new Date(BASE + days * DAY + hours * HOUR);
  const first = random.integer(2);
  const firstEnd = first + 6 + random.integer(8);
  const second = firstEnd + random.pick([0, 0, 1, 3]);
  // The second season may end at any time of day, as if an operator had ended it.
  const secondEnd = second + 5 + random.integer(7);
  const hour = random.pick([0, 0, 13.5]);
  const third = secondEnd + random.pick([0, 2]);
  const thirdEnd = third + 14;
  return {
    spans: [
      { startAt: at(first), endAt: at(firstEnd) },
      { startAt: at(second), endAt: at(secondEnd, hour) },
      { startAt: at(third, hour), endAt: at(thirdEnd) },
    ],
    early: at(first + 1 + random.integer(4), random.integer(23)),
    late: at(third + 2 + random.integer(8), random.integer(23)),
  };
}

export function randomHistory(random: Random, calendar: Calendar, name: string): History {
  const hex = (text: string, length: number) =>
    createHash('sha256').update(`${name} ${text}`).digest('hex').slice(0, length);
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
  const agents = here.map((wallet, i): OracleAgent => {
    const createdAt = random.chance(0.6) ? new Date(BASE - HOUR) : moment();
    const referrer = i > 0 && random.chance(0.5) ? random.pick(here.slice(0, i)) : null;
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
    // The acts do not overlap: the next starts after the previous one was undone.
    const list: OracleAct[] = [];
    let from = after;
    for (let i = 0; i < count; i++) {
      const at = moment(from);
      const removedAt = undone(at);
      list.push({ at, removedAt });
      if (removedAt === null) break;
      from = removedAt.getTime();
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
  const times = Array.from({ length: random.integer(60) }, () => moment());
  return { agents, markets, trades: trade(random, wallets, markets, times), posts, follows, reactions };
}

/** Trades that the contract would accept, in chain order, often several in one second. */
function trade(
  random: Random,
  wallets: readonly string[],
  markets: ReadonlyMap<string, Date>,
  times: readonly Date[],
): OracleTrade[] {
  const supply = new Map<string, number>();
  const held = new Map<string, number>();
  const trades: OracleTrade[] = [];
  for (const at of [...times].sort((a, b) => a.getTime() - b.getTime())) {
    const open = [...markets].filter(([, registered]) => registered <= at).map(([wallet]) => wallet);
    if (open.length === 0) continue;
    const agent = random.pick(open);
    const trader = random.pick(wallets);
    const key = `${agent} ${trader}`;
    const tickets = supply.get(agent) ?? 1;
    const balance = held.get(key) ?? (agent === trader ? 1 : 0);
    const most = Math.min(balance, tickets - 1, 20);
    const sells = most > 0 && random.chance(0.6);
    const amount = sells ? (random.chance(0.6) ? most : 1 + random.integer(most - 1)) : 1 + random.integer(5);
    const from = sells ? tickets - amount : tickets;
    let squares = 0n;
    for (let i = from; i < from + amount; i++) squares += BigInt(i) ** 2n;
    supply.set(agent, sells ? from : from + amount);
    held.set(key, balance + (sells ? -amount : amount));
    trades.push({ side: sells ? 'sell' : 'buy', trader, agent, amount, price: squares * 20_000_000_000_000n, at });
  }
  return trades;
}
