import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemFrom } from '../graphql/problem.js';
import { loadScript } from './load-script.js';
import { useRetry } from './use-retry.js';

/** Loads a part of a page that comes after the first view: its script, and whatever else `read` reads. It tries again by itself. */
export function useScript<Part>(read: () => Promise<Part>) {
  const [loaded, setLoaded] = useState<Part | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const failures = useRef(0);
  const load = useCallback(() => {
    loadScript(read).then(setLoaded, (error: unknown) => setProblem(problemFrom(error, failures.current++)));
  }, []);
  useEffect(load, [load]);
  useRetry(loaded === undefined ? problem : undefined, load);
  return { loaded, problem, load };
}
