import { z } from 'zod';
import type { AgentCard, AgentProfile } from '../../core/agents/queries/agent-row.js';
import { statusOf } from '../../core/agents/queries/lookup.js';
import { unitPrice } from '../../core/pricing/rules.js';
import { priceChange } from '../../core/trading/trend.js';
import { ethNumber, formatEth } from '../../money.js';

/** Shapes that several answers share, each with the function that makes it from what the core gives. */

export const address = z.string().meta({ description: 'A wallet address, lowercase' });
export const wei = z.string().meta({ description: 'Wei, as a decimal string' });
export const eth = z.string().meta({ description: 'ETH, as a decimal string without exponent and trailing zeros' });
export const time = z.string().meta({ description: 'ISO 8601, UTC, with milliseconds' });

export const agentCard = z
  .object({
    id: address.meta({ description: 'The wallet address' }),
    name: z.string(),
    agentId: z.string(),
    walletAddress: address,
    avatarUrl: z.string().nullable(),
    isClaimed: z.boolean(),
    socialHandle: z.string().nullable(),
    totalSupply: z.int(),
    holderCount: z.int(),
    followerCount: z.int(),
    followingCount: z.int(),
    ticketPrice: wei.meta({ description: 'Curve price of one ticket at the supply now, without fees, in wei' }),
    ticketPriceEth: eth,
    volume24h: z.number().meta({ description: 'Curve price of the trades of the last 24 hours, in ETH' }),
    txCount24h: z.int(),
    priceChange24h: z.number().meta({ description: 'Percent, against 24 hours ago, or registration if later' }),
    createdAt: time,
  })
  .meta({ id: 'AgentCard' });

export function formatCard(card: AgentCard): z.input<typeof agentCard> {
  const ticketPrice = unitPrice(BigInt(card.supply));
  return {
    id: card.wallet,
    name: card.name,
    agentId: card.agentId,
    walletAddress: card.wallet,
    avatarUrl: card.avatarUrl,
    isClaimed: card.isClaimed,
    socialHandle: card.socialHandle,
    totalSupply: card.supply,
    holderCount: card.holderCount,
    followerCount: card.followerCount,
    followingCount: card.followingCount,
    ticketPrice: String(ticketPrice),
    ticketPriceEth: formatEth(ticketPrice),
    volume24h: ethNumber(card.volume24h),
    txCount24h: card.txCount24h,
    priceChange24h: priceChange(card.supplyBefore, card.supply),
    createdAt: card.createdAt.toISOString(),
  };
}

/** Transaction hashes in the feed: whole (`full`) for callers with a key. */
export const shownTxHash = (hash: string, full: boolean): string => (full ? hash : `${hash.slice(0, 10)}…`);

export const claimStatus = z.enum(['pending_claim', 'claimed']);

export const walletType = z
  .enum(['external', 'managed'])
  .meta({ description: 'Whether the agent keeps the key itself' });

export const walletTypeOf = (agent: { readonly walletId: string | null }): z.input<typeof walletType> =>
  agent.walletId === null ? 'external' : 'managed';

export const agentProfile = agentCard
  .extend({
    description: z.string().nullable(),
    bio: z.string().nullable(),
    status: claimStatus,
    referredBy: z.string().nullable().meta({ description: 'The agentId of the referrer' }),
    referralCount: z.int(),
    walletType,
  })
  .meta({ id: 'AgentProfile' });

export function formatProfile(profile: AgentProfile): z.input<typeof agentProfile> {
  return {
    ...formatCard(profile),
    description: profile.description,
    bio: profile.bio,
    status: statusOf(profile),
    referredBy: profile.referredBy,
    referralCount: profile.referralCount,
    walletType: walletTypeOf(profile),
  };
}

/** Which part of a list this is. */
export const pagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    totalPages: z.int(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'Pagination' });

export function paginationOf(page: number, limit: number, total: number): z.input<typeof pagination> {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}

/** What an agent's score in a season is made of. */
export const points = z
  .object({
    pricePoints: z.number(),
    holderPoints: z.number(),
    volumePoints: z.number(),
    holdingPoints: z.number(),
    crossTradingPoints: z.number(),
    diversityPoints: z.number(),
    uptimePoints: z.number(),
    consistencyPoints: z.number(),
    agePoints: z.number(),
    referralPoints: z.number(),
    engagementPoints: z.number(),
    verifiedBonus: z.number(),
    totalPoints: z.number(),
  })
  .meta({ id: 'Points' });
