import type { LimitRow } from '../../server/rate-limits.js';

/** A page has about 25 files, which a browser loads once. */
export const assetLimit: LimitRow = { name: 'assets', max: 3000, seconds: 60, per: 'ip' };

/** A picture that is not cached takes a fifth of a second of a processor. */
export const pictureLimit: LimitRow = { name: 'share', max: 20, seconds: 60, per: 'ip' };
