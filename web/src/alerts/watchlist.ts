import { type ReadonlySignal, signal } from '@preact/signals';
import type { Sentence } from '../format/sentence.js';
import { store, storedBelow } from '../storage.js';

/** An agent that the user watches. */
type Watched = {
  /** Wallet address of the agent. */
  readonly id: string;
  /** Time at which the user added the agent, in milliseconds. */
  readonly at: number;
};

type Common = {
  readonly id: string;
  /** Wallet address of the agent. */
  readonly agent: string;
  /** Time at which the user set the alert, in milliseconds. */
  readonly at: number;
  /** Time at which the price or the profit reached what the alert waits for. The alert is over then, but stays listed. */
  readonly reachedAt?: number;
};

/** An alert that waits until the price of a ticket rises or falls to an amount. */
export type PriceAlert = Common & { readonly kind: 'price'; readonly wei: string; readonly rises: boolean };
/** An alert that waits until the profit of a wallet's tickets rises or falls to a percentage of their cost. */
export type ProfitAlert = Common & {
  readonly kind: 'profit';
  readonly wallet: string;
  readonly percent: number;
  readonly rises: boolean;
};
/** An alert that tells each reason that somebody gives for a trade in the agent's tickets. It goes on until the user removes it. */
export type ThesisAlert = Common & { readonly kind: 'thesis' };
export type Alert = PriceAlert | ProfitAlert | ThesisAlert;

/** An entry in the list of news: what an alert has told the user. */
export type News = {
  readonly id: string;
  /** Time at which the user was told, in milliseconds. */
  readonly at: number;
  readonly agentId: string;
  readonly name: string;
  /** The sentence in a form that JSON can store. An amount is an object with its wei as text, because JSON has no bigint. */
  readonly text: readonly (string | { readonly wei: string })[];
};

export const storedText = (of: Sentence): News['text'] =>
  [of].flat().map((part) => (typeof part === 'bigint' ? { wei: String(part) } : part));

export const textOfNews = ({ text }: News): Sentence => text.map((part) => (typeof part === 'string' ? part : BigInt(part.wei)));

type Records = { readonly agent: Watched; readonly alert: Alert; readonly news: News };

/** What this browser stores about the agents that the user watches. */
export type Lists = {
  /** Wallet addresses of the watched agents, in the order in which they were added. */
  readonly agents: readonly string[];
  readonly alerts: readonly Alert[];
  /** What alerts have told the user, newest first. */
  readonly news: readonly News[];
};

export type Watchlist = {
  readonly lists: ReadonlySignal<Lists>;
  /**
   * Stores a record in this browser. `undefined` removes it. Where storage is blocked or full, the record lasts as long as the
   * page.
   */
  put<Kind extends keyof Records>(kind: Kind, id: string, record: Records[Kind] | undefined): void;
};

/** Maximum numbers of watched agents and of waiting alerts. One query, which takes at most 100 ids, can read the agents of both. */
export const MAX_AGENTS = 50;
export const MAX_ALERTS = 50;

/** The alerts that are not reached yet. */
export const waiting = (alerts: readonly Alert[]): readonly Alert[] => alerts.filter(({ reachedAt }) => reachedAt === undefined);

const PREFIX = 'watchlist.';

/**
 * Checks a stored record, because the user, an extension or another version of the page may have stored anything. A wrong amount
 * makes `BigInt` throw, and `recordsIn` drops such a record, too.
 */
const isRecord = {
  agent: ({ id, at }: Watched) => isText(id) && isTime(at),
  alert: (alert: Alert) =>
    [alert.id, alert.agent].every(isText) &&
    isTime(alert.at) &&
    isTime(alert.reachedAt ?? 0) &&
    (alert.kind === 'thesis' ||
      (alert.kind === 'price' && BigInt(alert.wei) > 0n) ||
      (alert.kind === 'profit' && Number.isFinite(alert.percent) && isText(alert.wallet))),
  news: (news: News) => [news.id, news.agentId, news.name].every(isText) && isTime(news.at) && [textOfNews(news)].flat().length > 0,
};
const isText = (value: unknown): boolean => typeof value === 'string';
/** A time in milliseconds that `Date` can show: its range ends at 8.64e15. */
const isTime = (value: unknown): boolean => Number.isFinite(value) && Math.abs(Number(value)) < 8e15;

function recordsIn<Kind extends keyof Records>(texts: ReadonlyMap<string, string>, kind: Kind): Records[Kind][] {
  const isValid = isRecord[kind] as (record: Records[Kind]) => boolean;
  const records = [...texts].flatMap(([key, text]) => {
    if (!key.startsWith(`${PREFIX}${kind}.`)) return [];
    try {
      const record = JSON.parse(text) as Records[Kind];
      return isValid(record) ? [record] : [];
    } catch {
      return [];
    }
  });
  return records.sort((a, b) => a.at - b.at);
}

const listsIn = (texts: ReadonlyMap<string, string>): Lists => ({
  agents: recordsIn(texts, 'agent').map(({ id }) => id),
  alerts: recordsIn(texts, 'alert'),
  news: recordsIn(texts, 'news').reverse(),
});

/**
 * The watchlist of this browser. Each record has a key of its own, so that two tabs which change something at the same time do
 * not undo each other's change.
 */
export function startWatchlist(): Watchlist {
  const texts = storedBelow(PREFIX);
  const lists = signal(listsIn(texts));
  const set = (key: string, text: string): void => {
    if (text) texts.set(key, text);
    else texts.delete(key);
    lists.value = listsIn(texts);
  };
  window.addEventListener('storage', ({ key, newValue }) => {
    // Without a key, another tab has cleared the whole storage. The empty key then changes nothing, but makes `set` update `lists`.
    if (key === null) texts.clear();
    if (key === null || key.startsWith(PREFIX)) set(key ?? '', newValue ?? '');
  });
  return {
    lists,
    put(kind, id, record) {
      const key = `${PREFIX}${kind}.${id}`;
      const text = record ? JSON.stringify(record) : '';
      store(key, text);
      set(key, text);
    },
  };
}
