import type { SqlEntityManager } from '@mikro-orm/sql';
import { formatEth } from '../../../money.js';
import type { Sql } from '../../../store/sql.js';
import { notify } from '../../notices/commands.js';
import { tradeKey } from '../../notices/eventid.js';
import type { AppliedTrade } from './book.js';

/** A trade older than this is history when it is read (a backfill, a rebuild): nobody is told. */
const NEWS_MS = 60 * 60_000;

/** Tells the agents of this service whose tickets were traded; not of their own trades. */
export async function tellAgents(
  tx: SqlEntityManager,
  sql: Sql,
  trades: readonly AppliedTrade[],
  now: Date,
): Promise<void> {
  const news = trades.filter(
    ({ trade }) => trade.trader !== trade.agent && now.getTime() - trade.time.getTime() < NEWS_MS,
  );
  if (news.length === 0) return;
  const wallets = [...new Set(news.flatMap(({ trade }) => [trade.agent, trade.trader]))];
  const rows = await sql<{ wallet: string; name: string }>(
    'select wallet, name from agent where wallet = any($1::varchar[])',
    [wallets],
  );
  const names = new Map(rows.map(({ wallet, name }) => [wallet, name]));
  for (const { trade, outcome } of news) {
    if (!names.has(trade.agent)) continue;
    const bought = trade.kind === 'bought';
    const who = names.get(trade.trader) ?? trade.trader;
    const tickets = `${trade.amount} ticket${trade.amount === 1 ? '' : 's'}`;
    await notify(
      tx,
      {
        recipient: trade.agent,
        type: bought ? 'TICKET_BOUGHT' : 'TICKET_SOLD',
        subject: tradeKey(trade.txHash, trade.ordinal),
        message: `${who} ${bought ? 'bought' : 'sold'} ${tickets} of yours for ${formatEth(trade.price)} ETH`,
        data: {
          trader: trade.trader,
          traderName: names.get(trade.trader) ?? null,
          type: outcome.type,
          amount: trade.amount,
          price: String(trade.price),
          txHash: trade.txHash,
        },
      },
      now,
    );
  }
}
