import { computed, effect } from '@preact/signals';
import type { App } from '../app-context.js';
import { change } from '../format/number.js';
import type { Sentence } from '../format/sentence.js';
import { graphql } from '../graphql/document.js';
import { later } from '../graphql/later.js';
import { subscribe } from '../graphql/live.js';
import { texts } from '../texts.js';
import { agentHref } from '../ui/agent/agent-link.js';
import { notify } from './notification.js';
import { agentsIn, alertFiguresQuery, readProfit, type WatchedAgent } from './position.js';
import { isPriceReached, isProfitReached } from './rules.js';
import { showToasts } from './toasts.js';
import { type Alert, type News, type PriceAlert, type ProfitAlert, storedText, waiting } from './watchlist.js';

// The part of the alerts that watches and tells. It loads when there is an alert.

const words = texts.alerts;

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
        agentAddress
        agent { agentId name }
        traderAddress
        trader { name }
      }
    }
  }
`);

/** Time between a trade and the read of what it changed. */
const PAUSE_MS = 2000;
/** Number of alerts that stay listed after they were told. */
const TOLD = 20;

/** Shows in this tab what the alerts tell. One tab of the browser watches for all of them, also while it is hidden. */
export function runAlerts(app: App): void {
  showToasts(app);
  // Only a secure context has locks. Without them each tab watches, while it is visible.
  if ('locks' in navigator) {
    void navigator.locks.request('curvet-alerts', () => {
      watch(app);
      return new Promise(() => {});
    });
  } else whileVisible(() => watch(app));
}

function whileVisible(start: () => () => void): void {
  let stop: (() => void) | undefined;
  const look = () => {
    if (document.hidden) stop?.();
    stop = document.hidden ? undefined : (stop ?? start());
  };
  document.addEventListener('visibilitychange', look);
  look();
}

/** Watches the market while there are alerts. Returns a function that stops it. */
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

/** Tells which prices and profits are reached: now, after each change of a price, and for each new alert. */
function followPrices(app: App): () => void {
  const { lists } = app.watchlist;
  const end = new AbortController();
  const check = later(() => checkAll(app), PAUSE_MS);
  const ids = computed(() => lists.value.alerts.map(({ id }) => id).join());
  const stop = effect(() => {
    if (ids.value) check.start();
  });
  void subscribe(
    alertPrices,
    {},
    {
      gap: check.start,
      // A price may have changed before the events began.
      state: (state) => state === 'open' && check.start(),
      next({ price: { agentAddress, ticketPrice, agent } }) {
        const alerts = waiting(lists.peek().alerts).filter((alert) => alert.agent === agentAddress);
        for (const alert of alerts) if (alert.kind === 'price' && agent) tellPrice(app, alert, agent, ticketPrice);
        if (alerts.some(({ kind }) => kind === 'profit')) check.start();
      },
    },
    { signal: end.signal, isBackground: true },
  );
  return () => {
    stop();
    check.end();
    end.abort();
  };
}

/** Reads the present prices and profits of all agents that have an alert. */
async function checkAll(app: App): Promise<void> {
  const { connection, watchlist } = app;
  const alerts = waiting(watchlist.lists.peek().alerts).filter(({ kind }) => kind !== 'thesis');
  const wallets = [...new Set(alerts.map(({ agent }) => agent))];
  if (wallets.length === 0) return;
  const agents = agentsIn(await connection.query(alertFiguresQuery, { wallets }));
  for (const alert of alerts) {
    const agent = agents.get(alert.agent);
    if (!agent) continue;
    if (alert.kind === 'price') tellPrice(app, alert, agent, agent.ticketPrice);
    if (alert.kind === 'profit') await checkProfit(app, alert, agent);
  }
}

async function checkProfit(app: App, alert: ProfitAlert, agent: WatchedAgent): Promise<void> {
  const profit = await readProfit(app.connection, alert.wallet, agent);
  if (profit === undefined || !isProfitReached(alert, profit)) return;
  tell(app, alert, agent, words.told.profit(change(profit), change(alert.percent), alert.rises));
}

type Agent = { readonly agentId: string; readonly name: string };

function tellPrice(app: App, alert: PriceAlert, agent: Agent, now: string): void {
  if (!isPriceReached(alert, BigInt(now))) return;
  tell(app, alert, agent, words.told.price(BigInt(now), BigInt(alert.wei), alert.rises));
}

/** Tells new reasons. It continues after the last one that it has seen, also when the page opens again. */
function followTheses(app: App): () => void {
  const { watchlist } = app;
  let end = new AbortController();
  const follow = (after: string | null): void => {
    void subscribe(
      alertTheses,
      { after },
      {
        // The service has forgotten what came after the position.
        gap: () => restart(),
        state: () => {},
        position: (after) => watchlist.change(() => ({ after })),
        next({ thesis: { trade } }) {
          const { alerts } = watchlist.lists.peek();
          const alert = alerts.find(({ kind, agent }) => kind === 'thesis' && agent === trade?.agentAddress);
          if (alert && trade?.agent) tell(app, alert, trade.agent, words.told.thesis(trade), trade.id);
        },
      },
      { signal: end.signal, isBackground: true },
    );
  };
  const restart = () => {
    end.abort();
    end = new AbortController();
    follow(null);
  };
  follow(watchlist.lists.peek().after ?? null);
  return () => end.abort();
}

/**
 * Tells something once: in all tabs, and as a notification of the browser while its user is elsewhere. `id`: of what an alert tells that
 * goes on.
 */
function tell(app: App, alert: Alert, { agentId, name }: Agent, text: Sentence, id = alert.id): void {
  const one: News = { id, at: Date.now(), agentId, name, text: storedText(text) };
  let isNew = false;
  app.watchlist.change(({ alerts, news }) => {
    // Another tab may have removed the alert or told the same.
    const isOpen = waiting(alerts).some((other) => other.id === alert.id);
    isNew = isOpen && !news.some((told) => told.id === id);
    if (!isNew) return {};
    const reached = (other: Alert) => (other.id === id ? { ...other, reachedAt: one.at } : other);
    return { alerts: alerts.map(reached), news: [one, ...news].slice(0, TOLD) };
  });
  if (isNew && !document.hasFocus()) notify(one, () => app.router.open(agentHref(agentId)));
}
