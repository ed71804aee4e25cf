import type { Feature } from '../feature.js';
import { development } from './operations.js';

export const developmentFeature: Feature = {
  operations: ({ chainEmbedded }) => (chainEmbedded ? development : []),
};
