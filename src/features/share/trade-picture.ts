import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { formatEth } from '../../money.js';
import { html as svg } from '../../server/http/html.js';
import { isoTime } from '../../time.js';
import { NAME_LENGTH } from '../agents/rules.js';
import { type TradeRow, tradesByIds } from '../trading/trades.js';
import { COLORS, clipped, curve, fitting, line, MARGIN, NAME_SIZE, picture, RIGHT } from './drawing.js';

/** What the picture of a trade shows. */
export type TradeView = Pick<
  TradeRow,
  'sale' | 'amount' | 'price' | 'agent' | 'agentName' | 'trader' | 'traderName' | 'time'
>;

/** The picture of a trade as SVG, by the id of its feed event. Throws NOT_FOUND. */
export async function tradePicture(deps: Deps, eventId: string): Promise<string> {
  const trade = (await tradesByIds(deps, [eventId])).get(eventId);
  if (trade === undefined) throw new AppError('NOT_FOUND');
  return drawTrade(trade);
}

/** The name of an agent. A wallet without a profile has none. */
const nameOf = (name: string | null, wallet: string): string =>
  name === null ? `${wallet.slice(0, 6)}…${wallet.slice(-4)}` : clipped(name, NAME_LENGTH.max);

/** Draws the picture of a trade: who bought or sold how many tickets of whom, for how much, and when. */
export function drawTrade({ sale, amount, price, ...trade }: TradeView): string {
  const color = sale ? COLORS.down : COLORS.up;
  const cost = `${formatEth(price)} ETH`;
  const x = MARGIN + 40;
  return picture('Trade', [
    svg`<g transform="translate(820 110) scale(10)">${curve(sale ? COLORS.downSoft : COLORS.upSoft)}</g>`,
    svg`<rect x="${MARGIN}" y="152" width="8" height="250" rx="4" fill="${color}"/>`,
    line(nameOf(trade.traderName, trade.trader), { x, y: 212, size: NAME_SIZE, bold: true }),
    line(`${sale ? 'sold' : 'bought'} ${amount} ticket${amount === 1 ? '' : 's'} of`, { x, y: 290, size: 44, color }),
    line(nameOf(trade.agentName, trade.agent), { x, y: 384, size: NAME_SIZE, bold: true }),
    line(cost, { y: 516, size: fitting(cost, 62, RIGHT - MARGIN), bold: true }),
    line('Price without fees', { y: 570, size: 28, color: COLORS.muted }),
    line(`${isoTime(trade.time).slice(0, 16).replace('T', ' ')} UTC`, {
      ...{ x: RIGHT, y: 570, size: 28, color: COLORS.muted },
      anchor: 'end',
    }),
  ]);
}
