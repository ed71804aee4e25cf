// Which wallets are possibly linked, that is, may have one owner (docs/links.md). Signs with a weight of 1 in all link two wallets.

/** An agent whose fees another wallet receives. `isKnown`: that wallet has a market, has traded, or is an agent here. */
export type Payment = { readonly agent: string; readonly destination: string; readonly isKnown: boolean };

/** An agent that was referred, and registered within 10 minutes of others with the same referrer: those with the same `burst`. */
export type Sibling = { readonly wallet: string; readonly referrer: string; readonly burst: string; readonly isIdle: boolean };

/** Two wallets that are linked by signs, of which at least one is in their trades. null: there is no such sign. */
export type TradePair = {
  readonly one: string;
  readonly two: string;
  /** Number of blocks in which both traded. */
  readonly sameBlocks: number | null;
  /** Share of their trades that agree in market, day and side, in percent. */
  readonly sameTrades: number | null;
  /** Share of the volume of each that is with the other, in percent: the smaller of the two. */
  readonly eachOther: number | null;
};

export type Evidence = {
  readonly payments: readonly Payment[];
  readonly siblings: readonly Sibling[];
  readonly pairs: readonly TradePair[];
};

/** Kinds of signs. */
export const signKinds = ['feeDestination', 'registeredTogether', 'hardlyTraded', 'sameBlocks', 'sameTrades', 'eachOther'] as const;
export type SignKind = (typeof signKinds)[number];

export const weightOfSign = (kind: SignKind): number => (kind === 'feeDestination' ? 1 : 0.5);

const pairKinds = ['sameBlocks', 'sameTrades', 'eachOther'] as const;

/**
 * A wallet of a cluster, which is linked with the others of it. At most one `leads`: it has not done anything itself, but the members pay
 * their fees to it, or name it as their referrer.
 */
export type LinkedWallet = {
  readonly cluster: number;
  readonly wallet: string;
  readonly leads: boolean;
  /** Number of wallets that it is linked with, in all its clusters. */
  readonly links: number;
};
type Place = Omit<LinkedWallet, 'links'>;

/** A sign that a wallet belongs to a cluster. `about` is the other wallet. `figure` counts; see `TradePair`. */
export type Sign = {
  readonly cluster: number;
  readonly wallet: string;
  readonly kind: SignKind;
  readonly about: string;
  readonly figure: number;
};

/** Sets of wallets that are joined two by two. */
class Sets {
  readonly #parents = new Map<string, string>();

  /** The wallet that stands for the set of a wallet. */
  of(wallet: string): string {
    let root = wallet;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) root = parent;
    if (root !== wallet) this.#parents.set(wallet, root);
    return root;
  }

  join(one: string, two: string): void {
    const [a, b] = [this.of(one), this.of(two)].sort();
    if (a !== undefined && b !== undefined && a !== b) this.#parents.set(b, a);
  }
}

/** The clusters, by a key that sorts them, while they are found. */
class Clusters {
  readonly #found = new Map<string, { readonly members: Set<string>; leader?: string; readonly signs: Omit<Sign, 'cluster'>[] }>();

  of(key: string) {
    const cluster = this.#found.get(key) ?? { members: new Set<string>(), signs: [] };
    this.#found.set(key, cluster);
    return cluster;
  }

  /** Adds a cluster of wallets that name the same other wallet. With `leads`, it belongs to the cluster. */
  name(key: string, { kind, about, naming, leads }: Naming): void {
    const cluster = this.of(key);
    const sign = { kind, about, figure: naming.length };
    for (const wallet of naming) {
      cluster.members.add(wallet);
      cluster.signs.push({ wallet, ...sign });
    }
    if (!leads) return;
    cluster.leader = about;
    cluster.signs.push({ wallet: about, ...sign });
  }

  numbered() {
    const sorted = [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, cluster], i) => ({ number: i + 1, ...cluster }));
  }
}
type Naming = { readonly kind: SignKind; readonly about: string; readonly naming: readonly string[]; readonly leads: boolean };

const walletsIn = (rows: readonly { readonly wallet: string }[]): string[] => rows.map(({ wallet }) => wallet);

/**
 * The clusters of linked wallets, and the signs for them. Each destination of fees has a cluster, and so have the agents of a burst that
 * hardly traded. Links by trades pass on. A wallet may be in several clusters, and does not join them: anybody can pay fees to the
 * destination of a stranger, or register after it. The same evidence in any order gives the same.
 */
export function linksOf({ payments, siblings, pairs }: Evidence): {
  readonly wallets: readonly LinkedWallet[];
  readonly signs: readonly Sign[];
} {
  const clusters = new Clusters();
  for (const [about, group] of Map.groupBy(payments, ({ destination }) => destination)) {
    const naming = group.map(({ agent }) => agent);
    clusters.name(`fees ${about}`, { kind: 'feeDestination', about, naming, leads: group.some(({ isKnown }) => isKnown) });
  }
  const idle = siblings.filter(({ isIdle }) => isIdle);
  for (const [burst, group] of Map.groupBy(idle, (sibling) => sibling.burst)) {
    const [first] = group;
    if (first === undefined || group.length < 2) continue;
    const [key, about, naming] = [`burst ${burst}`, first.referrer, walletsIn(group)];
    clusters.name(key, { kind: 'registeredTogether', about, naming, leads: true });
    for (const wallet of naming) clusters.of(key).signs.push({ wallet, kind: 'hardlyTraded', about, figure: 0 });
  }
  addPairs(clusters, siblings, pairs);
  const numbered = clusters.numbered();
  const places = numbered.flatMap(({ number: cluster, members, leader }): Place[] => [
    ...Array.from(members, (wallet) => ({ cluster, wallet, leads: false })),
    ...(leader === undefined || members.has(leader) ? [] : [{ cluster, wallet: leader, leads: true }]),
  ]);
  const signs = numbered.flatMap(({ number: cluster, signs }) => signs.map((sign) => ({ cluster, ...sign })));
  return { wallets: counted(places), signs };
}

/** Adds the clusters of wallets that are linked by their trades, and of siblings among them with their referrer. */
function addPairs(clusters: Clusters, siblings: readonly Sibling[], pairs: readonly TradePair[]): void {
  const sets = new Sets();
  for (const { one, two } of pairs) sets.join(one, two);
  const sibling = new Map(siblings.map((one) => [one.wallet, one]));
  /** The siblings that links rest on. */
  const telling = new Set<Sibling>();
  for (const pair of pairs) {
    const { one, two } = pair;
    const { members, signs } = clusters.of(`trades ${sets.of(one)}`);
    members.add(one).add(two);
    for (const kind of pairKinds) {
      const figure = pair[kind];
      if (figure !== null) signs.push({ wallet: one, kind, about: two, figure }, { wallet: two, kind, about: one, figure });
    }
    const [first, second] = [sibling.get(one), sibling.get(two)];
    if (first && first.burst === second?.burst) telling.add(first).add(second);
  }
  const named = Map.groupBy(telling, ({ wallet, referrer }) => `named ${sets.of(wallet)} ${referrer}`);
  for (const [key, group] of named) {
    const about = group[0]?.referrer ?? '';
    clusters.name(key, { kind: 'registeredTogether', about, naming: walletsIn(group), leads: true });
  }
}

/** Adds the number of links of each wallet. */
function counted(places: readonly Place[]): LinkedWallet[] {
  const groups = Map.groupBy(places, ({ cluster }) => cluster);
  const clusters = new Map(Array.from(groups, ([cluster, group]) => [cluster, new Set(walletsIn(group))]));
  // Most wallets of several clusters share them with others, so each combination is counted once. The largest cluster is not walked
  // through.
  const sizes = new Map<string, number>();
  return [...Map.groupBy(places, ({ wallet }) => wallet).values()].flatMap((own) => {
    const key = own.map(({ cluster }) => cluster).join();
    const [largest = new Set(), ...others] = own
      .map(({ cluster }) => clusters.get(cluster) ?? new Set())
      .sort((a, b) => b.size - a.size);
    const size = sizes.get(key) ?? largest.size + new Set(others.flatMap((set) => [...set.difference(largest)])).size;
    sizes.set(key, size);
    return own.map((place) => ({ ...place, links: size - 1 }));
  });
}
