import { useEffect, useRef, useState } from 'preact/hooks';
import { unitPrice } from '../../../../../src/values/curve.js';
import { useApp } from '../../../app-context.js';
import type { Sentence } from '../../../format/sentence.js';
import { texts } from '../../../texts.js';
import type { Figures } from '../queries.js';
import { type Order, type Progress, runTrade, STEPS, TradeFailure } from './run-trade.js';

export type TradeState = {
  readonly order: Order;
  readonly progress: Progress;
  /** Why the trade failed at this step. undefined if it has not failed. */
  readonly failure?: Sentence;
};

const failureOf = (error: unknown): Sentence =>
  error instanceof TradeFailure ? error.reason : error instanceof Error ? error.message : String(error);

const figuresAt = (totalSupply: number) => ({ totalSupply, ticketPrice: String(unitPrice(BigInt(totalSupply))) });

export type Trading = {
  readonly state: TradeState | undefined;
  readonly isBusy: boolean;
  start(order: Order): void;
  /** Removes the state of a trade that has ended, so that the form appears again. */
  forget(): void;
};

type Page = {
  /** Shows newer figures of the agent: those after the trade, or the price that has moved away from what the form shows. */
  readonly show: (figures: Partial<Figures>) => void;
  /** Reads the data of the page again, when the service has indexed the trade. */
  readonly reload: () => void;
};

/**
 * Runs one trade at a time. When the user leaves the page, the hook stops waiting for the trade. A transaction that is already
 * sent is not affected.
 */
export function useTrade(given: Page): Trading {
  const { connection, wallets, announce } = useApp();
  const [state, setState] = useState<TradeState | undefined>(undefined);
  // The page may render again during a trade, so the trade calls the functions of the latest render.
  const page = useRef(given);
  page.current = given;
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const isBusy = state !== undefined && state.failure === undefined && state.progress.step !== 'done';
  const start = async (order: Order) => {
    const wallet = wallets.connected.value;
    if (!wallet || isBusy) return;
    abort.current?.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    let progress: Progress = { step: STEPS[0] };
    const report = (next: Progress) => {
      if (signal.aborted) return;
      progress = next;
      setState({ order, progress });
      // The trade is in a block, so ether and tickets have changed hands. Other parts of the page then read the balance again.
      if (next.step === 'index') wallets.moved();
      if (next.figures) page.current.show(next.figures);
      if (next.step === 'done') page.current.reload();
      // The result itself is not announced here, because it stands in a live region.
      if (next.step !== 'done') announce(texts.trade.steps[next.step]);
    };
    try {
      await runTrade(order, { connection, wallet, report, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TradeFailure && error.supply !== undefined) {
        page.current.show(figuresAt(error.supply));
      }
      setState({ order, progress, failure: failureOf(error) });
    }
  };
  return { state, isBusy, start: (order) => void start(order), forget: () => setState(undefined) };
}
