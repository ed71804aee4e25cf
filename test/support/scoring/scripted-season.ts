import { walletOf } from './scoring-example.js';
import type { History, OracleTrade } from './scoring-oracle.js';

/**
 * The history of a script whose lines begin with a minute: `0 Ada joins`, `5 Bo joins by Ada`, `9 Bo posts`, `10 Bo buys 3 Ada`,
 * `11 Bo sells 1 Ada` or `12 Bo pays Ada`, which gives Ada the fees of Bo. Trades of one minute are in one block.
 */
export function scriptedSeason(lines: readonly string[], start: number): History {
  const supply = new Map<string, number>();
  const events = lines.map((line) => {
    const [minute, who = '', verb = '', first = '', second = ''] = line.split(' ');
    return { at: new Date(start + Number(minute) * 60_000), who: walletOf(who), verb, first, second };
  });
  const of = (verb: string) => events.filter((event) => event.verb === verb);
  const trades = events.flatMap(({ at, who, verb, first, second }): OracleTrade[] => {
    if (verb !== 'buys' && verb !== 'sells') return [];
    const [agent, amount] = [walletOf(second), Number(first)];
    const before = supply.get(agent) ?? 1;
    const after = verb === 'buys' ? before + amount : before - amount;
    supply.set(agent, after);
    let price = 0n;
    for (let i = Math.min(before, after); i < Math.max(before, after); i++) price += BigInt(i * i) * 20_000_000_000_000n;
    return [{ side: verb === 'buys' ? 'buy' : 'sell', trader: who, agent, amount, price, at }];
  });
  const joined = of('joins').map(({ who, at, second }) => ({ who, at, referredBy: second ? walletOf(second) : null }));
  return {
    agents: joined.map(({ who: wallet, at: createdAt, referredBy }) => {
      return { wallet, createdAt, claimedAt: null, referredBy, referredAt: referredBy === null ? null : createdAt };
    }),
    markets: new Map(joined.map(({ who, at }) => [who, at])),
    trades,
    destinations: of('pays').map(({ who, first, at }) => ({ agent: who, destination: walletOf(first), at })),
    posts: of('posts').map(({ who, at }, i) => ({ id: `post-${i}`, agent: who, at })),
    follows: [],
    reactions: [],
  };
}
