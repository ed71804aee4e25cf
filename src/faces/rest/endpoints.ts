import type { Config } from '../../config.js';
import { agentDetails, holdings } from './agentdetail.js';
import { agentLists } from './agentlists.js';
import { agents } from './agents.js';
import { availabilityEndpoints } from './availability.js';
import { contractEndpoints } from './contract.js';
import { development } from './dev.js';
import type { Endpoint } from './endpoint.js';
import { feedEndpoints } from './feed.js';
import { follows } from './follows.js';
import { heartbeat } from './heartbeat.js';
import { own, remove } from './me.js';
import { ofMe } from './mine.js';
import { notifications } from './notifications.js';
import { operations } from './operations.js';
import { pnl } from './pnl.js';
import { pricing } from './pricing.js';
import { seasons } from './seasons.js';
import { tickets } from './tickets.js';
import { trades } from './trades.js';
import { trending } from './trending.js';
import { verificationEndpoints } from './verification.js';
import { wallets } from './wallets.js';

/** Every endpoint of the service. Fixed segments stand before parameters of the same place: the first match serves. */
export function endpoints(config: Config): readonly Endpoint[] {
  return [
    ...operations,
    ...contractEndpoints,
    ...availabilityEndpoints,
    ...agents,
    ...verificationEndpoints,
    ...follows,
    ...agentLists,
    ...trending,
    ...agentDetails,
    ...wallets,
    ...pricing(config),
    ...tickets,
    ...trades,
    ...pnl,
    ...feedEndpoints,
    ...notifications,
    ...seasons,
    ...own,
    ...[holdings, ...follows, ...trades, remove].map(ofMe),
    ...heartbeat,
    ...(config.chainEmbedded ? development : []),
  ];
}
