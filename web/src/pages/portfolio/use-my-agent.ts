import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { subscribe } from '../../graphql/live.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { execute } from '../../graphql/request.js';
import { useRetry } from '../../ui/use-retry.js';
import { liveNotifications, type MyPortfolio, myPortfolioQuery, type Notification } from './queries.js';

export type MyAgentData = {
  /** Whether the user has given a key that the service has not refused. */
  readonly isGiven: boolean;
  /** Data of the agent. undefined until the service has accepted the key. */
  readonly data: MyPortfolio | undefined;
  readonly problem: Problem | undefined;
  /** Why the service refused the last key. undefined after the next one is given. */
  readonly refusal: string | undefined;
  readonly reload: () => void;
};

/**
 * Private data of the agent whose key the user pasted, and its notifications as they arrive. The reads bypass the
 * connection of the page, which would store the answers.
 */
export function useMyAgent(): MyAgentData {
  const { ethUsd, agentKey } = useApp();
  const apiKey = agentKey.value;
  const [data, setData] = useState<MyPortfolio | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  const failures = useRef(0);
  useEffect(() => {
    if (apiKey === undefined) return;
    setRefusal(undefined);
    return () => {
      setData(undefined);
      setProblem(undefined);
    };
  }, [apiKey]);
  useEffect(() => {
    if (apiKey === undefined) return;
    const end = new AbortController();
    const { signal } = end;
    const add = (fresh: Notification) => setData((before) => before && withNotification(before, fresh));
    const fail = (error: unknown) => {
      if (signal.aborted) return;
      const found = problemFrom(error, failures.current++);
      if (found.code !== 'INVALID_KEY') return setProblem(found);
      // A refused key may not be that of the reader any more. It is forgotten with the data of its agent.
      agentKey.value = undefined;
      setRefusal(found.message);
    };
    const start = async () => {
      const answer = await execute(myPortfolioQuery, {}, { key: apiKey, signal });
      failures.current = 0;
      setProblem(undefined);
      setData(answer);
      ethUsd.value = answer.marketStats.ethUsd;
      const watcher = {
        next: ({ notification: { notification } }: { notification: { notification: Notification | null } }) =>
          notification && add(notification),
        state: () => {},
        gap: () => setRound((before) => before + 1),
      };
      await subscribe(liveNotifications, {}, watcher, { signal, key: apiKey });
    };
    start().catch(fail);
    return () => end.abort();
  }, [apiKey, round]);
  const reload = () => setRound((before) => before + 1);
  useRetry(problem, reload);
  return { isGiven: apiKey !== undefined, data, problem, refusal, reload };
}

function withNotification(before: MyPortfolio, fresh: Notification): MyPortfolio {
  const list = before.notifications;
  if (!list || list.nodes.some(({ id }) => id === fresh.id)) return before;
  return {
    ...before,
    notifications: { totalUnread: list.totalUnread + 1, nodes: [fresh, ...list.nodes] },
  };
}
