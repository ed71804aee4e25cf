import { pnlOf } from '../../src/features/trading/pnl.js';
import { ensureData } from '../dataset/databases.js';
import { walletOf } from '../dataset/people.js';
import { heavyAgent, LIGHT_TRADES, lightAgent, sizes } from '../dataset/plan.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';
import { stopAll } from '../support/stops.js';

/** Calls per measurement, because a single call is too short to measure. */
const CALLS = 100;

export const pnl: Row = {
  name: 'pnl',
  title: 'PnL of an agent with 100 trades and of one with 100,000, without HTTP and its cache',
  explanation:
    'the answer includes up to 100 newest sales. The agent with 100 trades has only 36, so its answer is 64 lines shorter',
  // The data of `--quick` has no agent with enough trades.
  needsAllData: true,
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, 'small', options.say);
    const { heavyTrades } = sizes.small;
    return stopAll(async (started) => {
      const { deps } = started(await openDeps(database));
      const wallets = [lightAgent(sizes.small), heavyAgent(sizes.small)].map(walletOf) as [string, string];
      const taken: number[][] = [[], []];
      for (let round = 0; round <= options.rounds; round++) {
        for (const [i, wallet] of wallets.entries()) {
          const began = performance.now();
          for (let call = 0; call < CALLS; call++) await pnlOf(deps, wallet);
          if (round > 0) taken[i]?.push((performance.now() - began) / CALLS);
        }
      }
      const [light, heavy] = taken.map(median) as [number, number];
      return [
        {
          work: `PnL for the owner of an agent with ${heavyTrades.toLocaleString('en')} trades`,
          against: `itself with ${LIGHT_TRADES}`,
          product: `${heavy.toFixed(2)} ms`,
          peer: `${light.toFixed(2)} ms`,
          value: heavy / light,
          target: { at: 'most', value: 1.2, unit: 'times' },
          note: 'both agents hold 20 positions; in process, without cache',
        },
      ];
    });
  },
};
