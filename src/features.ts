import type { Config } from './config.js';
import { agentFeature } from './features/agents/feature.js';
import { claimFeature } from './features/claims/feature.js';
import { developmentFeature } from './features/development/feature.js';
import type { Feature } from './features/feature.js';
import { feedFeature } from './features/feed/feature.js';
import { followFeature } from './features/follows/feature.js';
import { guideFeature } from './features/guides/feature.js';
import { keyFeature } from './features/keys/feature.js';
import { marketFeature } from './features/market/feature.js';
import { meFeature } from './features/me/feature.js';
import { noticeFeature } from './features/notices/feature.js';
import { priceFeature } from './features/prices/feature.js';
import { pricingFeature } from './features/pricing/feature.js';
import { registrationFeature } from './features/registration/feature.js';
import { seasonFeature } from './features/seasons/feature.js';
import { subscriptionFeature } from './features/subscriptions/feature.js';
import { tradingFeature } from './features/trading/feature.js';
import { operations as healthOperations } from './server/health/operations.js';
import { type Endpoint, isEndpoint, isTool, type Operation, type Tool } from './server/operation.js';

/** All features that have operations or types of GraphQL, in the order of the documents. */
export const features: readonly Feature[] = [
  ...[pricingFeature, registrationFeature, agentFeature, keyFeature, claimFeature, marketFeature, followFeature],
  ...[priceFeature, tradingFeature, feedFeature, noticeFeature, seasonFeature, meFeature, subscriptionFeature],
  ...[guideFeature, developmentFeature],
];

const operationsFor = (config: Config): readonly Operation[] =>
  features.flatMap(({ operations = [] }) => (typeof operations === 'function' ? operations(config) : operations));

/** All endpoints, in the order of the documents. */
export const endpoints = (config: Config): readonly Endpoint[] => [
  ...healthOperations,
  ...operationsFor(config).filter(isEndpoint),
];

/** All tools of MCP, in the order of the list. */
export const toolsFor = (config: Config): readonly Tool[] => operationsFor(config).filter(isTool);
