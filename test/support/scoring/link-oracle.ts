import type { History, OracleTrade } from './scoring-oracle.js';

// A reference implementation of possible links, by docs/links.md. It compares all wallets two by two, and uses no SQL and no code of
// the service.

const DAY = 86_400_000;

/** What links tell: whether two wallets are linked, with how many others a wallet is, and the wallet that stands for its owner. */
export type OracleLinks = {
  readonly linked: (one: string, two: string) => boolean;
  readonly count: (wallet: string) => number;
  readonly ownerOf: (wallet: string) => string;
  readonly wallets: readonly string[];
};

export function oracleLinks(
  history: History,
  { from, moment }: { readonly from: Date | null; readonly moment: Date },
): OracleLinks {
  const end = moment.getTime();
  const start = Math.min(from?.getTime() ?? Number.NEGATIVE_INFINITY, end - 30 * DAY);
  const trades = history.trades.filter(({ at }) => at.getTime() >= start && at.getTime() < end);
  const wallets = [
    ...new Set([...history.markets.keys(), ...history.agents.map(({ wallet }) => wallet), ...trades.map(({ trader }) => trader)]),
  ];
  const known = new Set([...history.markets.keys(), ...history.trades.map(({ trader }) => trader)]);

  // A change in the second of a later trade comes before the trade, or after it: both do not count.
  const bound = Math.min(
    ...history.trades.filter(({ at }) => at.getTime() >= end).map(({ at }) => at.getTime()),
    Number.POSITIVE_INFINITY,
  );
  const paid = new Map<string, string>();
  for (const { agent, destination, at } of history.destinations ?? []) if (at.getTime() < bound) paid.set(agent, destination);
  for (const [agent, destination] of paid) if (agent === destination) paid.delete(agent);
  const payersOf = (destination: string) => [...paid].filter(([, to]) => to === destination).map(([agent]) => agent);

  const bursts = new Map<string, string>();
  const referred = history.agents.filter(
    (one) => one.referredBy && one.createdAt.getTime() < end && (one.referredAt?.getTime() ?? end) < end,
  );
  for (const [referrer, group] of Map.groupBy(referred, ({ referredBy }) => referredBy)) {
    const times = [...new Set(group.map(({ createdAt }) => createdAt.getTime()))].sort((a, b) => a - b);
    for (const one of group) {
      // The burst is named by its first time: the last one that follows a longer pause.
      const at = one.createdAt.getTime();
      const first = times.filter((time, i) => time <= at && (i === 0 || time - (times[i - 1] ?? 0) > 600_000)).at(-1);
      bursts.set(one.wallet, `${referrer} ${first}`);
    }
  }
  for (const [wallet, burst] of [...bursts]) {
    if ([...bursts.values()].filter((other) => other === burst).length < 3) bursts.set(wallet, `alone ${wallet}`);
  }
  const spent = (wallet: string) =>
    history.trades.filter(({ trader, side }) => trader === wallet && side === 'buy').reduce((sum, { price }) => sum + price, 0n);
  const idle = (wallet: string) => spent(wallet) < 10n ** 15n;

  const made = Map.groupBy(trades, ({ trader }) => trader);
  const blocksOf = (wallet: string) => new Set((made.get(wallet) ?? []).map(({ at }) => at.getTime()));
  const actsOf = (wallet: string) =>
    new Set((made.get(wallet) ?? []).map(({ agent, side, at }) => `${agent} ${side} ${at.toISOString().slice(0, 10)}`));
  const sum = (list: readonly OracleTrade[]) => list.reduce((total, { price }) => total + price, 0n);
  const shareWith = (wallet: string, other: string) => {
    const all = made.get(wallet) ?? [];
    return { part: sum(all.filter(({ agent }) => agent === other)), total: sum(all) };
  };

  /** The number of signs in the trades of two wallets, and whether they registered together. */
  function weight(one: string, two: string): { readonly trades: number; readonly areSiblings: boolean } {
    const areSiblings = bursts.has(one) && bursts.get(one) === bursts.get(two);
    const [a, b] = [blocksOf(one), blocksOf(two)];
    const blocks = a.intersection(b).size;
    const sameBlocks = blocks >= 3 && blocks >= Math.min(a.size, b.size) / 4;
    const [toTwo, toOne] = [shareWith(one, two), shareWith(two, one)];
    const eachOther = [toTwo, toOne].every(({ part, total }) => part * 10n > total * 8n);
    const [x, y] = [actsOf(one), actsOf(two)];
    const active = [one, two].every((wallet) => (made.get(wallet)?.length ?? 0) >= 10);
    const sameTrades = active && x.intersection(y).size * 10 >= 8 * x.union(y).size;
    const hints = [sameBlocks, eachOther].filter(Boolean).length;
    const isCompared = hints > 0 || areSiblings;
    return { trades: hints + (isCompared && sameTrades ? 1 : 0), areSiblings };
  }

  // Each destination, each burst of idle siblings and each component of pairs is a cluster of its own.
  const clusters = new Map<string, { readonly members: Set<string>; readonly leaders: Set<string> }>();
  const add = (key: string, members: readonly string[], leader?: string) => {
    const found = clusters.get(key) ?? { members: new Set(), leaders: new Set() };
    for (const member of members) found.members.add(member);
    if (leader !== undefined) found.leaders.add(leader);
    clusters.set(key, found);
  };
  for (const destination of new Set(paid.values())) {
    const payers = payersOf(destination);
    const isKnown = known.has(destination) || history.agents.some(({ wallet }) => wallet === destination);
    if (payers.length > 1 || isKnown) add(`1 ${destination}`, payers, isKnown ? destination : undefined);
  }
  const referrerOf = (wallet: string) => history.agents.find((agent) => agent.wallet === wallet)?.referredBy ?? '';
  const component = new Map(wallets.map((wallet) => [wallet, wallet]));
  const pairs: { readonly one: string; readonly two: string; readonly areSiblings: boolean }[] = [];
  for (const [i, one] of wallets.entries()) {
    for (const two of wallets.slice(i + 1)) {
      const { trades: hints, areSiblings } = weight(one, two);
      if (areSiblings && idle(one) && idle(two)) add(`0 ${bursts.get(one)}`, [one, two], referrerOf(one));
      if (hints === 0 || hints + (areSiblings ? 1 : 0) < 2) continue;
      pairs.push({ one, two, areSiblings });
      const [a, b] = [component.get(one), component.get(two)];
      for (const [wallet, of] of component) if (of === b) component.set(wallet, a ?? one);
    }
  }
  for (const { one, two, areSiblings } of pairs) {
    add(`2 ${component.get(one)}`, [one, two]);
    if (areSiblings) add(`named ${component.get(one)} ${referrerOf(one)}`, [one, two], referrerOf(one));
  }
  const all = [...clusters.values()];
  const linked = (one: string, two: string) =>
    one !== two &&
    all.some(
      ({ members, leaders }) =>
        (members.has(one) && (members.has(two) || leaders.has(two))) || (members.has(two) && leaders.has(one)),
    );
  return {
    linked,
    count: (wallet) => wallets.filter((other) => linked(wallet, other)).length,
    ownerOf: (wallet) =>
      [...clusters]
        .filter(([key, { members }]) => key[0] !== 'n' && members.has(wallet))
        .map(([key]) => key)
        .sort()
        .at(-1) ?? wallet,
    wallets,
  };
}
