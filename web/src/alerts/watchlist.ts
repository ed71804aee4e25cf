import { type ReadonlySignal, signal } from '@preact/signals';
import type { Sentence } from '../format/sentence.js';
import { onStored, store, stored } from '../storage.js';

type Common = {
  readonly id: string;
  /** Wallet address of the agent. */
  readonly agent: string;
  /** Time at which the agent had what the alert waits for, in milliseconds. The alert then waits no longer. */
  readonly reachedAt?: number;
};

/** The price of a ticket rises or falls to an amount. */
export type PriceAlert = Common & { readonly kind: 'price'; readonly wei: string; readonly rises: boolean };
/** The profit of a wallet's position rises or falls to a percentage of its cost. */
export type ProfitAlert = Common & {
  readonly kind: 'profit';
  readonly wallet: string;
  readonly percent: number;
  readonly rises: boolean;
};
/** Somebody gives a reason for a trade. It goes on until the user removes it. */
export type ThesisAlert = Common & { readonly kind: 'thesis' };
export type Alert = PriceAlert | ProfitAlert | ThesisAlert;

/** What an alert has told. */
export type News = {
  readonly id: string;
  readonly at: number;
  readonly agentId: string;
  readonly name: string;
  /** A sentence whose amounts are in wei. */
  readonly text: readonly (string | { readonly wei: string })[];
};

export const storedText = (of: Sentence): News['text'] =>
  [of].flat().map((part) => (typeof part === 'bigint' ? { wei: String(part) } : part));

export const textOfNews = ({ text }: News): Sentence =>
  text.map((part) => (typeof part === 'string' ? part : BigInt(part.wei)));

/** What this browser stores about the agents that the user watches. */
export type Lists = {
  /** Wallet addresses of the watched agents, in the order in which they were added. */
  readonly agents: readonly string[];
  readonly alerts: readonly Alert[];
  /** The last alerts that were told, newest first. */
  readonly news: readonly News[];
  /** Position of the live events up to which the alerts have seen all reasons. */
  readonly after?: string | undefined;
};

export type Watchlist = {
  readonly lists: ReadonlySignal<Lists>;
  /** Changes the lists, also those that another tab has stored in the meantime. */
  change(edit: (before: Lists) => Partial<Lists>): void;
};

/** One query reads the watched agents and those of the alerts: 100 at most. */
export const MAX_AGENTS = 50;
export const MAX_ALERTS = 50;

/** The alerts that still wait. */
export const waiting = (alerts: readonly Alert[]): readonly Alert[] =>
  alerts.filter(({ reachedAt }) => reachedAt === undefined);

const KEY = 'watchlist';
const EMPTY: Lists = { agents: [], alerts: [], news: [] };

function listsIn(text: string): Lists {
  try {
    const lists = { ...EMPTY, ...(JSON.parse(text) as Partial<Lists>) };
    return [lists.agents, lists.alerts, lists.news].every(Array.isArray) ? lists : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** The watchlist of this browser. All of its tabs follow each other's changes. */
export function startWatchlist(): Watchlist {
  const lists = signal(listsIn(stored(KEY)));
  onStored([KEY], () => {
    lists.value = listsIn(stored(KEY));
  });
  return {
    lists,
    change(edit) {
      const text = stored(KEY);
      // Where the browser blocks storage, the lists last as long as the page.
      const before = text ? listsIn(text) : lists.peek();
      lists.value = { ...before, ...edit(before) };
      store(KEY, JSON.stringify(lists.value));
    },
  };
}
