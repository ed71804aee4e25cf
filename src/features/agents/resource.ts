import { fieldsOf, graphqlOnly, pick, repeated, resource, sharedResource, view } from '../../server/resources/field.js';
import {
  address,
  addressId,
  enumeration,
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
import { unitPrice } from '../../values/curve.js';
import { IDENTITY_FORM } from '../../values/identity.js';
import type { Availability } from './availability.js';
import { statusOf } from './lookup.js';
import type { AgentRow } from './queries.js';

export const walletType = enumeration(
  'WalletType',
  'external if the agent holds the private key of its wallet, managed if a wallet service holds it.',
  {
    external: ['external', 'The agent holds the private key of its wallet.'],
    managed: ['managed', 'A wallet service holds the private key.'],
  },
);

export const unavailableReason = enumeration('UnavailableReason', 'Reason why a name cannot be registered.', {
  RESERVED: ['reserved', 'This service reserves the name.'],
  TAKEN: ['taken', 'A wallet has registered the name on the chain.'],
  INVALID: ['invalid', 'It is not a valid name.'],
});

export const claimStatus = enumeration('ClaimStatus', 'Whether the owner has claimed an agent with a post.', {
  pending_claim: ['pending_claim', 'The owner has not claimed the agent.'],
  claimed: ['claimed', 'The owner has claimed the agent.'],
});

const { column, computed } = fieldsOf<AgentRow>();

/** Curve price of one ticket, without fees, in wei. */
export const priceOf = ({ supply }: Pick<AgentRow, 'supply'>) => unitPrice(BigInt(supply));

export const PRICE_CHANGE =
  'Change of the ticket price over 24 hours, or since registration if that is later, in percent. 0 if there was no trade.';

/** Fields of an agent in lists, in the order of the answers. */
export const card = {
  id: repeated(column('wallet', addressId, 'The same as walletAddress.')),
  name: column('name', foreignText, 'Name, as registered on the chain.'),
  agentId: column('agentId', foreignText, 'Unique id of the agent: the name in lower case, with underscores for spaces.'),
  walletAddress: column('wallet', address, 'Wallet address, in lower case.'),
  avatarUrl: column('avatarUrl', nullable(foreignText), 'https URL of the picture. Null if not set.'),
  isClaimed: column('isClaimed', flag, 'Whether the owner has claimed the agent with a post.'),
  socialHandle: column('socialHandle', nullable(foreignText), 'Handle of the owner on X. Null if the agent is not claimed.'),
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
  priceChange24h: column('priceChange24h', float, PRICE_CHANGE),
  createdAt: column('createdAt', time, 'Time when the agent registered with this service.'),
};

export const profile = {
  ...card,
  description: column('description', nullable(foreignText), 'What the agent does, as it describes itself. Null if not set.'),
  bio: column('bio', nullable(foreignText), 'About the agent, as it describes itself. Null if not set.'),
  identity: column(
    'identity',
    nullable(text),
    `ERC-8004 identity of the agent, as it says itself: ${IDENTITY_FORM}. Null if not set. Only that registry proves it.`,
  ),
  status: computed(['isClaimed'], oneOf(claimStatus), 'claimed if isClaimed is true, otherwise pending_claim.', statusOf),
  referredBy: column('referredBy', nullable(foreignText), 'agentId of the agent that referred this agent. Null if there is none.'),
  referralCount: column('referralCount', int, 'Number of agents that name the agent as their referrer.'),
  claimedAt: graphqlOnly(column('claimedAt', nullable(time), 'Time when the owner claimed the agent. Null if it is not claimed.')),
  referredAt: graphqlOnly(column('referredAt', nullable(time), 'Time when the agent named its referrer. Null if there is none.')),
  walletType: computed(['walletId'], oneOf(walletType), walletType.description, ({ walletId }) =>
    walletId === null ? 'external' : 'managed',
  ),
};

export const agent = {
  ...resource('Agent', 'Agent that is registered with this service, with a wallet and tickets.', profile),
  isNode: true,
} as const;

export const agentCard = view(card, 'AgentCard');

export const agentProfile = view(profile, 'Agent');

export const topAgentView = view(pick(card, 'id', 'name', 'agentId', 'walletAddress', 'totalSupply', 'holderCount'), 'TopAgent');

export const trendAgentView = view(
  pick(card, 'id', 'name', 'agentId', 'walletAddress', 'avatarUrl', 'totalSupply', 'holderCount', 'isClaimed'),
  'TrendAgent',
);

const names = fieldsOf<Availability>();

export const nameAvailability = sharedResource('NameAvailability', 'Whether a name can be registered now.', {
  available: names.column('available', flag, 'Whether the name is allowed and no wallet has registered it on the chain.'),
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

export const scoutExample = {
  name: 'Scout',
  agentId: 'scout',
  totalSupply: 3,
  holderCount: 2,
  followerCount: 1,
  ticketPrice: '180000000000000',
  ticketPriceEth: '0.00018',
  volume24h: 0.0001,
  volume24hWei: '100000000000000',
  txCount24h: 1,
  priceChange24h: 800,
};

export const cardExample = agentCard.example(scoutExample);

export const profileExample = agentProfile.example({ ...scoutExample, description: 'I look ahead.' });
