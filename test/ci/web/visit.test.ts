import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { firstViews } from '../../../src/features/dashboard/first-views.js';
import { claimTexts } from '../../../web/src/pages/claim/texts.js';
import { texts } from '../../../web/src/texts.js';
import { inexactAmounts, openAll } from '../../support/browser/amounts.js';
import { settled } from '../../support/browser/chromium.js';
import { describeOnWorld } from '../../support/browser/demo-site.js';
import { firstView, GROUND } from '../../support/browser/first-view.js';
import { addHostileMarket, hostileName, hostileTexts, PENDING, WIDE_NAME } from '../../support/browser/hostile-market.js';
import {
  accessibilityViolations,
  cutTexts,
  expectHarmless,
  expectLittleShift,
  overflows,
  smallTargets,
} from '../../support/browser/measures.js';
import { filledPath, pageViews } from '../../support/browser/views.js';
import { connectAddress } from '../../support/browser/wallet.js';
import { freshIp } from '../../support/market/agents.js';

const DARK = 'rgb(11, 14, 20)';
const LIGHT = 'rgb(245, 246, 248)';
/** At each width, the reader has chosen another theme than that of the system or none, and the agent has another hostile text. */
const sizes = [
  { agent: 0, width: 320, system: 'light', chosen: 'dark', ground: DARK },
  { agent: 1, width: 768, system: 'dark', chosen: 'light', ground: LIGHT },
  { agent: 3, width: 1920, system: 'light', chosen: undefined, ground: LIGHT },
] as const;

const MOST = { requests: 30, bytes: 88 * 1024 };
/** Number of loads of a page per minute that the rate limits must allow an address. The browser has an empty cache. */
const LOADS = 60;

type Limit = { readonly max: number; readonly used: number };

type Shown = {
  /** Minimum number of amounts on the page. Each of them must have its exact value. */
  readonly amounts?: number;
  /** A selector of elements whose text an agent has written, and these texts. `agent` is the number of the agent of the page. */
  readonly written?: (agent: number) => readonly [selector: string, texts: readonly string[]];
};
const nameOf = (agent: number): string => hostileName(hostileTexts[agent] as string);
const posts = () => ['.feed-row .post bdi', hostileTexts] as const;
const ranks = () => ['.bar-row .name', hostileTexts.map(hostileName)] as const;
/** The second tab of the market, which has an address of its own. */
const allAgents = { name: 'market', path: '/?list=all', content: '.sorted .agent-link' };
/** The tab with the theses of an agent. */
const theses = { name: 'agent', path: '/agents/:agentId?tab=theses', content: '.agent-head h1 bdi' };
/** The tab with the profit of an agent over time. */
const profit = { name: 'agent', path: '/agents/:agentId?tab=profit', content: '.agent-head h1 bdi' };
const shown: Readonly<Record<string, Shown>> = {
  // The feed of the market has room for the last three posts only. The page of the feed has all of them.
  market: {
    amounts: 100,
    written: () => ['.list .name, .feed-row .post bdi', [...hostileTexts.map(hostileName), ...hostileTexts.slice(-3)]],
  },
  [theses.path]: {
    amounts: 20,
    written: (agent) => ['.theses .thesis bdi, .theses .name', [nameOf(agent), hostileTexts[agent] as string]],
  },
  [profit.path]: { amounts: 20, written: (agent) => ['h1 bdi', [nameOf(agent)]] },
  theses: { amounts: 5 },
  [allAgents.path]: { amounts: 24, written: () => ['.sorted .name', hostileTexts.map(hostileName)] },
  feed: { amounts: 5, written: posts },
  seasons: { amounts: 7, written: ranks },
  season: { amounts: 7, written: ranks },
  links: { written: () => ['.list .agent-link .name', [hostileName(hostileTexts[0] as string)]] },
  agent: {
    amounts: 100,
    written: (agent) => ['h1 bdi, .about bdi, .thesis bdi', [nameOf(agent), hostileTexts[agent] as string]],
  },
  claim: { written: () => ['h1 bdi, .post-text bdi', [claimTexts.titleOf(PENDING.name)]] },
  portfolio: { amounts: 8, written: () => ['.list .agent-link .name', [nameOf(1), WIDE_NAME]] },
  wallet: { amounts: 8, written: () => ['.list .agent-link .name', [nameOf(1), WIDE_NAME]] },
};

/** For each table: 1 if a value in it can be seen, otherwise 0, and the number of such values that the Tab key reaches. */
const STOPS = `[...document.querySelectorAll('table.list')].map((table) => {
  const values = [...table.querySelectorAll('tbody [data-tip]')].filter((one) => one.offsetParent !== null);
  return [Math.min(1, values.length), values.filter(({ tabIndex }) => tabIndex === 0).length];
})`;

describeOnWorld('a page whose agents have hostile texts', { TRUST_PROXY: '1' }, (world, open) => {
  let wallets: readonly string[];
  before(async () => {
    wallets = await addHostileMarket(world);
  });

  for (const { agent, width, system, chosen, ground } of sizes) {
    for (const { name, path, content } of [...pageViews, allAgents, theses, profit]) {
      it(`needs one query, shifts nothing, fits the width, is accessible and runs no foreign text: ${path} at ${width} pixels`, async () => {
        const address = filledPath(path, {
          agentId: `hostile_${agent}`,
          number: '1',
          code: PENDING.verificationCode,
          address: String(wallets[2]),
        });
        const first = await firstView(world.url + address);
        const limits = new Map<string, Limit>();
        const ip = freshIp();
        const one = await open(address, {
          theme: system,
          width,
          waitUntil: 'commit',
          prepare: async (context) => {
            if (chosen) await context.addInitScript({ content: `localStorage.setItem('theme', '${chosen}')` });
            await context.setExtraHTTPHeaders(ip);
            context.on('response', (response) => keepLimit(limits, response.headers()));
            await first.prepare(context);
          },
        });
        const { page } = one;
        expect(await page.evaluate(GROUND), 'the theme before the main script').to.equal(ground);
        // The portfolio has no data before a wallet is connected, and the page of a wallet needs several queries. So
        // only their headings can stand in the first view.
        await first.showsView(page, name === 'portfolio' || name === 'wallet' ? 'main h1' : content);
        const { requests, bytes } = await first.cost();
        expect(requests, 'requests of the first view').to.be.within(5, MOST.requests);
        expect(bytes, 'bytes of the first view').to.be.within(20 * 1024, MOST.bytes);
        first.end();

        if (name === 'wallet') await page.locator(content).first().waitFor();
        await settled(one);
        // The page of an agent reads `AgentFigures` again when its stream has started, so this query does not count.
        const queries = one.operations.filter((query) => !query.startsWith('Live') && query !== 'AgentFigures');
        // A wallet needs its trades, the fees of a sale, and the agents of its trades. The page for developers reads the ABI by a
        // second query, because the ABI is too large for a first view. A tab needs queries of its own, and so has the second board of
        // a season.
        const most =
          { [theses.path]: 1, [profit.path]: 2, '/seasons': 1, '/seasons/:number': 1 }[path] ??
          (name in firstViews ? 0 : ({ wallet: 3, developers: 2 }[name] ?? 1));
        expect(queries.length, queries.join()).to.be.at.most(most);
        const after = await world.ask('POST', '/graphql', { headers: ip, body: { query: '{ __typename }' } });
        keepLimit(limits, Object.fromEntries(after.headers));
        expect([...limits.keys()]).to.include.members(['assets', 'outside', 'graphql']);
        for (const [limit, { max, used }] of limits) {
          expect(used * LOADS, `${limit} of ${LOADS} loads`).to.be.within(LOADS, max);
        }
        expect(await page.locator('h1').count()).to.equal(1);
        expect(await page.title()).to.match(new RegExp(`^.+ · ${texts.name}$`));
        await expectLittleShift(page, 0.05);
        expect(await overflows(page), 'wider than the window').to.equal(false);
        if (width < 400) {
          expect(await cutTexts(page), 'cut or covered').to.deep.equal([]);
          expect(await smallTargets(page), 'hard to hit with a finger').to.deep.equal([]);
        }
        for (const [expected, found] of (await page.evaluate(STOPS)) as [number, number][]) {
          expect(found, 'stops of the Tab key in a table').to.equal(expected);
        }
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        if (!chosen) {
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.locator('html[data-theme=dark]').waitFor();
          expect(await accessibilityViolations(page), 'in the dark theme').to.deep.equal([]);
        }

        if (name === 'portfolio') {
          await connectAddress(page, wallets[2] as string);
          await page.locator(content).first().waitFor();
          await settled(one);
          expect(await overflows(page), 'wider than the window').to.equal(false);
          if (width < 400) expect(await cutTexts(page), 'cut or covered').to.deep.equal([]);
          expect(await accessibilityViolations(page)).to.deep.equal([]);
        }
        await expectShown(page, shown[path] ?? shown[name] ?? {}, agent);
        await expectHarmless(page);
        expect(one.complaints).to.deep.equal([]);
      });
    }
  }
});

/** Stores the state of a rate limit from the headers of an answer: its maximum, and the largest number of used requests so far. */
function keepLimit(limits: Map<string, Limit>, headers: Readonly<Record<string, string>>): void {
  const [, name = '', remaining] = /^"([\w-]+)";r=(\d+)/.exec(headers.ratelimit ?? '') ?? [];
  const max = Number(/q=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1]);
  if (name) limits.set(name, { max, used: Math.max(limits.get(name)?.used ?? 0, max - Number(remaining)) });
}

async function expectShown(page: Page, { amounts, written }: Shown, agent: number): Promise<void> {
  if (written) {
    const [selector, expected] = written(agent);
    expect(await page.locator(selector).allTextContents()).to.include.members([...expected]);
  }
  if (amounts === undefined) return;
  await openAll(page);
  const found = await inexactAmounts(page);
  expect(found.wrong).to.deep.equal([]);
  expect(found.amounts.length, 'the number of amounts').to.be.at.least(amounts);
}
