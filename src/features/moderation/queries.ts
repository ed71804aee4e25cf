import type { Deps } from '../../deps.js';
import type { Moderation } from './entity.js';

/** The newest actions of operators, newest first. */
export const moderationRecord = (deps: Pick<Deps, 'sql'>, limit: number): Promise<Moderation[]> =>
  deps.sql<Moderation>(
    `select id, action, target, subject, agent, avatar_url as "avatarUrl", operator, reason, created_at as "createdAt"
     from moderation order by id desc limit $1`,
    [limit],
  );
