// For the MikroORM command line: `npm run orm -- migration:create` writes the difference between the entities
// and the database in DATABASE_URL (an empty directory of the embedded database without it).
import { join } from 'node:path';
import { entities } from './src/service/orm.js';
import { ormOptions } from './src/store/database.js';

const url = process.env.DATABASE_URL;
const driver = url
  ? { driver: (await import('@mikro-orm/postgresql')).PostgreSqlDriver, clientUrl: url }
  : { driver: (await import('@mikro-orm/pglite')).PgliteDriver, dbName: 'memory://' };

const options = ormOptions(entities);
// This file runs in dist. New migrations belong to the sources.
const migrations = { ...options.migrations, pathTs: join(import.meta.dirname, '..', 'schema', 'migrations') };

export default { ...options, ...driver, migrations };
