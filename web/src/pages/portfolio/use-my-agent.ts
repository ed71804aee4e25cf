import { useApp } from '../../app-context.js';
import { subscribe } from '../../graphql/live.js';
import { execute } from '../../graphql/request.js';
import { liveNotifications, type MyPortfolio, myPortfolioQuery, type Notification } from './queries.js';
import { type PrivateData, usePrivateData } from './use-private-data.js';

export type MyAgentData = PrivateData<MyPortfolio>;

/** Reads the private data of the agent whose API key the user has pasted, and adds its new notifications as they arrive. */
export function useMyAgent(): MyAgentData {
  const { ethUsd } = useApp();
  return usePrivateData<MyPortfolio>(async ({ key, signal, show, change, reload }) => {
    const answer = await execute(myPortfolioQuery, {}, { key, signal });
    show(answer);
    ethUsd.value = answer.marketStats.ethUsd;
    const watcher = {
      next: ({ notification: { notification } }: { notification: { notification: Notification | null } }) =>
        notification && change((before) => withNotification(before, notification)),
      state: () => {},
      gap: reload,
    };
    await subscribe(liveNotifications, {}, watcher, { signal, key });
  });
}

function withNotification(before: MyPortfolio, fresh: Notification): MyPortfolio {
  const list = before.notifications;
  if (!list || list.nodes.some(({ id }) => id === fresh.id)) return before;
  return {
    ...before,
    notifications: { totalUnread: list.totalUnread + 1, nodes: [fresh, ...list.nodes] },
  };
}
