import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Watchlist } from './alerts/watchlist.js';
import type { Connection } from './graphql/connection.js';
import type { Router } from './router.js';
import type { Theme } from './shell/theme.js';
import type { Wallets } from './wallet/wallets.js';

/** Objects that all parts of the dashboard share. `main.tsx` creates them once. */
export type App = {
  readonly router: Router;
  readonly connection: Connection;
  readonly theme: Theme;
  /** The present time in milliseconds, updated once per second. Relative times and countdowns read it. */
  readonly now: Signal<number>;
  /** US dollars per ETH. undefined until an answer contains it. */
  readonly ethUsd: Signal<number | undefined>;
  readonly wallets: Wallets;
  /** The agents that the user watches, and the alerts that the user has set. */
  readonly watchlist: Watchlist;
  /** API key of an agent, which the user has pasted. It is in the memory of this tab only, and never stored. */
  readonly agentKey: Signal<string | undefined>;
  /** Makes screen readers speak a text, so that their users learn what has changed. */
  announce(text: string): void;
};

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('no AppContext');
  return app;
}
