import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { startWatchlist } from './alerts/watchlist.js';
import { App } from './app.js';
import { AppContext, type App as AppParts } from './app-context.js';
import { openConnection } from './graphql/connection.js';
import { startRouter } from './router.js';
import { routes } from './routes.js';
import { startAnnouncer } from './shell/announcer.js';
import { startClock } from './shell/clock.js';
import { startTheme } from './shell/theme.js';
import { startTips } from './shell/tips.js';
import { loadScript, noteFailedStyles } from './ui/load-script.js';
import { startWallets } from './wallet/wallets.js';
import './styles/index.css';

function startParts(): AppParts {
  const ethUsd = signal<number | undefined>(undefined);
  /** Takes the price of ether from any answer that contains it, so that the whole page shows the same, latest price. */
  const received = (data: unknown): void => {
    const stats = (data as { marketStats?: { ethUsd?: number } }).marketStats;
    if (typeof stats?.ethUsd === 'number') ethUsd.value = stats.ethUsd;
  };
  startTips();
  noteFailedStyles();
  return {
    ethUsd,
    theme: startTheme(),
    router: startRouter(routes),
    connection: openConnection(received),
    now: startClock(),
    announce: startAnnouncer(),
    wallets: startWallets(),
    watchlist: startWatchlist(),
    agentKey: signal(undefined),
  };
}

/**
 * Loads the script that watches for alerts as soon as the user has set an alert. After a failed load, the next change of the
 * watchlist loads it again.
 */
function startAlerts(app: AppParts): void {
  let isLoaded = false;
  effect(() => {
    if (isLoaded || app.watchlist.lists.value.alerts.length === 0) return;
    isLoaded = true;
    loadScript(() => import('./alerts/run.js')).then(
      ({ runAlerts }) => runAlerts(app),
      () => {
        isLoaded = false;
      },
    );
  });
}

const app = startParts();
startAlerts(app);
render(
  <AppContext.Provider value={app}>
    <App />
  </AppContext.Provider>,
  document.getElementById('app') as HTMLElement,
);
