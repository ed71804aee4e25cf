import type { LimitRow } from '../../server/rate-limits.js';

/** Limit of the files of the dashboard. A page has about 25 files, and a browser loads each file only once. */
export const assetLimit: LimitRow = { name: 'assets', max: 3000, seconds: 60, per: 'ip' };

/** Limit of the pictures for link previews. Rendering a picture that is not cached takes a fifth of a second of processor time. */
export const pictureLimit: LimitRow = { name: 'share', max: 20, seconds: 60, per: 'ip' };
