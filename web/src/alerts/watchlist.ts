import { type ReadonlySignal, signal } from '@preact/signals';
import type { Sentence } from '../format/sentence.js';
import { store, storedBelow } from '../storage.js';

/** An agent that the user watches. */
type Watched = {
  /** Its wallet address. */
  readonly id: string;
  /** Time at which it was added, in milliseconds. */
  readonly at: number;
};

type Common = {
  readonly id: string;
  /** Wallet address of the agent. */
  readonly agent: string;
  /** Time at which it was made, in milliseconds. */
  readonly at: number;
  /** Time at which the agent had what the alert waits for. The alert then waits no longer. */
  readonly reachedAt?: number;
};

/** The price of a ticket rises or falls to an amount. */
export type PriceAlert = Common & { readonly kind: 'price'; readonly wei: string; readonly rises: boolean };
/** The profit of a wallet's tickets rises or falls to a percentage of their cost. */
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
  /** Time at which it was told, in milliseconds. */
  readonly at: number;
  readonly agentId: string;
  readonly name: string;
  /** A sentence whose amounts are in wei. */
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
  /** Newest first. */
  readonly news: readonly News[];
};

export type Watchlist = {
  readonly lists: ReadonlySignal<Lists>;
  /** Stores a record in this browser, or removes it. Where storage is blocked or full, the record lasts as long as the page. */
  put<Kind extends keyof Records>(kind: Kind, id: string, record: Records[Kind] | undefined): void;
};

export const MAX_AGENTS = 50;
export const MAX_ALERTS = 50;

/** The alerts that still wait. */
export const waiting = (alerts: readonly Alert[]): readonly Alert[] => alerts.filter(({ reachedAt }) => reachedAt === undefined);

const PREFIX = 'watchlist.';

/** The user, an extension or another version may have stored anything. A wrong amount throws. */
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
