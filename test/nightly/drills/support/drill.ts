import { hasNginx } from '../../../support/proxy/nginx.js';
import { postgresPrograms } from '../../../support/servers/postgres.js';
import { hasRedis } from '../../../support/servers/redis.js';
import { hasPrometheus } from './prometheus.js';

const isInstalled = {
  postgres: () => postgresPrograms() !== undefined,
  'redis-server': hasRedis,
  nginx: hasNginx,
  prometheus: hasPrometheus,
} as const;

/**
 * Declares a drill, whose tests are steps: the first failure ends it. Every drill needs PostgreSQL. If a program is missing, the
 * drill only has one skipped test, whose title names the program.
 */
export function describeDrill(title: string, programs: readonly (keyof typeof isInstalled)[], suite: () => void): void {
  const missing = (['postgres', ...programs] as const).filter((name) => !isInstalled[name]()).join(', ');
  describe(missing === '' ? title : `${title} (SKIPPED: no ${missing})`, function () {
    this.timeout(600_000);
    this.bail(true);
    if (missing === '') suite();
    else it(`need ${missing}`);
  });
}
