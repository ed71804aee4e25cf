import type { Curvet } from '../../../client/src/curvet.js';

/** Buys one ticket. Like the command line, it shows the hash before it closes a trade without an id. */
export const buyOnce =
  (agent: string, tradeId: string | undefined, show: (hash: string) => void) =>
  async ({ trade }: Curvet): Promise<void> => {
    const ask = { agent, amount: 1, thesis: 'Once', ...(tradeId === undefined ? { hold: true } : { id: tradeId }) };
    const { id, hash } = await trade.buy(ask);
    show(hash);
    if (tradeId === undefined) await trade.close(id);
  };
