import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { useRetry } from '../../ui/use-retry.js';

export type PrivateData<Data> = {
  /** Whether the user has given a key that the service has not refused. */
  readonly isGiven: boolean;
  /** The data that was read. undefined until the service has accepted the key. */
  readonly data: Data | undefined;
  readonly problem: Problem | undefined;
  /** Why the service refused the last key. undefined after the next one is given. */
  readonly refusal: string | undefined;
  readonly reload: () => void;
};

export type Reading<Data> = {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly show: (data: Data) => void;
  readonly change: (next: (before: Data) => Data) => void;
  readonly reload: () => void;
};

/**
 * Reads private data of the agent whose API key the user has pasted, and reads it again when the key changes. `start` sends the
 * key itself, because the connection of the page would store the answers. A key that the service refuses is forgotten.
 */
export function usePrivateData<Data>(start: (reading: Reading<Data>) => Promise<unknown>): PrivateData<Data> {
  const { agentKey } = useApp();
  const key = agentKey.value;
  const [data, setData] = useState<Data | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  const failures = useRef(0);
  const reload = () => setRound((before) => before + 1);
  useEffect(() => {
    // A new key ends the refusal of the last key. Without a key, the refusal stays, so that the page can show it.
    if (key === undefined) return;
    setRefusal(undefined);
    // The next key may belong to another agent, so the data of this key is dropped.
    return () => {
      setData(undefined);
      setProblem(undefined);
    };
  }, [key]);
  useEffect(() => {
    if (key === undefined) return;
    const end = new AbortController();
    const { signal } = end;
    const show = (answer: Data) => {
      failures.current = 0;
      setProblem(undefined);
      setData(answer);
    };
    const change = (next: (before: Data) => Data) => setData((before) => before && next(before));
    start({ key, signal, show, change, reload }).catch((error: unknown) => {
      if (signal.aborted) return;
      const found = problemFrom(error, failures.current++);
      if (found.code !== 'INVALID_KEY') return setProblem(found);
      // A refused key may belong to an agent that is no longer the reader's, so the key and the data of the agent are forgotten.
      agentKey.value = undefined;
      setRefusal(found.message);
    });
    return () => end.abort();
  }, [key, round]);
  useRetry(problem, reload);
  return { isGiven: key !== undefined, data, problem, refusal, reload };
}
