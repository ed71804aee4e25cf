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
  /** Why the trade ended at this step. */
  readonly failure?: Sentence;
};

const failureOf = (error: unknown): Sentence =>
  error instanceof TradeFailure ? error.reason : error instanceof Error ? error.message : String(error);

const figuresAt = (totalSupply: number) => ({ totalSupply, ticketPrice: String(unitPrice(BigInt(totalSupply))) });

export type Trading = {
  readonly state: TradeState | undefined;
  readonly isBusy: boolean;
  start(order: Order): void;
  /** Forgets the trade, when it has ended. */
  forget(): void;
};

type Page = {
  /** Shows newer figures of the agent: those after the trade, or the price that has moved away from what the form shows. */
  readonly show: (figures: Partial<Figures>) => void;
  /** Reads the data of the page again, when the service has indexed the trade. */
  readonly reload: () => void;
};

/** Runs one trade at a time. Leaving the page ends the waiting, not a transaction that is sent. */
export function useTrade(given: Page): Trading {
  const { connection, wallets, announce } = useApp();
  const [state, setState] = useState<TradeState | undefined>(undefined);
  // The page may have read its data again during the trade.
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
      // The ether and the tickets have changed hands.
      if (next.step === 'index') wallets.moved();
      if (next.figures) page.current.show(next.figures);
      if (next.step === 'done') page.current.reload();
      // The result is a live region itself.
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
