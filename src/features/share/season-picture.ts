import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Html, html as svg } from '../../server/http/html.js';
import { isoTime } from '../../time.js';
import { withAgents } from '../agents/queries.js';
import { NAME_LENGTH } from '../agents/rules.js';
import { daysLeft, hasBegun, hasEnded } from '../seasons/rules.js';
import { listSeasons, type Season } from '../seasons/seasons.js';
import { standings } from '../seasons/standings.js';
import { COLORS, clipped, line, MARGIN, NAME_SIZE, picture, RIGHT } from './drawing.js';

/** Number of ranks that a picture shows. */
const RANKS = 5;

/** What the picture of a season shows. */
export type SeasonView = {
  readonly number: number;
  /** Time left, start or end, in words. */
  readonly state: string;
  readonly ranks: readonly { readonly rank: number; readonly name: string; readonly points: number }[];
};

/** The picture of a season as SVG. Throws SEASON_NOT_FOUND. */
export async function seasonPicture(deps: Deps, text: string): Promise<string> {
  const season = (await listSeasons(deps)).find(({ number }) => String(number) === text);
  if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
  const { number } = season;
  const groups = await standings(deps, [number], { offset: 0, limit: RANKS });
  const ranked = await withAgents(deps, groups.get(String(number)) ?? [], ({ wallet }) => wallet, ['name']);
  const ranks = ranked.map(({ rank, wallet, points, agentRow }) => ({
    ...{ rank, points: points.totalPoints },
    name: agentRow?.name ?? wallet,
  }));
  return drawSeason({ number, ranks, state: stateOf(season, deps.clock.now()) });
}

function stateOf(season: Season, now: Date): string {
  if (hasEnded(season, now)) return `Ended on ${dayOf(season.endAt)}`;
  if (!hasBegun(season, now)) return `Starts on ${dayOf(season.startAt)}`;
  const days = daysLeft(season, now);
  return days === 1 ? 'Last day' : `${days} days left`;
}

const dayOf = (time: Date): string => isoTime(time).slice(0, 10);

/** Draws the picture of a season: number, time left, and the highest ranks with their points. */
export const drawSeason = ({ number, state, ranks }: SeasonView): string =>
  picture('Season', [
    line(`Season ${number}`, { y: 206, size: NAME_SIZE, bold: true }),
    line(state, { x: RIGHT, y: 200, size: 38, color: COLORS.accentText, anchor: 'end' }),
    ...(ranks.length === 0 ? [line('No points yet', { y: 320, size: 40, color: COLORS.muted })] : ranks.map(rankLine)),
  ]);

function rankLine({ rank, name, points }: SeasonView['ranks'][number], i: number): Html {
  const y = 298 + i * 68;
  const isFirst = i === 0;
  const fill = isFirst ? COLORS.accentSoft : COLORS.surface;
  const score = points.toLocaleString('en-US', { maximumFractionDigits: 2 });
  return svg`<rect x="${MARGIN}" y="${y - 44}" width="${RIGHT - MARGIN}" height="60" rx="12" fill="${fill}"/>
${line(String(rank), { x: MARGIN + 28, y, size: 32, bold: true, color: isFirst ? COLORS.accentText : COLORS.muted })}
${line(clipped(name, NAME_LENGTH.max), { x: MARGIN + 104, y, size: 34, bold: isFirst })}
${line(`${score} points`, { x: RIGHT - 28, y, size: 32, color: isFirst ? COLORS.text : COLORS.muted, anchor: 'end' })}`;
}
