import type { Deps } from '../../../deps.js';
import { countsByParent, type Keyed, type Page, type Relation, rowsByParent } from '../../../store/pages.js';

export type Following = { readonly wallet: string; readonly followedAt: Date };

const follows = (own: 'follower' | 'followed', other: 'follower' | 'followed'): Relation => ({
  columns: `f.${other} as wallet, f.created_at as "followedAt"`,
  from: 'agent_follow f',
  of: `f.${own}`,
  where: 'f.removed_at is null',
  keys: [
    ['f.created_at', 'timestamptz'],
    ['f.id', 'int8'],
  ],
});
const followers = follows('followed', 'follower');
const followed = follows('follower', 'followed');

const referrals: Relation = {
  columns: 'r.wallet',
  from: 'agent r',
  of: 'r.referred_by',
  keys: [
    ['r.referred_at', 'timestamptz'],
    ['r.wallet', 'text'],
  ],
};

type ByAgent<Row> = Promise<Map<string, Keyed<Row>[]>>;

/** Who follows each of the agents, the latest first. */
export const followersByAgent = (deps: Deps, wallets: readonly string[], page: Page): ByAgent<Following> =>
  rowsByParent(deps.sql, followers, wallets, page);

/** Whom each of the agents follows, the latest first. */
export const followedByAgent = (deps: Deps, wallets: readonly string[], page: Page): ByAgent<Following> =>
  rowsByParent(deps.sql, followed, wallets, page);

/** Whom each of the agents has referred, the latest first. */
export const referralsByAgent = (deps: Deps, wallets: readonly string[], page: Page): ByAgent<{ wallet: string }> =>
  rowsByParent(deps.sql, referrals, wallets, page);

export const referralCounts = (deps: Deps, wallets: readonly string[]): Promise<Map<string, number>> =>
  countsByParent(deps.sql, referrals, wallets);
