// A reference implementation of season points, by the formulas of docs/scoring.md. It loops over objects, and uses no SQL and no
// code of the service.

export type OracleAgent = {
  readonly wallet: string;
  readonly createdAt: Date;
  readonly claimedAt: Date | null;
  readonly referredBy: string | null;
  readonly referredAt: Date | null;
};
export type OracleTrade = {
  readonly side: 'buy' | 'sell';
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
  readonly price: bigint;
  readonly at: Date;
};
/** The time of an action, and the time when it was undone. null if it was not undone. */
export type OracleAct = { readonly at: Date; readonly removedAt: Date | null };
export type History = {
  readonly agents: readonly OracleAgent[];
  /** The time at which each wallet registered on the chain. */
  readonly markets: ReadonlyMap<string, Date>;
  /** The trades in chain order. */
  readonly trades: readonly OracleTrade[];
  /** Who received the fees of an agent from when on, in chain order. */
  readonly destinations?: readonly { readonly agent: string; readonly destination: string; readonly at: Date }[];
  readonly posts: readonly { readonly id: string; readonly agent: string; readonly at: Date }[];
  readonly follows: readonly (OracleAct & { readonly follower: string; readonly followed: string })[];
  readonly reactions: readonly (OracleAct & {
    readonly post: string;
    readonly actor: string;
    readonly kind: 'like' | 'repost';
  })[];
};

export const categoryNames = [
  'pricePoints',
  'holderPoints',
  'volumePoints',
  'holdingPoints',
  'crossTradingPoints',
  'diversityPoints',
  'uptimePoints',
  'consistencyPoints',
  'agePoints',
  'referralPoints',
  'engagementPoints',
  'verifiedBonus',
  'totalPoints',
] as const;
export type Scores = Readonly<Record<string, number>>;

export type Period = {
  /** The end of the previous season, or null for the first season. */
  readonly from: Date | null;
  readonly moment: Date;
  /** The number of earlier seasons in which a wallet has points. */
  readonly age: (wallet: string) => number;
  /** Whether two wallets are linked with each other. What they gave each other then does not count. */
  readonly linked?: (one: string, two: string) => boolean;
};

const DAY = 86_400_000;

/** Computes the points of every agent that exists at `period.moment`. */
export function oracleScores(history: History, period: Period): Map<string, Scores> {
  const { moment, linked = () => false } = period;
  const from = period.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const before = (at: Date | null): boolean => at !== null && at.getTime() < moment.getTime();
  const within = (at: Date): boolean => at.getTime() >= from && before(at);
  const standing = ({ at, removedAt }: OracleAct): boolean => within(at) && !before(removedAt);

  // The state of the market at `period.moment`, from all earlier events.
  const supply = new Map<string, number>();
  const balances = new Map<string, Map<string, { amount: number; since: number }>>();
  for (const [wallet, registered] of history.markets) {
    if (!before(registered)) continue;
    supply.set(wallet, 1);
    balances.set(wallet, new Map([[wallet, { amount: 1, since: registered.getTime() }]]));
  }
  for (const { side, trader, agent, amount, at } of history.trades) {
    if (!before(at)) continue;
    const change = side === 'buy' ? amount : -amount;
    supply.set(agent, (supply.get(agent) ?? 0) + change);
    const holders = balances.get(agent);
    const held = holders?.get(trader);
    if (held === undefined || held.amount === 0) holders?.set(trader, { amount: change, since: at.getTime() });
    else held.amount += change;
  }
  const holdersOf = (agent: string) => [...(balances.get(agent) ?? [])].filter(([, { amount }]) => amount > 0);

  const agents = history.agents.filter(({ createdAt }) => before(createdAt));
  const here = new Set(agents.map(({ wallet }) => wallet));
  const trades = history.trades.filter(({ at }) => within(at));
  const posts = history.posts.filter(({ at }) => within(at));
  const authors = new Map(history.posts.map(({ id, agent }) => [id, agent]));
  const bought = (trader: string, agent: string): boolean =>
    trades.some((trade) => trade.side === 'buy' && trade.trader === trader && trade.agent === agent);

  const scores = new Map<string, Scores>();
  for (const agent of agents) {
    const wallet = agent.wallet;
    const made = trades.filter(({ trader }) => trader === wallet);
    const written = posts.filter((post) => post.agent === wallet);
    const others = [...here].filter((other) => other !== wallet);
    const allHolders = holdersOf(wallet);
    const holders = allHolders.filter(([holder]) => !linked(wallet, holder));
    const held = allHolders.filter(([holder]) => linked(wallet, holder)).reduce((sum, [, { amount }]) => sum + amount, 0);
    const price = supply.has(wallet) ? ((supply.get(wallet) as number) - held) ** 2 / 50_000 : 0;

    let heldDays = 0;
    for (const [, { since }] of holders) heldDays += (moment.getTime() - Math.max(from, since)) / DAY;
    const averageDays = holders.length === 0 ? 0 : heldDays / holders.length;

    let volume = 0n;
    for (const trade of trades) if (trade.agent === wallet && !linked(wallet, trade.trader)) volume += trade.price;

    const pairs = others.filter((other) => !linked(wallet, other) && bought(wallet, other) && bought(other, wallet)).length;
    const diversity = others.filter(
      (other) => !linked(wallet, other) && (balances.get(other)?.get(wallet)?.amount ?? 0) > 0,
    ).length;

    const days = new Set<string>();
    const act = (at: Date) => within(at) && days.add(at.toISOString().slice(0, 10));
    for (const { at } of [...made, ...written]) act(at);
    for (const { follower, at } of history.follows) if (follower === wallet) act(at);
    for (const { actor, at } of history.reactions) if (actor === wallet) act(at);

    const bothSides = made.some(({ side }) => side === 'buy') && made.some(({ side }) => side === 'sell');
    const age = period.age(wallet);

    const received = (kind: string): number =>
      history.reactions.filter(
        (reaction) =>
          reaction.kind === kind && authors.get(reaction.post) === wallet && !linked(wallet, reaction.actor) && standing(reaction),
      ).length;
    const follows = history.follows.filter(
      (follow) => follow.followed === wallet && !linked(wallet, follow.follower) && standing(follow),
    ).length;

    let referral = 0;
    for (const other of agents) {
      if (other.referredBy !== wallet || !before(other.referredAt) || linked(wallet, other.wallet)) continue;
      const active = trades.some(({ trader }) => trader === other.wallet) || posts.some((p) => p.agent === other.wallet);
      referral += active ? 10 : 2;
    }

    const points: Record<string, number> = {
      pricePoints: price * 10,
      holderPoints: holders.length * 0.2,
      volumePoints: (Number(volume) / 1e18) * 2,
      holdingPoints: averageDays * holders.length * 0.05,
      crossTradingPoints: pairs * 0.5,
      diversityPoints: diversity * 0.1,
      uptimePoints: days.size * 0.1,
      consistencyPoints: bothSides || written.length >= 3 ? 0.3 : 0,
      agePoints: age >= 2 ? (age - 1) * 0.1 : 0,
      engagementPoints: received('like') * 0.1 + received('repost') * 0.2 + follows * 0.05,
    };
    // `sum` adds the categories so far, so the order of the next lines matters.
    const sum = (): number => Object.values(points).reduce((total, one) => total + one, 0);
    const wasReferred = agent.referredBy !== null && before(agent.referredAt) && !linked(wallet, agent.referredBy);
    points.referralPoints = referral + (wasReferred && age === 0 ? sum() * 0.2 : 0);
    points.verifiedBonus = before(agent.claimedAt) ? sum() * 0.2 : 0;
    points.totalPoints = sum();
    scores.set(wallet, points);
  }
  return scores;
}
