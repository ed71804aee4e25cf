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

// The part of the alerts that watches and tells. It loads when there is an alert.

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

/** Time between a trade and the read of what it changed: an answer may be 6 s old. */
const PAUSE_MS = 7000;
/** An alert leaves out reasons for trades that are older than itself by more than this: they were given before it. */
const LATE_MS = 10 * 60_000;
/** Number of news that stay listed. */
const MAX_NEWS = 100;
/** Position of the live events up to which the alerts have seen all reasons. */
const POSITION = 'alerts-position';

/** Reads for alerts. The answers are not kept for pages, and a failure is not the page's. */
const query: Connection['query'] = (document, variables, signal) => execute(document, variables, signal ? { signal } : {});

/** Shows in this tab what the alerts tell. One tab of the browser watches for all of them, also while it is hidden. */
export function runAlerts(app: App): void {
  showToasts(app);
  tellFocus();
  const whileOpen = () => {
    watch(app);
    return new Promise(() => {});
  };
  // Locks need a secure context, and the user may forbid them with all storage. Then each visible tab watches.
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

/** Tells which prices and profits are reached: now, for each new alert, and after each change of a price. */
function followPrices(app: App): () => void {
  const { lists } = app.watchlist;
  const end = new AbortController();
  /** Agents whose prices and profits must be read. */
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
    // A price from before a break is not the price now.
    { signal: end.signal, isBackground: true, skipsMissed: true },
  );
  return () => {
    stop();
    check.end();
    end.abort();
  };
}

/** Reads the present prices and profits of these agents. */
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

/** Tells new reasons. It continues after the last one that it has seen, also when the page opens again. */
function followTheses(app: App): () => void {
  const { lists } = app.watchlist;
  let end = new AbortController();
  const follow = (after: string | null): void => {
    void subscribe(
      alertTheses,
      { after },
      {
        // The service has forgotten what came after the position.
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
    // A later alert must not tell what happens until it is made.
    if (!lists.peek().alerts.some(({ kind }) => kind === 'thesis')) store(POSITION, '');
  };
}

/** Tells once what an alert waits for. `id` names the news of an alert that goes on after it. */
function tell({ watchlist, router }: App, alert: Alert, { agentId, name }: Agent, text: Sentence, id = alert.id): void {
  const { alerts, news } = watchlist.lists.peek();
  // The user or another tab may have removed the alert or told it in the meantime.
  if (!waiting(alerts).some((other) => other.id === alert.id) || news.some((told) => told.id === id)) return;
  const one: News = { id, at: Date.now(), agentId, name, text: storedText(text) };
  if (alert.kind !== 'thesis') watchlist.put('alert', alert.id, { ...alert, reachedAt: one.at });
  watchlist.put('news', id, one);
  for (const { id: old } of news.slice(MAX_NEWS - 1)) watchlist.put('news', old, undefined);
  void notify(one, router);
}
