import type { Feature } from '../feature.js';
import { development, devLimit } from './operations.js';

export const developmentFeature: Feature = {
  tags: { Development: 'Tools for developers, available only on the embedded chain' },
  limits: { '/dev/': devLimit },
  operations: ({ chainEmbedded }) => (chainEmbedded ? development : []),
};
