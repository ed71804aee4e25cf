// For the MikroORM command line: `npm run orm -- migration:create` writes the difference between the entities
// and the database in DATABASE_URL (an empty directory of the embedded database without it).
import { ormOptions } from './src/store/database.js';

const url = process.env.DATABASE_URL;
const driver = url
  ? { driver: (await import('@mikro-orm/postgresql')).PostgreSqlDriver, clientUrl: url }
  : { driver: (await import('@mikro-orm/pglite')).PgliteDriver, dbName: 'memory://' };

export default { ...ormOptions(), ...driver };
