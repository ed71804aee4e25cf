import { join } from 'node:path';

/** The root directory of the repository. The compiled file is dist/scripts/supply-chain/root.js. */
export const root = join(import.meta.dirname, '..', '..', '..');
