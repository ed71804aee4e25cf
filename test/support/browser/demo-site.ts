import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { type AgentKey, openHome } from '../../../demo/home.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import type { Service } from '../../../src/service/service.js';
import { success } from '../market/agents.js';
import { newTrader, type Trader } from '../market/traders.js';
import { body, builtDemo, serveDemo } from '../service/demo.js';
import { endProcesses, eventually, freshDirectory } from '../service/process.js';
import { testTimes } from '../times.js';
import { ask, useWorld, type World } from '../world.js';
import { describeInBrowser, foreign, type Visit, type VisitOptions, visit } from './chromium.js';

/** Directory of the demo market, which all processes of a test run share, because building it takes about a minute. */
const template = join(tmpdir(), 'curvet-demo-market');

/** Copies the demo market of today to a new data directory. The caller may change anything there. */
async function demoCopy(): Promise<string> {
  await sharedMarket();
  const directory = freshDirectory('curvet-demo-');
  // The copy must be readable by this user only. Otherwise the service corrects its permissions and logs a warning.
  const umask = process.umask(0o077);
  cpSync(template, directory, { recursive: true });
  process.umask(umask);
  return directory;
}

async function sharedMarket(): Promise<void> {
  if (existsSync(template)) return;
  const lock = `${template}.lock`;
  try {
    mkdirSync(lock);
  } catch {
    // The lock exists, so another process is building the market.
    return eventually(() => existsSync(template), 'the demo market was not built');
  }
  try {
    renameSync(await builtDemo(new Date()), template);
  } catch (error) {
    rmSync(lock, { recursive: true, force: true });
    throw error;
  }
}

/** A copy of the demo market, and the service that serves it to one suite. */
export type DemoSite = {
  /** The running service. A test that restarts it sets this property to the new one. */
  service: Service;
  readonly directory: string;
  readonly provider: RpcProvider;
  /** The wallet of the agent `juniper_row`. */
  readonly juniper: string;
  /** Verification code of an agent that nobody has claimed. */
  readonly code: string;
  /** Publishes a post over the API. Each agent may post only a few times a day, so each call uses another agent. */
  post(text: string): Promise<void>;
  /** A new wallet with 100 ETH. */
  trader(): Promise<Trader>;
  /** Sends a GraphQL query, with an agent's API key if `key` is given. Returns the data of the answer. */
  data<Data>(query: string, key?: string): Promise<Data>;
};

/** Opens a page and waits until it is settled. The page is closed after the test. */
type Open = (path?: string, options?: VisitOptions) => Promise<Visit>;

/** Declares a suite that visits a copy of the demo market in a browser. */
export function describeOnDemo(title: string, suite: (site: DemoSite, open: Open) => void): void {
  describeInBrowser(title, (browser) => {
    const site = useDemoSite();
    suite(
      site,
      useVisits(browser, () => site.service.url),
    );
  });
}

/** Declares a suite that visits a world with these environment variables in a browser. */
export function describeOnWorld(
  title: string,
  environment: Record<string, string>,
  suite: (world: World, open: Open) => void,
): void {
  describeInBrowser(title, (browser) => {
    const world = useWorld(environment);
    suite(
      world,
      useVisits(browser, () => world.url),
    );
  });
}

function useDemoSite(): DemoSite {
  const site = {} as { -readonly [K in keyof DemoSite]: DemoSite[K] };
  let keys: AgentKey[];
  before(async () => {
    site.directory = await demoCopy();
    const home = openHome(site.directory, pino({ level: 'silent' }));
    keys = home.keys() ?? [];
    // The service locks the directory itself, so it must be free.
    home.release();
    site.service = await serveDemo(site.directory);
    const [pending] = await site.service.deps.sql<{ code: string }>(
      'select verification_code as code from agent where claimed_at is null order by wallet limit 1',
      [],
    );
    site.code = String(pending?.code);
    const { rpcUrl, chainId, contract } = site.service.deps.chain;
    const provider = new RpcProvider([rpcUrl], chainId, testTimes);
    Object.assign(site, { provider, trader: () => newTrader({ provider, contract }) });
    const { agent } = await body(site.service, '/api/agents/juniper_row');
    site.juniper = String((agent as Record<string, unknown>).walletAddress);
  });
  after(async () => {
    site.provider?.destroy();
    await site.service?.stop();
    await endProcesses();
  });
  site.post = async (text) => {
    const key = keys.pop()?.apiKey as string;
    success(await ask(site.service.url, 'POST', '/api/feed', { key, body: { text } }));
  };
  site.data = async (query, key) =>
    (await ask(site.service.url, 'POST', '/graphql', { ...(key && { key }), body: { query } })).body.data as never;
  return site;
}

/** Console messages about failed requests. Tests cause such failures on purpose, so they are no complaints. */
const FAILED_REQUEST = /^Failed to load resource|net::ERR_/;

/**
 * Returns a function that opens pages of a site. After each test, the pages are closed, and must have requested nothing from
 * another site and have no complaints.
 */
export function useVisits(browser: () => Browser, urlOf: () => string): Open {
  const opened: Visit[] = [];
  afterEach(async () => {
    const visits = opened.splice(0);
    for (const one of visits) await one.close();
    for (const one of visits) {
      expect(one.complaints.filter((text) => !FAILED_REQUEST.test(text))).to.deep.equal([]);
      expect(foreign(one, urlOf())).to.deep.equal([]);
    }
  });
  return async (path = '/', options) => {
    const one = await visit(browser(), urlOf() + path, { waitUntil: 'settled', ...options });
    opened.push(one);
    return one;
  };
}
