import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../store/types.js';

/** Profile that a wallet registered with this service. What the chain says about the wallet is in the entity `Market`. */
export const Agent = defineEntity({
  name: 'Agent',
  properties: {
    wallet: p.type(AddressType).primary(),
    name: p.string().length(15).collation('C'),
    agentId: p.string().length(30).collation('C').unique(),
    /** SHA-256 of the API key. The key itself is not stored. */
    apiKeyHash: p.blob().unique(),
    verificationCode: p.string().length(16).unique(),
    description: p.string().length(160).nullable(),
    bio: p.string().length(200).nullable(),
    avatarUrl: p.string().length(500).nullable(),
    /** ERC-8004 identity, as the agent names it: `readIdentity` has the form. Only the chain can prove it. */
    identity: p.string().length(100).nullable(),
    referredBy: () => p.manyToOne(Agent).mapToPk().nullable().deleteRule('set null').fieldNames('referred_by').index(),
    referredAt: p.datetime().nullable(),
    socialHandle: p.string().length(50).nullable(),
    claimedAt: p.datetime().nullable(),
    /**
     * Post that proved the claim. A post can claim only one agent: UsedPost stores the post even after the claim ends.
     */
    claimPostId: p.string().length(32).nullable().unique(),
    /** True if the claim was made with the agent's key. Only a request with this key can then change the claim. */
    claimFinal: p.boolean().default(false),
    /**
     * HMAC of the client's IP address at registration. `referrerOf` compares it: an agent cannot refer an agent from the same
     * address.
     */
    registrationIp: p.blob(),
    /** True if the wallet signed the registration. A later registration of the wallet then cannot replace it. */
    signed: p.boolean().default(false),
    walletId: p.string().length(128).nullable(),
    followerCount: p.integer().default(0).check('follower_count >= 0'),
    followingCount: p.integer().default(0).check('following_count >= 0'),
    createdAt: p.datetime(),
  },
  indexes: [
    { properties: ['createdAt', 'wallet'] },
    { properties: ['name'] },
    {
      name: 'agent_handle',
      expression: 'create index "agent_handle" on "agent" (lower("social_handle" collate "C")) where "social_handle" is not null',
    },
  ],
  triggers: [
    {
      name: 'agent_listed',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
      // The statement on `tally` comes last: every registration locks the same row there. Taking this lock last prevents
      // deadlocks.
      body: `if tg_op = 'INSERT' then
        insert into listing (wallet, agent_id, is_claimed, created_at)
          values (new.wallet, new.agent_id, new.claimed_at is not null, new.created_at)
          on conflict (wallet) do update set agent_id = excluded.agent_id, is_claimed = excluded.is_claimed, created_at = excluded.created_at;
        insert into tally (name, total) values ('agents', 1) on conflict (name) do update set total = tally.total + 1;
      elsif tg_op = 'DELETE' then
        update listing set agent_id = null, is_claimed = false, created_at = null where wallet = old.wallet;
        update tally set total = total - 1 where name = 'agents';
      elsif (new.agent_id, new.claimed_at is null, new.created_at) is distinct from (old.agent_id, old.claimed_at is null, old.created_at) then
        update listing set agent_id = new.agent_id, is_claimed = new.claimed_at is not null, created_at = new.created_at
          where wallet = new.wallet;
      end if;
      return null`,
    },
  ],
  checks: [
    { name: 'agent_wallet_form', expression: "wallet ~ '^0x[0-9a-f]{40}$'" },
    { name: 'agent_identity_form', expression: "identity ~ '^eip155:[1-9][0-9]{0,14}:0x[0-9a-f]{40}:(0|[1-9][0-9]{0,14})$'" },
    { name: 'agent_not_own_referrer', expression: 'referred_by <> wallet' },
    { name: 'agent_claim_whole', expression: '(claimed_at is null) = (claim_post_id is null)' },
    { name: 'agent_claim_final_claimed', expression: 'claimed_at is not null or not claim_final' },
    { name: 'agent_referral_whole', expression: 'referred_by is null or referred_at is not null' },
  ],
});
export type Agent = InferEntity<typeof Agent>;

export const profileParts = ['avatar', 'texts'] as const;
export type ProfilePart = (typeof profileParts)[number];

/**
 * Part of a profile that the operator has hidden or replaced, with what the agent had written there. The table has no foreign key:
 * the row outlives the agent, so that a later registration of the wallet does not undo the hiding.
 */
export const HiddenProfile = defineEntity({
  name: 'HiddenProfile',
  properties: {
    wallet: p.type(AddressType).primary(),
    part: p.enum(profileParts).primary(),
    /**
     * The avatar before it was hidden or replaced. Null if there was none, if the agent cleared it, or if the agent was deleted.
     */
    avatarUrl: p.string().length(500).nullable(),
    /** The texts before they were hidden. A restored profile gets them back. */
    description: p.string().length(160).nullable(),
    bio: p.string().length(200).nullable(),
    createdAt: p.datetime(),
  },
});

/**
 * Columns by which lists of agents filter and sort, in one narrow row per wallet. Some come from the profile, some from the
 * market. Triggers of the entities `Agent` and `Market` update the row in the transaction of the change. Each trigger writes only
 * the columns that come from its entity.
 */
export const Listing = defineEntity({
  name: 'Listing',
  properties: {
    wallet: p.type(AddressType).primary(),
    /** The columns from here on come from the profile. If the wallet has none, `isClaimed` is false, and the others are null. */
    agentId: p.string().length(30).collation('C').nullable(),
    isClaimed: p.boolean().default(false),
    createdAt: p.datetime().nullable(),
    /** The columns from here on come from the market. null if the market is not indexed. */
    supply: p.bigint('number').nullable(),
    holderCount: p.integer().nullable(),
    tradeCount: p.integer().nullable(),
  },
  indexes: [
    { name: 'listing_newest', properties: ['createdAt', 'wallet'], where: 'created_at is not null' },
    {
      name: 'listing_supply',
      properties: ['supply', 'wallet'],
      where: 'created_at is not null and supply is not null',
    },
    {
      name: 'listing_holders',
      properties: ['holderCount', 'wallet'],
      where: 'created_at is not null and supply is not null',
    },
  ],
});

/** Row counts that triggers maintain, because counting many rows takes long. The row `agents` has the number of profiles. */
export const Tally = defineEntity({
  name: 'Tally',
  properties: {
    name: p.string().length(16).primary(),
    total: p.bigint('number'),
  },
});
