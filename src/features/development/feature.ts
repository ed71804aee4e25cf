import type { Feature } from '../feature.js';
import { development } from './operations.js';

export const developmentFeature: Feature = {
  tags: { Development: 'Tools for developers, available only on the embedded chain' },
  operations: ({ chainEmbedded }) => (chainEmbedded ? development : []),
};
