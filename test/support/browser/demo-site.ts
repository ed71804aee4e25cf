import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { type AgentKey, openHome } from '../../../src/cli/demo/home.js';
import type { Service } from '../../../src/service/service.js';
import { body, builtDemo, serveDemo } from '../service/demo.js';
import { endProcesses, eventually, freshDirectory } from '../service/process.js';
import { testTimes } from '../times.js';
import { ask } from '../world.js';
import { type Visit, type VisitOptions, visit } from './chromium.js';
import { addressesOf } from './views.js';

/** Building the demo market takes half a minute, so all processes of one test run share one. */
const template = join(tmpdir(), 'curvet-demo-market');

/** A data directory with the demo market of today, of which the caller may change anything. */
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
    // Another process builds the market.
    return eventually(() => existsSync(template), 'the demo market was not built');
  }
  try {
    renameSync(await builtDemo(new Date()), template);
  } catch (error) {
    rmSync(lock, { recursive: true, force: true });
    throw error;
  }
}

/** A copy of the demo market, served to one suite. */
type DemoSite = {
  /** The running service. A test that restarts it sets this property to the new one. */
  service: Service;
  readonly directory: string;
  readonly provider: RpcProvider;
  /** The wallet of the agent `juniper_row`. */
  readonly juniper: string;
  /** The address of a path, with its parameters filled in. */
  readonly addressOf: (path: string) => string;
  /** Publishes a post over the API. Each agent may post only a few times a day, so each call is by another one. */
  post(text: string): Promise<void>;
};

/** Serves a copy of the demo market to the calling suite. */
export function useDemoSite(): DemoSite {
  const site = {} as { -readonly [K in keyof DemoSite]: DemoSite[K] };
  let keys: AgentKey[];
  before(async () => {
    site.directory = await demoCopy();
    const home = openHome(site.directory, pino({ level: 'silent' }));
    keys = home.keys() ?? [];
    home.release();
    site.service = await serveDemo(site.directory);
    site.addressOf = await addressesOf(site.service);
    const { rpcUrl, chainId } = site.service.deps.market;
    site.provider = new RpcProvider([rpcUrl], chainId, testTimes);
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
    const { status, body } = await ask(site.service.url, 'POST', '/api/feed', { key, body: { text } });
    if (status >= 300) throw new Error(`the post was answered ${status}: ${JSON.stringify(body)}`);
  };
  return site;
}

/** Returns a function that opens pages of a site, and waits until they are settled. They are closed after each test. */
export function useVisits(
  browser: () => Browser,
  urlOf: () => string,
): (path?: string, options?: VisitOptions) => Promise<Visit> {
  const opened: Visit[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  return async (path = '/', options) => {
    const one = await visit(browser(), urlOf() + path, { waitUntil: 'settled', ...options });
    opened.push(one);
    return one;
  };
}
