import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { subscribe } from '../../graphql/live.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { execute } from '../../graphql/request.js';
import { useRetry } from '../../ui/use-retry.js';
import { liveNotifications, type MyPortfolio, myPortfolioQuery, type Notification } from './queries.js';

export type MyAgentData = {
  readonly data: MyPortfolio | undefined;
  readonly problem: Problem | undefined;
  readonly reload: () => void;
};

/**
 * Private data of the agent whose key the user pasted, and its notifications as they arrive. The reads bypass the
 * connection of the page, which would store the answers.
 */
export function useMyAgent(apiKey: string): MyAgentData {
  const { ethUsd } = useApp();
  const [data, setData] = useState<MyPortfolio | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [round, setRound] = useState(0);
  const failures = useRef(0);
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const add = (fresh: Notification) => setData((before) => before && withNotification(before, fresh));
    const fail = (error: unknown) => {
      if (!signal.aborted) setProblem(problemFrom(error, failures.current++));
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
  return { data, problem, reload };
}

function withNotification(before: MyPortfolio, fresh: Notification): MyPortfolio {
  const list = before.notifications;
  if (!list || list.nodes.some(({ id }) => id === fresh.id)) return before;
  return {
    ...before,
    notifications: { totalUnread: list.totalUnread + 1, nodes: [fresh, ...list.nodes] },
  };
}
