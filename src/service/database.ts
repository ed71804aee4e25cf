import { join, resolve } from 'node:path';
import { type Config, ConfigError } from '../config.js';
import { type Database, type DatabaseTarget, migrate, openDatabase } from '../store/database.js';
import type { Stops } from './stops.js';

export type StartedDatabase = { readonly orm: Database; readonly target: DatabaseTarget };

export async function startDatabase(config: Config, stops: Stops): Promise<StartedDatabase> {
  const target: DatabaseTarget =
    config.DATABASE_URL === undefined
      ? { directory: join(resolve(config.DATA_DIR), 'database') }
      : { url: config.DATABASE_URL };
  const orm = await openDatabase(target).catch((error: Error) => {
    if (config.DATABASE_URL === undefined) throw error;
    throw new ConfigError(`DATABASE_URL: the value is not accepted; the server says: ${firstLine(error)}`);
  });
  stops.push(() => orm.close(true));
  await migrate(orm, target);
  return { orm, target };
}

export const firstLine = (error: Error): string => (error.message || String(error)).split('\n')[0] ?? '';
