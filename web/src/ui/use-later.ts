import { useEffect, useRef, useState } from 'preact/hooks';
import { later } from '../graphql/later.js';

/**
 * Returns a function that runs `act` after a pause, once for all calls within the pause. When the component is removed, nothing
 * runs any more. The function is the same in each render.
 */
export function useLater(act: () => Promise<void>, pauseMs: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const [{ start, end }] = useState(() => later(() => latest.current(), pauseMs));
  useEffect(() => end, []);
  return start;
}
