import type { Feature } from '../feature.js';
import { apiIndex, skillVersion } from './operations.js';

export const guideFeature: Feature = {
  operations: [skillVersion, apiIndex],
};
