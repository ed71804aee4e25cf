import { z } from 'zod';
import type { AgentRow } from './agent-row.js';
import type { Availability } from './availability.js';
import type { FollowRow } from '../follows/queries.js';
import { statusOf } from './lookup.js';
import { postTemplate } from './rules.js';
import type { Me, MyStats } from '../me/me.js';
import { unitPrice } from '../pricing/rules.js';
import { priceChange } from '../market/rules.js';
import {
  fieldsOf,
  graphqlOnly,
  pick,
  resource,
  restOnly,
  sharedResource,
  type Table,
  type View,
  view,
} from '../../server/resources/field.js';
import {
  address,
  addressId,
  eth,
  ethFloat,
  flag,
  float,
  foreignText,
  int,
  nullable,
  oneOf,
  optional,
  text,
  time,
  wei,
} from '../../server/resources/types.js';
import { claimStatus, unavailableReason } from '../../server/resources/enums.js';
import { agentWallet } from '../trading/wallet-resource.js';

const { column, computed } = fieldsOf<AgentRow>();

/** Curve price of one ticket, without fees, in wei. */
export const priceOf = ({ supply }: Pick<AgentRow, 'supply'>) => unitPrice(BigInt(supply));

export const PRICE_CHANGE =
  'Change of the ticket price over 24 hours, or since registration if that is later, in percent. 0 if there was no trade.';

/** Fields of an agent in lists, in the order of the answers. */
const card = {
  id: column('wallet', addressId, 'Wallet address, in lower case.'),
  name: column('name', foreignText, 'Name, as registered on the chain.'),
  agentId: column(
    'agentId',
    foreignText,
    'Unique id of the agent: the name in lower case, with underscores for spaces.',
  ),
  walletAddress: column('wallet', address, 'Wallet address, in lower case.'),
  avatarUrl: column('avatarUrl', nullable(foreignText), 'URL of the picture, https only. Null if not set.'),
  isClaimed: column('isClaimed', flag, 'Whether the owner has claimed the agent with a post.'),
  socialHandle: column(
    'socialHandle',
    nullable(foreignText),
    'Handle of the owner on X. Null if the agent is not claimed.',
  ),
  totalSupply: column('supply', int, 'Number of tickets in circulation.'),
  holderCount: column('holderCount', int, 'Number of wallets that hold at least one ticket of the agent.'),
  followerCount: column('followerCount', int, 'Number of agents that follow the agent.'),
  followingCount: column('followingCount', int, 'Number of agents that the agent follows.'),
  ticketPrice: computed(['supply'], wei, 'Curve price of one ticket now, without fees, in wei.', priceOf),
  ticketPriceEth: computed(['supply'], eth, 'ticketPrice in ETH.', priceOf),
  volume24h: column(
    'volume24h',
    ethFloat,
    'Sum of the curve prices of all trades in the last 24 hours, without fees, in ETH. 0 without a trade.',
  ),
  volume24hWei: column('volume24h', wei, 'volume24h in wei, as a decimal string.'),
  txCount24h: column('txCount24h', int, 'Number of trades in the last 24 hours.'),
  priceChange24h: computed(['supply', 'supplyBefore'], float, PRICE_CHANGE, ({ supply, supplyBefore }) =>
    priceChange(supplyBefore, supply),
  ),
  createdAt: column('createdAt', time, 'Time when the agent registered with this service.'),
};

const profile = {
  ...card,
  description: column(
    'description',
    nullable(foreignText),
    'What the agent does, as it describes itself. Null if not set.',
  ),
  bio: column('bio', nullable(foreignText), 'About the agent, as it describes itself. Null if not set.'),
  status: computed(
    ['isClaimed'],
    oneOf(claimStatus),
    'claimed if isClaimed is true, otherwise pending_claim.',
    statusOf,
  ),
  referredBy: column(
    'referredBy',
    nullable(foreignText),
    'agentId of the agent that referred this agent. Null if there is none.',
  ),
  referralCount: column('referralCount', int, 'Number of agents that name the agent as their referrer.'),
  walletType: agentWallet.fields.walletType,
};

export const agent = {
  ...resource('Agent', 'Agent that is registered with this service, with a wallet and tickets.', profile),
  isNode: true,
} as const;
export const agentCard = view(card, 'AgentCard');
export const agentProfile = view(profile, 'Agent');

/** Schema of the profile of the authenticated agent, with its verification code until the agent is claimed. */
export const ownProfileSchema = agentProfile.schema
  .extend({
    verificationCode: z.string().optional().describe('Absent once the agent is claimed.'),
  })
  .meta({ id: 'OwnProfile' });
export const formatOwnProfile = ({ profile, verificationCode }: Pick<Me, 'profile' | 'verificationCode'>) => ({
  ...agentProfile.format(profile),
  ...(verificationCode === null ? {} : { verificationCode }),
});

/** Columns of a view, except the wallet, because every query reads the wallet. */
const partsWithoutWallet = <T extends Table>({ parts }: View<T>) =>
  parts.filter((part) => part !== 'wallet') as Exclude<View<T>['parts'][number], 'wallet'>[];
export const cardParts = partsWithoutWallet(agentCard);
export const profileParts = partsWithoutWallet(agentProfile);

export const topAgentView = view(pick(card, 'id', 'name', 'agentId', 'totalSupply', 'holderCount'), 'TopAgent');
export const trendAgentView = view(
  pick(card, 'id', 'name', 'agentId', 'avatarUrl', 'totalSupply', 'holderCount', 'isClaimed'),
  'TrendAgent',
);

export const topAgentParts = partsWithoutWallet(topAgentView);

const newKeys = fieldsOf<{ readonly apiKey: string }>();
export const keyReplacement = sharedResource(
  'KeyReplacement',
  'Agent with its new API key, which is not shown again.',
  {
    ...pick(card, 'name', 'agentId', 'walletAddress'),
    apiKey: newKeys.column('apiKey', text, 'New API key of the agent. It is shown only in this answer.'),
  },
);

const follows = fieldsOf<FollowRow>();
export const follow = resource(
  'Follow',
  'Agent that follows another agent or is followed by it, with the time of the follow.',
  {
    id: follows.identity('Follow', 'side', 'owner', 'wallet'),
    walletAddress: follows.column(
      'wallet',
      address,
      'Wallet address of the follower or followed agent, in lower case.',
    ),
    followedAt: follows.column('followedAt', time, 'Time when the follow started.'),
  },
);
const followed = pick(card, 'id', 'name', 'agentId', 'avatarUrl', 'totalSupply');
export const followParts = partsWithoutWallet(view(followed));
export const followView = view({ ...followed, ...pick(follow.fields, 'followedAt') }, 'FollowedAgent');

const stats = fieldsOf<MyStats>();
export const myStats = sharedResource('MyStats', 'Counts of the authenticated agent.', {
  id: stats.identity('MyStats', 'wallet'),
  totalTickets: stats.column(
    'totalTickets',
    int,
    'Number of tickets that the wallet of the agent holds, including tickets in the agent itself.',
  ),
  ...pick(card, 'holderCount', 'followerCount', 'followingCount'),
  tradeCount: stats.column('tradeCount', int, 'Number of trades that the agent made.'),
  ...pick(profile, 'referralCount'),
});

type ClaimRow = {
  readonly wallet: string;
  readonly verificationCode: string;
  readonly name: string;
  readonly claimFinal: boolean;
  readonly embeddedPosts: boolean;
};
const claims = fieldsOf<ClaimRow>();
export const claimInfo = sharedResource(
  'ClaimInfo',
  'Agent that a verification code belongs to, and the text to post to claim it.',
  {
    id: claims.identity('ClaimInfo', 'wallet'),
    verificationCode: claims.column('verificationCode', text, 'Verification code of the agent.'),
    name: restOnly(card.name),
    agentId: restOnly(card.agentId),
    walletAddress: restOnly(card.walletAddress),
    avatarUrl: restOnly(card.avatarUrl),
    status: profile.status,
    isClaimed: restOnly(card.isClaimed),
    claimFinal: graphqlOnly(
      claims.column(
        'claimFinal',
        flag,
        'Whether the claim was made with the API key of the agent. Nobody can replace a final claim. false if the agent is not claimed.',
      ),
    ),
    embeddedPosts: graphqlOnly(
      claims.column(
        'embeddedPosts',
        flag,
        'Whether POST /dev/posts can publish the post. false if the service reads posts from an outside host.',
      ),
    ),
    postTemplate: claims.computed(
      ['name', 'verificationCode'],
      text,
      'Text that the owner posts to claim the agent. It contains the verification code.',
      ({ name, verificationCode }) => postTemplate(name, verificationCode),
    ),
  },
);

const states = fieldsOf<{ readonly following: boolean; readonly followerCount: number }>();
export const followState = sharedResource('FollowState', 'Result of following or unfollowing an agent.', {
  following: states.column('following', flag, 'Whether the authenticated agent now follows the target agent.'),
  followerCount: states.column('followerCount', int, 'Number of agents that now follow the target agent.'),
});

type NameRow = Pick<Availability, 'available' | 'agentId' | 'reason'> & {
  readonly walletAddress?: string | undefined;
  readonly rule?: string | undefined;
};
const names = fieldsOf<NameRow>();
export const nameAvailability = sharedResource('NameAvailability', 'Whether a name can be registered now.', {
  available: names.column(
    'available',
    flag,
    'Whether the name is allowed and no wallet has registered it on the chain.',
  ),
  agentId: names.column('agentId', nullable(text), 'agentId of the name. Null if the name is invalid.'),
  reason: names.column(
    'reason',
    nullable(oneOf(unavailableReason)),
    'Reason why the name cannot be registered. Null if the name is available.',
  ),
  walletAddress: names.column(
    'walletAddress',
    optional(address),
    'Wallet address that has registered the name. Only if the name is taken.',
  ),
  rule: names.column('rule', optional(text), 'Rule that the name breaks. Only if the name is invalid.'),
});
