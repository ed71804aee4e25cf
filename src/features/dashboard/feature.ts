import type { LimitRow } from '../../server/rate-limits.js';
import type { Feature } from '../feature.js';

/** A page has about 25 files, which a browser loads once. */
const assets: LimitRow = { name: 'assets', max: 3000, seconds: 60, per: 'ip' };
/** A picture that is not cached takes a fifth of a second of a processor. */
const pictures: LimitRow = { name: 'share', max: 20, seconds: 60, per: 'ip' };

export const dashboardFeature = {
  limits: { '/assets/': assets, '/share/': pictures },
} satisfies Feature;
