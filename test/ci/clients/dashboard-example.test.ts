import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { describeInBrowser, foreign } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { addHostileMarket, hostileName, hostileTexts } from '../../support/browser/hostile-market.js';
import { accessibilityViolations, expectHarmless, overflows } from '../../support/browser/measures.js';
import { freshIp, newAgent, writePost } from '../../support/market/agents.js';
import { POINTS } from '../../support/service/graphql.js';
import { endProcesses, root, run as start } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';
import { run } from './recipes.js';

const example = join(root, 'examples', 'dashboard');
const VITE = 'node_modules/vite/bin/vite.js';
// Bounds of the example: lines of its files together, and query points that opening its page costs.
const MOST = { lines: 300, points: 700 };

type Package = Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>;
const packageAt = (path: string): Package => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
const { dependencies, devDependencies } = packageAt('examples/dashboard');
/** Packages that the example takes from the repository itself. All others come from tools/. */
const OURS = ['curvet-client', 'typescript', 'vite'];
const packages = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => !OURS.includes(name));

describe('the source of the example dashboard', () => {
  it(`has fewer than ${MOST.lines} lines, with its settings`, () => {
    const files = readdirSync(example, { recursive: true, encoding: 'utf8' })
      .filter((path) => !/^(node_modules|dist|README\.md|package-lock\.json)/.test(path))
      .filter((path) => statSync(join(example, path)).isFile());
    const lines = files.map((path) => readFileSync(join(example, path), 'utf8').split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count, 0)).to.be.within(100, MOST.lines - 1);
  });

  it('names the versions that this test builds it with', () => {
    const { typescript } = packageAt('.').devDependencies;
    const { vite } = packageAt('web').devDependencies;
    expect({ ...dependencies, ...devDependencies }).to.include({ typescript, vite });
    expect(packageAt('tools').dependencies).to.include(Object.fromEntries(packages));
  });
});

describeInBrowser('the example dashboard', (browser) => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const open = useVisits(browser, () => url);
  const folder = join(root, 'dist', `example-${process.pid}`);
  let url: string;

  before(async () => {
    await addHostileMarket(world);
    // Installs the packages of tools/ if they are missing. The program `true` does nothing.
    await run('bin/tool', 'true');
    const modules = join(folder, 'node_modules');
    for (const [name] of packages) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'tools', 'node_modules', name), join(modules, name));
    }
    // The client is copied, not linked: from a link, Node.js would look for the peers of the client in the repository.
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, 'client', part), join(modules, 'curvet-client', part), { recursive: true });
    cpSync(example, folder, {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path.slice(root.length)),
    });
    await run('bin/node', 'node_modules/typescript/bin/tsc', '-p', folder);
    await run('bin/node', VITE, 'build', folder);
    const server = start({
      program: [join('..', '..', VITE), 'preview', folder, '--host', '127.0.0.1', '--port', '0'],
      env: { VITE_CURVET_URL: world.url },
    });
    await server.until(() => /Local:\s+http\S+\/\n/.test(server.stdout), 'Vite does not serve the example');
    url = /Local:\s+(http\S+)\/\n/.exec(server.stdout)?.[1] ?? '';
  });
  after(async () => {
    await endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });

  const part = (page: Page, name: RegExp) => page.getByRole('region', { name });
  const rows = (page: Page, name: RegExp) => part(page, name).locator('tbody tr, li, svg path');

  for (const theme of ['light', 'dark'] as const) {
    it(`shows its parts for at most ${MOST.points} points in the ${theme} theme, and a post that is made meanwhile`, async () => {
      const ip = freshIp();
      // This post is made after the page has read the list, and before its subscription begins. The page must show it.
      const text = `A post in the ${theme}`;
      let posts = 0;
      const postBefore = async (route: Route) => {
        if (route.request().postData()?.includes('subscription Changes') && posts++ === 0) {
          await writePost(world, await newAgent(world), text);
        }
        await route.continue();
      };
      const one = await open('', {
        waitUntil: 'load',
        theme,
        width: theme === 'light' ? 1280 : 360,
        sendsAnyDocument: true,
        async prepare(context) {
          await context.setExtraHTTPHeaders(ip);
          await context.route('**/graphql', postBefore);
        },
      });
      const { page } = one;
      // A candle without a change of the price is a line without height, which is never visible. So this waits for `attached`.
      for (const name of [/^Top agents/, /^Price of/, /^Holders of/, /^Profit and loss of/, /^Season 2/, /^Live feed/])
        await rows(page, name).first().waitFor({ state: 'attached' });
      expect(await pointsOf(ip), 'points').to.be.within(100, MOST.points);

      const shown = rows(page, /^Live feed/).filter({ hasText: text });
      await shown.waitFor();
      expect(await shown.count()).to.equal(1);

      const other = hostileName(hostileTexts[1] as string);
      await page.getByRole('button', { name: other, exact: true }).click();
      await part(page, /^Holders of/)
        .filter({ hasText: other })
        .waitFor();

      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(await overflows(page), 'wider than the window').to.equal(false);
      await expectHarmless(page);
      expect(one.complaints).to.deep.equal([]);
      expect(foreign(one, url)).to.deep.equal([]);
    });
  }

  /** The query points that this address has paid, without this request. */
  async function pointsOf(ip: Record<string, string>): Promise<number> {
    const headers = { ...ip, 'graphql-cost': 'include' };
    const { body } = await world.ask('POST', '/graphql', { headers, body: { query: '{ __typename }' } });
    const { cost } = body.extensions as { cost: { requested: number; remaining: number } };
    return POINTS - cost.remaining - cost.requested;
  }
});
