import type { Feature } from '../feature.js';
import { assetLimit, pictureLimit } from './limits.js';

export const dashboardFeature: Feature = {
  limits: { '/assets/': assetLimit, '/share/': pictureLimit },
};
