import { useCallback, useEffect, useRef } from 'preact/hooks';
import { problemFrom } from '../graphql/problem.js';

/**
 * Returns a function that runs `act` after a pause: once for all calls within the pause. If `act` fails, it runs again when the
 * network or the rate limit allows it.
 */
export function useLater(act: () => Promise<void>, pauseMs: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
      clearTimeout(timer.current);
    },
    [],
  );
  return useCallback(() => {
    const start = (milliseconds: number, failures: number) => {
      if (timer.current !== undefined || !isOpen.current) return;
      timer.current = setTimeout(async () => {
        timer.current = undefined;
        try {
          await latest.current();
        } catch (error) {
          const { retryAt } = problemFrom(error, failures);
          if (retryAt !== undefined) start(Math.max(pauseMs, retryAt - Date.now()), failures + 1);
        }
      }, milliseconds);
    };
    start(pauseMs, 0);
  }, [pauseMs]);
}
