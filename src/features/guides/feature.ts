import type { Feature } from '../feature.js';
import { apiIndex, skillVersion } from './operations.js';

export const guideFeature: Feature = {
  tags: { Guides: 'Version of the guides for agents' },
  operations: [skillVersion, apiIndex],
};
