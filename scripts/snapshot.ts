// Makes the snapshot of the migrated embedded database from which new data directories start, unless it is current.
import { isCurrent, makeSnapshot } from '../src/store/new-database.js';

// The embedded database is loaded only if it is needed: every build runs this.
if (!isCurrent()) await makeSnapshot((await import('../src/store/database.js')).initializeEmbedded);
