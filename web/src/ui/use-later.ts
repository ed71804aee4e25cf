import { useEffect, useRef, useState } from 'preact/hooks';
import { later } from '../graphql/later.js';

/**
 * Returns a function that runs `act` after a pause, until the part of the page is gone: once for all calls within the pause. It is
 * always the same function.
 */
export function useLater(act: () => Promise<void>, pauseMs: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const [{ start, end }] = useState(() => later(() => latest.current(), pauseMs));
  useEffect(() => end, []);
  return start;
}
