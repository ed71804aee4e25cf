import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../graphql/problem.js';

/** Calls `retry` when the time to retry after a problem has come, and when the network returns. */
export function useRetry(problem: Problem | undefined, retry: () => void): void {
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    if (problem?.retryAt === undefined) return;
    const again = () => latest.current();
    const timer = setTimeout(again, Math.max(1000, problem.retryAt - Date.now()));
    window.addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', again);
    };
  }, [problem]);
}
