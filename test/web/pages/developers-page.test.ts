// Nightly: it opens pages in a browser.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, foreign, settled, type Visit, visit } from '../../support/browser/chromium.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { addListedAgent } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

type Document = { readonly paths: Record<string, Record<string, { readonly operationId: string }>> };

const HARMFUL = '<img src=x onerror="window.hacked=1">';

describeInBrowser('the page for developers', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  before(() => addListedAgent(world, { name: 'Lovelace', agentId: 'lovelace', bio: HARMFUL }, { agentId: 'lovelace' }));

  const opened: Visit[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  async function open(path = '/developers', prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Visit> {
    const one = await visit(browser(), world.url + path, prepare ? { prepare } : {});
    opened.push(one);
    await settled(one);
    return one;
  }
  const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
  async function send(page: Page, path: string): Promise<void> {
    await page.getByLabel('Path of this service').fill(path);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  it('has every endpoint of the service, and finds them by words', async () => {
    const { page } = await open();
    const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as Document;
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    const shown = await page.locator('.endpoint').evaluateAll((all) => all.map((one) => (one as { id: string }).id));
    expect(shown.toSorted()).to.deep.equal(ids.toSorted());
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('Season leader');
    await eventually(async () => (await page.locator('.endpoint').count()) < ids.length, 'nothing is filtered');
    expect(await page.locator('#getSeasonsLeaderboard').count()).to.equal(1);
    expect(await page.getByText(`${await page.locator('.endpoint').count()} endpoint`).count()).to.equal(1);
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('no such words');
    await page.getByText('No endpoint has all these words.').waitFor();
  });

  it('opens an endpoint by its link, with fields, example and failures', async () => {
    const { page } = await open('/developers#getAgents');
    const part = page.locator('#getAgents');
    expect(await part.getAttribute('open')).to.not.equal(null);
    const text = (await part.textContent()) ?? '';
    for (const word of ['minHolder', 'Sort key', 'agents[].ticketPriceEth', '"agentId": "scout"', '429']) {
      expect(text).to.include(word);
    }
    await eventually(
      async () => Number((await part.boundingBox())?.y) < 900 && Number((await part.boundingBox())?.y) >= 0,
      'the endpoint is not in view',
    );
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('loads the reference after the first view, and says when it cannot', async () => {
    let isAway = true;
    const { page } = await open('/developers', (context) =>
      context.route('**/openapi.json', (route) => (isAway ? route.abort('connectionrefused') : route.continue())),
    );
    const problem = page.getByRole('region', { name: 'API reference' }).getByRole('alert');
    await problem.getByText('The service does not answer').waitFor();
    isAway = false;
    await problem.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#getAgents').waitFor();
  });

  it('sends a request of an endpoint, and shows the answer as text', async () => {
    const { page, complaints } = await open('/developers#getAgentsByAddress');
    const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as Document;
    const id = paths['/api/agents/{address}']?.get?.operationId as string;
    await page.evaluate(`window.location.hash = '${id}'`);
    await page.locator(`#${id}`).getByRole('button', { name: 'Try it' }).click();
    const path = page.getByLabel('Path of this service');
    await eventually(async () => (await path.inputValue()) === '/api/agents/lovelace', 'the path is not filled in');
    await page.keyboard.press('Enter');
    await page.getByText(/^Status 200, after \d+ ms$/).waitFor();
    expect(JSON.parse((await answer(page).textContent()) ?? '').agent.bio).to.equal(HARMFUL);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(await page.locator('main img').count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
  });

  it('sends requests to this service only, without a key', async () => {
    const one = await open();
    const { page, requested } = one;
    const methods: string[] = [];
    page.on('request', (request) => methods.push(`${request.method()} ${new URL(request.url()).pathname}`));
    for (const path of ['//example.org/api', 'https://example.org/', '/\\example.org/', 'javascript:alert(1)', 'api']) {
      await send(page, '/api/skill-version');
      await page.getByText(/^Status 200/).waitFor();
      const before = requested.length;
      await send(page, path);
      await page.getByText('Only paths of this service can be requested').waitFor();
      expect(requested.length, path).to.equal(before);
      expect(await answer(page).textContent()).to.equal('');
    }
    expect(new Set(methods)).to.deep.equal(new Set(['GET /api/skill-version']));
    expect(foreign(one, world.url)).to.deep.equal([]);
    await send(page, '/api/agents/nobody_here');
    await page.getByText(/^Status 404/).waitFor();
    await page.locator('.answer', { hasText: 'hint' }).waitFor();
  });

  it('copies the address and the ABI of the contract', async () => {
    const { page } = await open('/developers', (context) =>
      context.grantPermissions(['clipboard-read', 'clipboard-write']),
    );
    const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
    await page.getByRole('button', { name: 'Copy the address of the contract' }).click();
    await eventually(async () => (await clipboard()) === world.deps.market.contract, 'the address is not copied');
    await page.getByRole('button', { name: 'Copy the ABI' }).click();
    await eventually(async () => (await clipboard()).startsWith('['), 'the ABI is not copied');
    const names = (JSON.parse(await clipboard()) as { name?: string }[]).map(({ name }) => name);
    expect(names).to.include.members(['buyTickets', 'sellTickets', 'registerAgent']);
  });

  it('leads to guides that exist', async () => {
    const { page } = await open();
    const links = await page
      .locator('.guides a')
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    expect(links.map((link) => new URL(link).pathname)).to.include.members([
      '/graphql',
      '/skill.md',
      '/heartbeat.md',
      '/llms.txt',
    ]);
    for (const link of links) {
      const found = await fetch(link, { headers: { accept: 'text/html' } });
      expect(found.status, link).to.equal(200);
      const { hash } = new URL(link);
      if (hash) expect(await found.text()).to.include(`id="${hash.slice(1)}"`);
    }
  });
});
