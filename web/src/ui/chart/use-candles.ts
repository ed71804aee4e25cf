import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import type { Connection } from '../../graphql/connection.js';
import { graphql } from '../../graphql/document.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { useLater } from '../use-later.js';
import { useRetry } from '../use-retry.js';
import { type Range, ranges, type SentCandle } from './candle-series.js';

export const candle = graphql(`
  fragment candle on Candle {
    time
    open
    high
    low
    close
    volume
  }
`);

const candlesQuery = graphql(
  `
  query Candles($agent: AgentRef!, $interval: Interval!, $first: Int!, $before: DateTime) {
    candles(agent: $agent, interval: $interval, first: $first, before: $before) { ...candle }
  }
`,
  [candle],
);

/** Pause between a change of the price and the read of the newest candles. */
const PAUSE_MS = 3000;
/**
 * Number of candles to read after a change of the price. If the change is the first one of its interval, the candle
 * before it has become final, so it is read, too.
 */
const NEWEST = 2;

type State = {
  readonly range: Range;
  readonly candles?: readonly SentCandle[] | undefined;
  readonly problem?: Problem | undefined;
  /** Number of reads in a row that failed. */
  readonly failures: number;
};

export type Candles = {
  /** Candles of the chosen range. undefined while they are loading. */
  readonly candles: readonly SentCandle[] | undefined;
  readonly problem: Problem | undefined;
  readonly reload: () => void;
};

/**
 * The candles of a range. Those of the range `given` came with the page's query as `first`. When `price` changes, the newest
 * candles are read again.
 */
export function useCandles(
  agent: string,
  range: Range,
  {
    given,
    first,
    price,
  }: {
    readonly given: Range;
    readonly first: readonly SentCandle[] | undefined;
    readonly price: string | undefined;
  },
): Candles {
  const { connection } = useApp();
  const [state, setState] = useState<State>({ range: given, failures: 0 });
  const [round, setRound] = useState(0);
  const present = state.range === range ? state : undefined;
  const candles = present?.candles ?? (range === given ? first : undefined);
  const renew = useLater(async () => {
    if (candles === undefined) return;
    const { interval } = ranges[range];
    const answer = await connection.query(candlesQuery, { agent, interval, first: NEWEST, before: null });
    setState((before) =>
      before.range === range ? { ...before, candles: merged(before.candles ?? candles, answer.candles ?? []) } : before,
    );
  }, PAUSE_MS);
  const isFirst = useRef(true);
  useEffect(() => {
    // When the reader returns to the range `given`, the newest of its candles may be old, so they are read again.
    const isBack = !isFirst.current;
    isFirst.current = false;
    if (range === given) {
      setState({ range, failures: 0 });
      if (isBack) renew();
      return;
    }
    const end = new AbortController();
    read(connection, agent, range, end.signal).then(
      (read) => setState({ range, candles: read, failures: 0 }),
      (error: unknown) => {
        if (end.signal.aborted) return;
        setState(({ failures }) => ({ range, problem: problemFrom(error, failures), failures: failures + 1 }));
      },
    );
    return () => end.abort();
  }, [connection, agent, range, given, round]);
  const [seen, setSeen] = useState(price);
  useEffect(() => {
    if (price === seen) return;
    setSeen(price);
    if (seen !== undefined) renew();
  }, [price, seen, renew]);
  const reload = () => setRound((before) => before + 1);
  useRetry(present?.problem, reload);
  return { candles, problem: present?.problem, reload };
}

/** Reads all candles of a range. One answer has at most 150 candles, so the whole time of an old market takes several requests. */
async function read(connection: Connection, agent: string, range: Range, signal: AbortSignal) {
  const { interval, count } = ranges[range];
  let candles: readonly SentCandle[] = [];
  for (;;) {
    const variables = { agent, interval, first: count, before: candles[0]?.time ?? null };
    const page = (await connection.query(candlesQuery, variables, signal)).candles ?? [];
    candles = [...page, ...candles];
    if (range !== 'all' || page.length < count) return candles;
  }
}

/** Replaces candles by newly read candles of the same times, and adds the other newly read ones at the end. */
const merged = (candles: readonly SentCandle[], newest: readonly SentCandle[]): readonly SentCandle[] => {
  const times = new Set(newest.map(({ time }) => time));
  return [...candles.filter(({ time }) => !times.has(time)), ...newest];
};
