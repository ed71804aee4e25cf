import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../../../store/types.js';
import { Agent } from '../../agents/entities.js';
import { signKinds } from './rules.js';

/** A wallet of a cluster of possibly linked wallets, as last computed. */
export const LinkedWalletTable = defineEntity({
  name: 'LinkedWallet',
  properties: {
    wallet: p.type(AddressType).primary(),
    cluster: p.integer().primary(),
    /** True if only other wallets have named it: as the destination of their fees, or as their referrer. */
    leads: p.boolean(),
    /** Number of wallets that it is linked with. */
    links: p.integer().check('links >= 1'),
  },
  indexes: [{ properties: ['cluster', 'wallet'] }],
});

/** A sign for a cluster, as last computed. */
export const LinkSign = defineEntity({
  name: 'LinkSign',
  properties: {
    cluster: p.integer().primary(),
    wallet: p.type(AddressType).primary(),
    kind: p.enum(signKinds).primary(),
    /** The other wallet. The wallet itself if others have named it. */
    about: p.type(AddressType).primary(),
    figure: p.integer(),
  },
});

/** Rank and points of an agent in a season without what possibly linked wallets gave, beside its row of `agent_season_points`. */
export const UnlinkedStanding = defineEntity({
  name: 'UnlinkedStanding',
  properties: {
    season: p.integer().primary(),
    agent: () => p.manyToOne(Agent).mapToPk().primary().deleteRule('cascade').fieldNames('agent').index(),
    totalPoints: p.double(),
    rank: p.integer().check('rank >= 1'),
    /** Number of wallets that are possibly linked with the agent. */
    linkedWallets: p.integer().check('linked_wallets >= 0'),
    /** Curve price of all trades in the tickets of the agent in the window, in wei, and the round trips in it. */
    volume: p.type(WeiType).check('volume >= 0'),
    roundTrips: p.type(WeiType).check('round_trips >= 0'),
    /** Time of the points beside which it was computed. */
    computedAt: p.datetime(),
  },
  indexes: [{ properties: ['season', 'rank', 'agent'] }],
});
