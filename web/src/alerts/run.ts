import { computed, effect } from '@preact/signals';
import type { App } from '../app-context.js';
import { feesQuery, splitOf } from '../contract/fees.js';
import { change, shortHex } from '../format/number.js';
import type { Sentence } from '../format/sentence.js';
import type { Connection } from '../graphql/connection.js';
import { graphql } from '../graphql/document.js';
import { later } from '../graphql/later.js';
import { subscribe } from '../graphql/live.js';
import { execute } from '../graphql/request.js';
import { store, stored } from '../storage.js';
import { agentsIn, readHolding, watchedAgentsQuery } from './figures.js';
import { notify, tellFocus } from './notification.js';
import { isPriceReached, isProfitReached, profitOf } from './rules.js';
import { alertTexts } from './texts.js';
import { showToasts } from './toasts.js';
import { type Alert, type News, type PriceAlert, type ProfitAlert, storedText, waiting } from './watchlist.js';

// Watches the market for what the user's alerts wait for, and tells the user. `main.tsx` loads this module when there is an
// alert.

const words = alertTexts;

const alertPrices = graphql(`
  subscription AlertPrices {
    price { agentAddress ticketPrice agent { agentId name } }
  }
`);
const alertTheses = graphql(`
  subscription AlertTheses($after: ID) {
    thesis(after: $after) {
      trade {
        id
        type
        amount
        thesis
        createdAt
        agentAddress
        agent { agentId name }
        traderAddress
        trader { name }
      }
    }
  }
`);

/**
 * Pause in milliseconds between a price event and the read of the agent's figures. Caches and read replicas may answer with data
 * from 2 seconds ago (docs/caching.md), so an earlier read could miss the change. The rest of the pause is a margin.
 */
const PAUSE_MS = 7000;
/**
 * A reason may be recorded some time after its trade. An alert ignores reasons for trades that happened more than this time
 * before the alert was set, because they were probably given before it, too.
 */
const LATE_MS = 10 * 60_000;
/** Maximum number of entries in the list of news. Older entries are removed. */
const MAX_NEWS = 100;
/** Storage key of the position in the live events up to which the alerts have seen all reasons for trades. */
const POSITION = 'alerts-position';

/**
 * Sends a query of the alerts past the connection of the page. So its answer is not stored for pages, and its failure does not
 * appear as a problem of the page.
 */
const query: Connection['query'] = (document, variables, signal) => execute(document, variables, signal ? { signal } : {});

/**
 * Shows in this tab which alerts are reached. Only one tab of the browser watches the market for all tabs, even while it is
 * hidden.
 */
export function runAlerts(app: App): void {
  showToasts(app);
  tellFocus();
  // This promise never resolves, so the tab holds the lock until it is closed. Then the lock goes to another tab.
  const whileOpen = () => {
    watch(app);
    return new Promise(() => {});
  };
  // The Web Locks API needs a secure context, and a browser that blocks storage may refuse it, too. Without locks, each visible
  // tab watches by itself.
  if ('locks' in navigator) navigator.locks.request('curvet-alerts', whileOpen).catch(() => whileVisible(app));
  else whileVisible(app);
}

function whileVisible(app: App): void {
  let stop: (() => void) | undefined;
  const look = () => {
    if (document.hidden) stop?.();
    stop = document.hidden ? undefined : (stop ?? watch(app));
  };
  document.addEventListener('visibilitychange', look);
  look();
}

/** Watches the market as long as there are alerts. Returns a function that stops watching. */
function watch(app: App): () => void {
  const { lists } = app.watchlist;
  const forPrices = computed(() => waiting(lists.value.alerts).some(({ kind }) => kind !== 'thesis'));
  const forTheses = computed(() => lists.value.alerts.some(({ kind }) => kind === 'thesis'));
  const stops = [
    effect(() => (forPrices.value ? followPrices(app) : undefined)),
    effect(() => (forTheses.value ? followTheses(app) : undefined)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Tells the user which alerts for prices and profits are reached. It checks them now, for each new alert, and after each change
 * of a price. Returns a function that ends it.
 */
function followPrices(app: App): () => void {
  const { lists } = app.watchlist;
  const end = new AbortController();
  /** Wallets of the agents whose prices and profits the next check must read. */
  const due = new Set<string>();
  const check = later(async () => {
    const agents = [...due];
    due.clear();
    await checkAgents(app, agents).catch((error: unknown) => {
      for (const agent of agents) due.add(agent);
      throw error;
    });
  }, PAUSE_MS);
  const checkAll = () => {
    for (const { agent } of waiting(lists.peek().alerts)) due.add(agent);
    check.start();
  };
  // A text changes only if alerts are added or removed. The lists also change when there is news, which needs no check.
  const ids = computed(() => lists.value.alerts.map(({ id }) => id).join());
  const stop = effect(() => {
    if (ids.value) checkAll();
  });
  void subscribe(
    alertPrices,
    {},
    {
      gap: () => {},
      state: (state) => state === 'open' && checkAll(),
      next({ price: { agentAddress, ticketPrice, agent } }) {
        const alerts = waiting(lists.peek().alerts).filter((alert) => alert.agent === agentAddress);
        for (const alert of alerts) if (alert.kind === 'price' && agent) tellPrice(app, alert, agent, ticketPrice);
        if (!alerts.some(({ kind }) => kind === 'profit')) return;
        due.add(agentAddress);
        check.start();
      },
    },
    // Events from before a break of the stream are skipped: an old price says nothing about now, and `checkAll` reads the present
    // prices when the stream is open again.
    { signal: end.signal, isBackground: true, skipsMissed: true },
  );
  return () => {
    stop();
    check.end();
    end.abort();
  };
}

/** Reads the present prices and profits of these agents, and tells the user which alerts they reach. */
async function checkAgents(app: App, wallets: string[]): Promise<void> {
  const alerts = waiting(app.watchlist.lists.peek().alerts).filter(({ agent }) => wallets.includes(agent));
  if (alerts.length === 0) return;
  const agents = agentsIn(await query(watchedAgentsQuery, { wallets }));
  for (const alert of alerts) {
    const agent = agents.get(alert.agent);
    if (agent && alert.kind === 'price') tellPrice(app, alert, agent, agent.ticketPrice);
  }
  const profits = alerts.filter((alert) => alert.kind === 'profit');
  if (profits.length === 0) return;
  const split = splitOf((await query(feesQuery, {})).contract);
  for (const same of Map.groupBy(profits, ({ wallet, agent }) => `${wallet} ${agent}`).values()) {
    const [{ wallet, agent }] = same as [ProfitAlert];
    const named = agents.get(agent);
    const holding = named && (await readHolding(query, { wallet, agent, split }));
    if (!holding) continue;
    const profit = change(profitOf(holding) ?? 0);
    for (const alert of same.filter((one) => isProfitReached(one, holding)))
      tell(app, alert, named, words.told.profit(shortHex(wallet), profit, change(alert.percent), alert.rises));
  }
}

type Agent = { readonly agentId: string; readonly name: string };

function tellPrice(app: App, alert: PriceAlert, agent: Agent, now: string): void {
  if (!isPriceReached(alert, BigInt(now))) return;
  tell(app, alert, agent, words.told.price(BigInt(now), BigInt(alert.wei), alert.rises));
}

/**
 * Tells the user new reasons for trades. It continues after the last event that this browser has seen, so reasons from the time
 * without an open page are told, too. Returns a function that ends it.
 */
function followTheses(app: App): () => void {
  const { lists } = app.watchlist;
  let end = new AbortController();
  const follow = (after: string | null): void => {
    void subscribe(
      alertTheses,
      { after },
      {
        // The service no longer stores the events after the position, so the subscription starts again with new events.
        gap: () => restart(),
        state: () => {},
        next({ thesis: { trade } }) {
          if (!trade?.agent) return;
          const alert = lists
            .peek()
            .alerts.find(
              ({ kind, agent, at }) =>
                kind === 'thesis' && agent === trade.agentAddress && at < Date.parse(trade.createdAt) + LATE_MS,
            );
          if (alert) tell(app, alert, trade.agent, words.told.thesis(trade), trade.id);
        },
      },
      { signal: end.signal, isBackground: true, onPosition: (sequence) => store(POSITION, sequence) },
    );
  };
  const restart = () => {
    end.abort();
    end = new AbortController();
    follow(null);
  };
  follow(stored(POSITION) || null);
  return () => {
    end.abort();
    // Without an alert for reasons, the position is forgotten. Otherwise the next such alert would tell reasons from before it
    // was set.
    if (!lists.peek().alerts.some(({ kind }) => kind === 'thesis')) store(POSITION, '');
  };
}

/**
 * Adds to the news, only once, that an alert is reached, and notifies the user. `id` identifies the entry. An alert for reasons
 * is not over after one entry, so its entries have the ids of the trades.
 */
function tell({ watchlist, router }: App, alert: Alert, { agentId, name }: Agent, text: Sentence, id = alert.id): void {
  const { alerts, news } = watchlist.lists.peek();
  // There is nothing to tell if the user or another tab has removed the alert, or has told it already.
  if (!waiting(alerts).some((other) => other.id === alert.id) || news.some((told) => told.id === id)) return;
  const one: News = { id, at: Date.now(), agentId, name, text: storedText(text) };
  if (alert.kind !== 'thesis') watchlist.put('alert', alert.id, { ...alert, reachedAt: one.at });
  watchlist.put('news', id, one);
  for (const { id: old } of news.slice(MAX_NEWS - 1)) watchlist.put('news', old, undefined);
  void notify(one, router);
}
