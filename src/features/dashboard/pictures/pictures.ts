import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Router from '@koa/router';
import type { Times } from '../../../config/timeouts.js';
import type { Deps } from '../../../deps.js';
import { AppError, type ErrorCode } from '../../../errors/errors.js';
import { type Html, markup } from '../../../server/http/html.js';
import { type Bytes, bytesOf, sendPublic } from '../../../server/http/public-answer.js';
import { readDeps } from '../../../server/run.js';
import { once, serialQueue } from '../../../tasks.js';
import { unitPrice } from '../../../values/curve.js';
import { formatEth } from '../../../values/money.js';
import { isoTime } from '../../../values/time.js';
import { type Trend, trendingAgents } from '../../agents/lists/agents.js';
import { withAgents } from '../../agents/queries.js';
import { NAME_LENGTH } from '../../agents/rules.js';
import { daysLeft, hasBegun, hasEnded } from '../../seasons/rules.js';
import { listSeasons, type Season } from '../../seasons/seasons.js';
import { standings } from '../../seasons/standings.js';
import { type OutcomeRow, outcomesOf } from '../../theses/outcomes.js';
import { type TradeRow, tradesByIds } from '../../trading/trades.js';
import { agentPicture, changeText } from './agent-picture.js';
import { COLORS, clipped, curve, fitting, line, MARGIN, NAME_SIZE, picture, RIGHT } from './drawing.js';
import type { Task } from './render-worker.js';

/** Number of ranks that a picture shows. */
const RANKS = 5;

/** What the picture of a season shows. */
export type SeasonView = {
  readonly number: number;
  /** The time left, the start or the end of the season, in words. */
  readonly state: string;
  readonly ranks: readonly { readonly rank: number; readonly name: string; readonly points: number }[];
};

/** The picture of a season as SVG. Throws SEASON_NOT_FOUND if there is no such season. */
export async function seasonPicture(deps: Deps, text: string): Promise<string> {
  const season = (await listSeasons(deps)).find(({ number }) => String(number) === text);
  if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
  const { number } = season;
  const groups = await standings(deps, [number], { offset: 0, limit: RANKS });
  const ranked = await withAgents(deps, groups.get(String(number)) ?? [], ({ wallet }) => wallet, ['name']);
  const ranks = ranked.map(({ rank, wallet, points, agentRow }) => ({
    rank,
    points: points.totalPoints,
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
    ...(ranks.length === 0
      ? [line('No points yet', { y: 320, size: 40, color: COLORS.muted })]
      : ranks.map(({ rank, name, points }, i) => rankLine(i, [rank, name, pointsOf(points)]))),
  ]);

const pointsOf = (points: number): string => `${points.toLocaleString('en-US', { maximumFractionDigits: 2 })} points`;

/** One line of a list of agents: rank, name and figure. The first line of the list is highlighted. */
function rankLine(i: number, [rank, name, figure]: readonly [rank: number, name: string, figure: string]): Html {
  const y = 298 + i * 68;
  const isFirst = i === 0;
  const fill = isFirst ? COLORS.accentSoft : COLORS.surface;
  return markup`<rect x="${MARGIN}" y="${y - 44}" width="${RIGHT - MARGIN}" height="60" rx="12" fill="${fill}"/>
${line(String(rank), { x: MARGIN + 28, y, size: 32, bold: true, color: isFirst ? COLORS.accentText : COLORS.muted })}
${line(clipped(name, NAME_LENGTH.max), { x: MARGIN + 104, y, size: 34, bold: isFirst })}
${line(figure, { x: RIGHT - 28, y, size: 32, color: isFirst ? COLORS.text : COLORS.muted, anchor: 'end' })}`;
}

/** The picture of the market as SVG: the agents with the highest trendScore. */
const marketPicture = async (deps: Deps): Promise<string> => drawMarket((await trendingAgents(deps, RANKS)).trends);

/** Draws the picture of the market: agents with the price of a ticket and its change. */
export const drawMarket = (agents: readonly Pick<Trend, 'name' | 'supply' | 'priceChange24h'>[]): string =>
  picture('Market', [
    line('Agent ticket market', { y: 206, size: NAME_SIZE, bold: true }),
    ...(agents.length === 0
      ? [line('Software agents buy and sell tickets in each other.', { y: 320, size: 40, color: COLORS.muted })]
      : agents.map(({ name, supply, priceChange24h }, i) =>
          rankLine(i, [i + 1, name, `${formatEth(unitPrice(BigInt(supply)))} ETH · ${changeText(priceChange24h)}`]),
        )),
  ]);

/** The fields of a trade that its picture shows. */
type TradeView = Pick<TradeRow, 'sale' | 'amount' | 'price' | 'agent' | 'agentName' | 'trader' | 'traderName' | 'time' | 'thesis'>;

/** The picture of a trade as SVG, by the id of its feed event. Throws NOT_FOUND if there is no such trade. */
export async function tradePicture(deps: Deps, eventId: string): Promise<string> {
  const trade = (await tradesByIds(deps, [eventId])).get(eventId);
  if (trade === undefined) throw new AppError('NOT_FOUND');
  return drawTrade(trade, (await outcomesOf(deps, [eventId])).get(eventId));
}

/** Number of characters of a thesis that a line shows. */
const THESIS_SHOWN = 60;
/** The thesis in one line. Long ones are smaller. */
const thesisLine = (thesis: string): Html => {
  const shown = clipped(thesis, THESIS_SHOWN);
  return line(shown, { y: 466, size: fitting(shown || '0', 32, RIGHT - MARGIN) });
};
const HORIZONS = { '1h': '1 hour', '1d': '1 day', '7d': '7 days' } as const;

/** What became of a call at the longest horizon that has ended, in words. undefined if none has. */
function verdictOf(outcomes: readonly OutcomeRow[]): { readonly text: string; readonly color: string } | undefined {
  const judged = outcomes.findLast(({ state }) => state !== 'open');
  if (judged === undefined) return undefined;
  const after = `after ${HORIZONS[judged.horizon]}`;
  const { followed, paid } = judged;
  if (followed === null) return { text: `No verdict ${after}: too few others traded`, color: COLORS.muted };
  const text = `${followed ? 'The market followed' : 'The market did not follow'} ${after}${paid ? ', and it paid' : ''}`;
  return { text, color: followed ? COLORS.up : COLORS.down };
}

/** The text that names an agent or a trader: its name, or a short form of its address if the wallet has no profile. */
const nameOf = (name: string | null, wallet: string): string =>
  name === null ? `${wallet.slice(0, 6)}…${wallet.slice(-4)}` : clipped(name, NAME_LENGTH.max);

/**
 * Draws the picture of a trade: who bought or sold how many tickets of whom, for how much, and when. Of a judged call, also the thesis
 * and what became of it.
 */
export function drawTrade({ sale, amount, price, thesis, ...trade }: TradeView, outcomes: readonly OutcomeRow[] = []): string {
  const verdict = verdictOf(outcomes);
  const color = sale ? COLORS.down : COLORS.up;
  const cost = `${formatEth(price)} ETH`;
  const x = MARGIN + 40;
  return picture('Trade', [
    markup`<g transform="translate(820 110) scale(10)">${curve(sale ? COLORS.downSoft : COLORS.upSoft)}</g>`,
    markup`<rect x="${MARGIN}" y="152" width="8" height="250" rx="4" fill="${color}"/>`,
    line(nameOf(trade.traderName, trade.trader), { x, y: 212, size: NAME_SIZE, bold: true }),
    line(`${sale ? 'sold' : 'bought'} ${amount} ticket${amount === 1 ? '' : 's'} of`, { x, y: 290, size: 44, color }),
    line(nameOf(trade.agentName, trade.agent), { x, y: 384, size: NAME_SIZE, bold: true }),
    ...(verdict
      ? [
          thesisLine(thesis ?? ''),
          line(verdict.text, { y: 520, size: 38, color: verdict.color, bold: true }),
          line(`${cost} without fees`, { y: 580, size: fitting(cost, 28, 500), color: COLORS.muted }),
        ]
      : [
          line(cost, { y: 516, size: fitting(cost, 62, RIGHT - MARGIN), bold: true }),
          line('Price without fees', { y: 580, size: 28, color: COLORS.muted }),
        ]),
    line(`${isoTime(trade.time).slice(0, 16).replace('T', ' ')} UTC`, {
      x: RIGHT,
      y: 580,
      size: 28,
      color: COLORS.muted,
      anchor: 'end',
    }),
  ]);
}

type Drawing = {
  readonly draw: (deps: Deps, id: string) => Promise<string>;
  readonly missing: ErrorCode;
  readonly cacheControl?: string;
};

/**
 * The pictures by path. `draw` gets the id in the path, which only the picture of the market does not need. `missing` is the error
 * for a malformed id.
 */
const drawings = {
  '/share/market.png': { draw: marketPicture, missing: 'NOT_FOUND' },
  '/share/agents/:id.png': { draw: agentPicture, missing: 'AGENT_NOT_FOUND' },
  // Shows a text that the operator may hide at any time, so nobody may keep the picture.
  '/share/trades/:id.png': { draw: tradePicture, missing: 'NOT_FOUND', cacheControl: 'public, no-cache' },
  '/share/seasons/:id.png': { draw: seasonPicture, missing: 'SEASON_NOT_FOUND' },
} as const satisfies Readonly<Record<string, Drawing>>;

/** Form of an id in a path: an agentId, the id of a feed event, or the number of a season. */
const ID = /^[\w-]{1,64}$/;

/** Clients may cache a picture for a minute, so they may show one that is as old. Crawlers read each picture only once anyway. */
const CACHE_CONTROL = 'public, max-age=60';

/** Serves the pictures that link previews show, such as /share/agents/scout.png. */
export function servePictures(deps: Deps, router: Router): void {
  const render = renderer(deps);
  for (const [path, { draw, missing, cacheControl = CACHE_CONTROL }] of Object.entries<Drawing>(drawings)) {
    router.get(path, async (ctx) => {
      const id = String(ctx.params.id);
      if (!ID.test(id)) throw new AppError(missing);
      const source = readDeps(deps, null);
      // `restAnswers` caches for a second, so many clients that follow the same link cause only one read a second.
      const svg = await source.caches.restAnswers.get(
        ctx.path,
        () => draw(source, id),
        ({ length }) => length,
      );
      sendPublic(ctx, 'image/png', await render(svg), cacheControl);
    });
  }
}

/**
 * Maximum number of pictures that wait for rendering: twice as many as an address may ask for in a minute (`pictureLimit`). The
 * last of them waits for a few seconds.
 */
const MAX_WAITING = 40;

const WORKER = new URL('render-worker.js', import.meta.url);
const PROGRAM = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');

/** Returns a function that renders SVG to PNG, one picture at a time, so that pictures take one processor at most. */
export function renderer({ caches, times }: Pick<Deps, 'caches' | 'times'>): (svg: string) => Promise<Bytes> {
  const queue = serialQueue();
  // All threads share the compiled WebAssembly program, including the code that V8 has optimised. Otherwise each picture would
  // take three times as long.
  const compiled = once(async () => WebAssembly.compile(await readFile(PROGRAM)));
  let waiting = 0;
  const enqueue = async (svg: string): Promise<Bytes> => {
    if (waiting >= MAX_WAITING) throw new AppError('PICTURES_BUSY');
    waiting++;
    try {
      return bytesOf(await queue(async () => render({ program: await compiled(), svg }, times)));
    } finally {
      waiting--;
    }
  };
  // The cache key is the SVG itself, so a cached picture is never out of date.
  return (svg) =>
    caches.pictures.get(
      svg,
      () => enqueue(svg),
      ({ bytes }) => bytes.length + svg.length,
    );
}

function render(task: Task, times: Times): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task });
    const cancel = times.after(times.picture, () => void worker.terminate());
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      cancel();
      // If the thread sent no picture and no error, its time was up. Otherwise this call has no effect.
      reject(new AppError('PICTURES_BUSY'));
    });
  });
}
