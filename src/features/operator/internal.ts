import { createHash, timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { countRefused } from '../../server/authenticate.js';
import { MAX_BYTES, parseBody, readText } from '../../server/http/body.js';
import { anyText, choice, fromTexts, integer, isAcceptedTime, MAX_COUNT, parseFields } from '../../server/inputs.js';
import { pick, view } from '../../server/resources/field.js';
import { moderate, moderationActions, moderationRecord, moderationTargets } from '../moderation/moderate.js';
import { endSeason, startSeason } from '../seasons/lifecycle.js';
import { season } from '../seasons/resource.js';
import { scoreNow } from '../seasons/score.js';

/** A date without a time means 00:00 UTC of that day. */
const moment = () =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .transform((text) => new Date(text))
    .refine(isAcceptedTime)
    .meta({ expected: 'a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z, in the years 1970 to 9999' });

const spanBody = z.object({ startDate: moment(), endDate: moment() });
const numberParams = z.object({ number: integer(1, MAX_COUNT) });

const moderationBody = z.object({
  action: choice(...moderationActions),
  target: choice(...moderationTargets),
  subject: anyText(),
  avatarUrl: anyText().optional(),
  operator: anyText(),
  reason: anyText(),
});
const MODERATION_ROWS = 100;

const readBody = async <Schema extends z.ZodObject>({ req }: Context, schema: Schema): Promise<z.output<Schema>> =>
  parseFields(schema, parseBody(await readText(req, MAX_BYTES)));

type Handler = (deps: Deps, ctx: Context) => Promise<{ readonly status?: number; readonly body: object }>;

const routes: Readonly<Record<string, Handler>> = {
  '/internal/jobs/score-season': async (deps) => ({ body: { scored: await scoreNow(deps) } }),

  '/internal/seasons': async (deps, ctx) => {
    const { startDate: startAt, endDate: endAt } = await readBody(ctx, spanBody);
    return { status: 201, body: { season: seasonView.format(await startSeason(deps, { startAt, endAt })) } };
  },

  '/internal/seasons/:number/end': async (deps, ctx) => {
    const { number } = parseFields(numberParams, fromTexts(numberParams, ctx.params));
    return { body: { season: seasonView.format(await endSeason(deps, number)) } };
  },

  '/internal/moderation': async (deps, ctx) => ({ body: await moderate(deps, await readBody(ctx, moderationBody)) }),

  '/internal/moderation/list': async (deps) => ({ body: { actions: await moderationRecord(deps, MODERATION_ROWS) } }),
};

/**
 * Endpoints for a scheduler or the operator. A request sends one of the secrets in CRON_SECRET as a bearer token. Without
 * CRON_SECRET these endpoints do not exist. They are not declared as operations, so OpenAPI, /docs and MCP do not show them.
 */
export function serveInternal(deps: Deps, router: Router): void {
  const { CRON_SECRET } = deps.config;
  if (CRON_SECRET === undefined) return;
  const expected = CRON_SECRET.map((secret) => digest(`Bearer ${secret}`));
  for (const [path, handle] of Object.entries(routes)) {
    router.post(path, async (ctx: Context) => {
      const given = digest(ctx.get('authorization'));
      // The digests have equal lengths, so each comparison takes constant time.
      if (!expected.some((accepted) => timingSafeEqual(given, accepted))) {
        return countRefused(deps, ctx, new AppError('INVALID_SECRET'));
      }
      const { status, body } = await handle(deps, ctx);
      ctx.status = status ?? 200;
      ctx.type = 'application/json';
      ctx.body = JSON.stringify({ success: true, ...body });
    });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const seasonView = view(pick(season.fields, 'number', 'startDate', 'endDate', 'isActive', 'isFrozen'));
