import * as agents from '../../../src/features/agents/resource.js';
import * as claims from '../../../src/features/claims/resource.js';
import * as events from '../../../src/features/feed/resource.js';
import * as follows from '../../../src/features/follows/resource.js';
import * as keys from '../../../src/features/keys/resource.js';
import * as agentLists from '../../../src/features/market/graphql.js';
import * as market from '../../../src/features/market/resource.js';
import * as agentStatistics from '../../../src/features/market/statistics-graphql.js';
import * as me from '../../../src/features/me/graphql.js';
import * as own from '../../../src/features/me/resource.js';
import * as notifications from '../../../src/features/notices/resource.js';
import * as prices from '../../../src/features/prices/resource.js';
import * as pricing from '../../../src/features/pricing/graphql.js';
import * as registration from '../../../src/features/registration/graphql.js';
import * as seasons from '../../../src/features/seasons/resource.js';
import * as subscriptions from '../../../src/features/subscriptions/graphql.js';
import * as trading from '../../../src/features/trading/graphql.js';
import * as pnl from '../../../src/features/trading/pnl-resource.js';
import * as trades from '../../../src/features/trading/resource.js';
import * as wallets from '../../../src/features/trading/wallet-resource.js';
import type { Resource } from '../../../src/server/resources/field.js';

/** The modules that declare what REST and GraphQL show. */
export const modules = {
  agents,
  claims,
  follows,
  keys,
  own,
  events,
  market,
  notifications,
  pnl,
  prices,
  seasons,
  trades,
  wallets,
};
/** The features of GraphQL that declare types which only GraphQL has. */
const features = [agentLists, agentStatistics, me, pricing, registration, subscriptions, trading];

const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && 'Node' in value && 'fields' in value;

export const resources: readonly Resource[] = [...Object.values(modules), ...features]
  .flatMap((module): unknown[] => Object.values(module))
  .filter(isResource);
