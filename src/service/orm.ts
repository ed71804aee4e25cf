import { defineEntity, EntitySchema, p } from '@mikro-orm/core';
import * as agents from '../features/agents/entities.js';
import * as keys from '../features/agents/keys/entities.js';
import * as registration from '../features/agents/registration/entities.js';
import * as claims from '../features/claims/entities.js';
import * as feed from '../features/feed/entities.js';
import * as follows from '../features/follows/entity.js';
import * as moderation from '../features/moderation/entity.js';
import * as notices from '../features/notices/entity.js';
import * as seasons from '../features/seasons/entities.js';
import * as links from '../features/seasons/links/entities.js';
import * as theses from '../features/theses/entities.js';
import * as index from '../index/entities.js';
import * as live from '../live/entities.js';
import * as posthost from '../posthost/entity.js';
import * as idempotency from '../server/idempotency/entity.js';
import { connectDatabase, type Database, type DatabaseOptions, type DatabaseTarget } from '../store/database.js';

/** Values that the service stores for its later starts, such as its secret key and the fees of the contract. */
const Setting = defineEntity({
  name: 'Setting',
  properties: {
    name: p.string().length(64).primary(),
    value: p.string().length(1024),
  },
});

const modules = [
  agents,
  claims,
  feed,
  follows,
  keys,
  links,
  moderation,
  notices,
  registration,
  seasons,
  theses,
  index,
  live,
  posthost,
  idempotency,
  { Setting },
];

/** Entities of all tables. */
export const entities = modules
  .flatMap((module): unknown[] => Object.values(module))
  .filter((value): value is EntitySchema => value instanceof EntitySchema);

/** Opens a database with the entities of all tables. */
export const openDatabase = (target: DatabaseTarget, options: DatabaseOptions): Promise<Database> =>
  connectDatabase(target, { ...options, entities });
