import type { Config } from '../config/config.js';
import { type Endpoint, isEndpoint, isTool, type Operation, type Tool } from '../server/operation.js';
import type { PathLimits } from '../server/rate-limits.js';
import { agentFeature } from './agents/feature.js';
import { claimFeature } from './claims/feature.js';
import { dashboardFeature } from './dashboard/feature.js';
import { developmentFeature } from './development/feature.js';
import type { Feature } from './feature.js';
import { feedFeature } from './feed/feature.js';
import { followFeature } from './follows/feature.js';
import { guideFeature } from './guides/feature.js';
import { noticeFeature } from './notices/feature.js';
import { operatorFeature } from './operator/feature.js';
import { seasonFeature } from './seasons/feature.js';
import { subscriptionFeature } from './subscriptions/feature.js';
import { thesisFeature } from './theses/feature.js';
import { tradingFeature } from './trading/feature.js';

/** All features that serve something, in the order in which OpenAPI and `/docs` list them. */
export const features: readonly Feature[] = [
  operatorFeature,
  agentFeature,
  claimFeature,
  followFeature,
  tradingFeature,
  thesisFeature,
  feedFeature,
  noticeFeature,
  seasonFeature,
  subscriptionFeature,
  guideFeature,
  dashboardFeature,
  developmentFeature,
];

const operationsFor = (config: Config): readonly Operation[] =>
  features.flatMap(({ operations = [] }) => (typeof operations === 'function' ? operations(config) : operations));

/** All endpoints that this configuration has, in the order of OpenAPI and `/docs`. */
export const endpoints = (config: Config): readonly Endpoint[] => operationsFor(config).filter(isEndpoint);

/** All MCP tools that this configuration has, in the order in which `tools/list` returns them. */
export const toolsFor = (config: Config): readonly Tool[] => operationsFor(config).filter(isTool);

/** The tags of all features in OpenAPI, with their descriptions. */
export const tags: Readonly<Record<string, string>> = Object.assign({}, ...features.map((feature) => feature.tags));

/** The rate limits of the paths outside /api, from all features. */
export const pathLimits: PathLimits = Object.assign({}, ...features.map((feature) => feature.limits));
