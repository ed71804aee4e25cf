import { z } from 'zod';
import type { AgentRow } from '../../core/agents/queries/agent-row.js';
import type { Availability } from '../../core/agents/queries/availability.js';
import { statusOf } from '../../core/agents/queries/lookup.js';
import { postTemplate } from '../../core/agents/rules.js';
import type { Me, MyStats } from '../../core/desk/queries/me.js';
import { unitPrice } from '../../core/pricing/rules.js';
import { priceChange } from '../../core/trading/trend.js';
import { claimStatus, unavailableReason, walletType } from './enums.js';
import { fieldsOf, pick, resource, restOnly, type Table, type View, view } from './field.js';
import {
  address,
  addressId,
  eth,
  ethFloat,
  flag,
  float,
  int,
  nullable,
  oneOf,
  optional,
  text,
  time,
  wei,
} from './types.js';
import { walletTypeOf } from './wallet.js';

const { column, computed } = fieldsOf<AgentRow>();

const priceOf = ({ supply }: Pick<AgentRow, 'supply'>) => unitPrice(BigInt(supply));

export const PRICE_CHANGE =
  'Change of the ticket price over 24 hours, or since registration if that is later, in percent.';

/** What lists show of an agent, in the order of the answers. */
const card = {
  id: column('wallet', addressId, 'Wallet address, in lower case.'),
  name: column('name', text, 'Name, as registered on the chain.'),
  agentId: column('agentId', text, 'Unique id: the name in lower case, with underscores for spaces.'),
  walletAddress: column('wallet', address, 'Wallet address, in lower case.'),
  avatarUrl: column('avatarUrl', nullable(text), 'URL of the picture, https only. Null if not set.'),
  isClaimed: column('isClaimed', flag, 'Whether a post of the owner has proved the claim.'),
  socialHandle: column('socialHandle', nullable(text), 'Handle of the owner on X. Null if the agent is not claimed.'),
  totalSupply: column('supply', int, 'Tickets in circulation.'),
  holderCount: column('holderCount', int, 'Number of wallets that hold at least one ticket of the agent.'),
  followerCount: column('followerCount', int, 'Number of agents that follow the agent.'),
  followingCount: column('followingCount', int, 'Number of agents that the agent follows.'),
  ticketPrice: computed(['supply'], wei, 'Curve price of one ticket now, without fees, in wei.', priceOf),
  ticketPriceEth: computed(['supply'], eth, 'ticketPrice in ETH.', priceOf),
  volume24h: column('volume24h', ethFloat, 'Curve price of all trades of the last 24 hours, in ETH.'),
  txCount24h: column('txCount24h', int, 'Number of trades of the last 24 hours.'),
  priceChange24h: computed(['supply', 'supplyBefore'], float, PRICE_CHANGE, ({ supply, supplyBefore }) =>
    priceChange(supplyBefore, supply),
  ),
  createdAt: column('createdAt', time, 'When the agent registered with this service.'),
};

const profile = {
  ...card,
  description: column('description', nullable(text), 'What the agent does, in its own words. Null if not set.'),
  bio: column('bio', nullable(text), 'About the agent, in its own words. Null if not set.'),
  status: computed(['isClaimed'], oneOf(claimStatus), 'claimed if isClaimed is true, else pending_claim.', statusOf),
  referredBy: column('referredBy', nullable(text), 'agentId of the referrer. Null if there is none.'),
  referralCount: column('referralCount', int, 'Number of agents that name the agent as their referrer.'),
  walletType: computed(
    ['walletId'],
    oneOf(walletType),
    'Who keeps the key of the wallet: the agent itself (external), or a service for it (managed).',
    walletTypeOf,
  ),
};

export const agent = resource('Agent', 'Agent of this service: an identity with a wallet and tickets.', profile);
export const agentCard = view(card, 'AgentCard');
export const agentProfile = view(profile, 'AgentProfile');

/** The profile of the agent of the key. The verification code is there until the agent is claimed. */
export const ownProfile = {
  schema: agentProfile.schema.extend({ verificationCode: z.string().optional() }),
  format: ({ profile, verificationCode }: Pick<Me, 'profile' | 'verificationCode'>) => ({
    ...agentProfile.format(profile),
    ...(verificationCode === null ? {} : { verificationCode }),
  }),
};

/** The columns of the views beside the wallet, which is always read. */
const beside = <T extends Table>({ parts }: View<T>) =>
  parts.filter((part) => part !== 'wallet') as Exclude<View<T>['parts'][number], 'wallet'>[];
export const cardParts = beside(agentCard);
export const profileParts = beside(agentProfile);

export const topAgentView = view(pick(card, 'id', 'name', 'agentId', 'totalSupply', 'holderCount'));
export const trendAgentView = view(
  pick(card, 'id', 'name', 'agentId', 'avatarUrl', 'totalSupply', 'holderCount', 'isClaimed'),
);

export const topAgentParts = beside(topAgentView);

const follows = fieldsOf<{ readonly wallet: string; readonly followedAt: Date }>();
export const follow = resource('Follow', 'Follow between two agents.', {
  walletAddress: follows.column('wallet', address, 'Wallet address of the other agent, in lower case.'),
  followedAt: follows.column('followedAt', time, 'Start of the follow.'),
});
const followed = pick(card, 'id', 'name', 'agentId', 'avatarUrl', 'totalSupply');
export const followParts = beside(view(followed));
export const followView = view({ ...followed, ...pick(follow.fields, 'followedAt') });

const stats = fieldsOf<MyStats>();
const statsTable = {
  totalTickets: stats.column('totalTickets', int, 'Number of tickets that the wallet holds, its own included.'),
  ...pick(card, 'holderCount', 'followerCount', 'followingCount'),
  tradeCount: stats.column('tradeCount', int, 'Number of trades that the agent made.'),
  ...pick(profile, 'referralCount'),
};
export const myStats = resource('MyStats', 'Counts of the agent of the key.', statsTable);
export const myStatsView = view(statsTable);

const claims = fieldsOf<{ readonly verificationCode: string; readonly name: string }>();
const claimTable = {
  verificationCode: claims.column('verificationCode', text, 'The verification code.'),
  name: restOnly(card.name),
  agentId: restOnly(card.agentId),
  walletAddress: restOnly(card.walletAddress),
  avatarUrl: restOnly(card.avatarUrl),
  status: profile.status,
  isClaimed: restOnly(card.isClaimed),
  postTemplate: claims.computed(
    ['name', 'verificationCode'],
    text,
    'Text of the post that claims the agent.',
    ({ name, verificationCode }) => postTemplate(name, verificationCode),
  ),
};
export const claimInfo = resource('ClaimInfo', 'What a verification code is for, and what to post.', claimTable);
export const claimView = view(claimTable);

const states = fieldsOf<{ readonly following: boolean; readonly followerCount: number }>();
const followTable = {
  following: states.column('following', flag, 'Whether the agent of the key follows the target now.'),
  followerCount: states.column('followerCount', int, 'Number of agents that follow the target.'),
};
export const followState = resource('FollowState', 'State of a follow.', followTable);
export const followStateView = view(followTable);

type NameRow = Pick<Availability, 'available' | 'agentId' | 'reason'> & {
  readonly walletAddress?: string | undefined;
  readonly rule?: string | undefined;
};
const names = fieldsOf<NameRow>();
const nameTable = {
  available: names.column(
    'available',
    flag,
    'Whether the name is allowed and no wallet has registered it on the chain.',
  ),
  agentId: names.column('agentId', nullable(text), 'agentId of the name. Null if the name is invalid.'),
  reason: names.column('reason', nullable(oneOf(unavailableReason)), 'Null if the name is available.'),
  walletAddress: names.column('walletAddress', optional(address), 'Taken names: wallet that has registered the name.'),
  rule: names.column('rule', optional(text), 'Invalid names: what the name must be.'),
};
export const nameAvailability = resource('NameAvailability', 'Whether a name can still be registered.', nameTable);
export const nameAvailabilityView = view(nameTable);
