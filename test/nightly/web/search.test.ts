import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnWorld } from '../../support/browser/demo-site.js';
import { answerReads } from '../../support/browser/first-view.js';
import { accessibilityViolations, expectLittleShift, overflows } from '../../support/browser/measures.js';
import { addListedAgent } from '../../support/market/rows.js';
import { runSql } from '../../support/store.js';

const WALLET = '0xabcdef12345678900987654321fedcba00000001';
const NOBODY = '0x000000000000000000000000000000000000dEaD';
const SIMILAR = 'No agent has this name. Similar:';

describeOnWorld('the search of the dashboard', { RATE_LIMITS: 'off' }, (world, open) => {
  const input = (page: Page, name = 'Search agents') => page.getByRole('combobox', { name });
  const options = (page: Page) => page.getByRole('option');
  const path = (page: Page) => new URL(page.url()).pathname;
  /** Types a text, waits until the status of the search matches `says`, and returns the names of the results. */
  async function type(page: Page, text: string, says: string | RegExp, name?: string): Promise<string[]> {
    await input(page, name).fill(text);
    await page.getByRole('status').filter({ hasText: says }).waitFor();
    return options(page).locator('.name').allTextContents();
  }

  before(async () => {
    await addListedAgent(world, { name: 'Otter', wallet: WALLET });
    for (const name of ['Robots', 'Roboti', 'Quick Heron']) await addListedAgent(world, { name });
    await runSql(
      world.deps,
      `update agent set social_handle = 'HeronFan', claimed_at = created_at, claim_post_id = '1' where agent_id = 'quick_heron'`,
    );
  });

  it('says above agents with a similar name that no agent has the name', async () => {
    for (const [theme, width] of [
      ['dark', 390],
      ['light', 1280],
    ] as const) {
      const { page } = await open('/', { theme, width });
      expect(await type(page, 'robotx', '2 agents.')).to.deep.equal(['Roboti', 'Robots']);
      const line = page.locator('.results').getByText(SIMILAR);
      const [above, first] = [await line.boundingBox(), await options(page).first().boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).to.be.at.most(first?.y ?? 0);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(await overflows(page)).to.equal(false);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Robots' }).waitFor();
      expect(path(page)).to.equal('/agents/robots');
    }
  });

  it('calls no agent similar that has the text in its name, its address or the handle of its owner', async () => {
    const { page } = await open('/');
    for (const [text, name, similar] of [
      ['OTT', 'Otter', 0],
      ['quick h', 'Quick Heron', 0],
      ['@otter', 'Otter', 0],
      ['@heronfan', 'Quick Heron', 0],
      ['0xABCDEF', 'Otter', 0],
      ['quik heron', 'Quick Heron', 1],
    ] as const) {
      await type(page, 'zzzz', 'No agent has this name or address');
      expect(await type(page, text, '1 agent.'), text).to.deep.equal([name]);
      expect(await page.getByText(SIMILAR).count(), text).to.equal(similar);
    }
  });

  it('opens nothing by Enter while the list is that of another text', async () => {
    const { page } = await open('/');
    await type(page, 'otter', '1 agent.');
    const gate = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"robots"')) await gate.promise;
      await route.continue();
    });
    await type(page, 'robots', 'Searching…');
    await page.keyboard.press('Enter');
    await page.evaluate('window.drawn()');
    expect(path(page)).to.equal('/');
    gate.resolve();
    await page.getByRole('status').filter({ hasText: '1 agent.' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Robots' }).waitFor();
  });

  it('opens the wallet of a whole address by its last entry, also by the keyboard', async () => {
    const { page } = await open('/');
    await type(page, WALLET, '1 agent.');
    expect(await options(page).allTextContents()).to.have.length(2);
    expect(await options(page).last().textContent()).to.equal('Wallet 0xabcd…0001');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true, name: /^Wallet/ }).waitFor();
    const active = await input(page).getAttribute('aria-activedescendant');
    expect(await options(page).last().getAttribute('id')).to.equal(active);
    await page.keyboard.press('Enter');
    expect(path(page)).to.equal(`/wallets/${WALLET}`);
    await page.goBack();
    await type(page, ` ${NOBODY} `, 'No agent has this address. Enter opens the wallet.');
    await options(page).click();
    expect(path(page)).to.equal(`/wallets/${NOBODY.toLowerCase()}`);
    expect(await input(page).inputValue()).to.equal('');
  });

  it('says why there are no results if their script does not load, and finds them with the next letter', async () => {
    const { page } = await open('/');
    const script = '**/assets/search-results-*.js';
    await page.route(script, (route) => route.abort('connectionrefused'));
    await type(page, 'otte', 'The service does not answer');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.unroute(script);
    expect(await type(page, 'otter', '1 agent.')).to.deep.equal(['Otter']);
  });

  it('offers no wallet for a part of an address, and none where events are filtered by agent', async () => {
    const { page } = await open('/feed');
    await type(page, WALLET.slice(0, 41), '1 agent.');
    expect(await options(page).count()).to.equal(1);
    expect(await type(page, WALLET, '1 agent.', 'Filter by agent')).to.deep.equal(['Otter']);
    await type(page, NOBODY, 'No agent has this name or address', 'Filter by agent');
    expect(await page.locator('main').getByRole('option').count()).to.equal(0);
    expect(await type(page, 'ottre', '1 agent.', 'Filter by agent')).to.deep.equal(['Otter']);
    await page.keyboard.press('Enter');
    await page.locator('.only').getByRole('link', { name: 'Otter' }).waitFor();
  });
});

describeOnWorld('the page of an agent that does not exist', { RATE_LIMITS: 'off' }, (world, open) => {
  const title = (page: Page) => page.getByRole('heading', { level: 1, name: 'There is no such agent' });
  const names = (page: Page) => page.locator('main').getByRole('listitem').allTextContents();

  before(async () => {
    for (const name of ['Robot1', 'Robot2', 'Robot3', 'Robot4', 'Robot5', 'Robot6']) {
      await addListedAgent(world, { name });
    }
  });

  it('leads to the market, and to at most five agents with similar names, by one query', async () => {
    for (const [theme, width] of [
      ['dark', 390],
      ['light', 1280],
    ] as const) {
      const { page, operations } = await open('/agents/robotx', { theme, width });
      await title(page).waitFor();
      await page.getByRole('link', { name: 'Robot1' }).waitFor();
      expect(await names(page)).to.deep.equal(['Robot1', 'Robot2', 'Robot3', 'Robot4', 'Robot5']);
      expect(operations.filter((name) => name === 'SimilarAgents')).to.have.length(1);
      expect(await page.title()).to.equal('There is no such agent · Curvet');
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(await overflows(page)).to.equal(false);
      await page.getByRole('link', { name: 'Robot2' }).click();
      await page.getByRole('heading', { level: 1, name: 'Robot2' }).waitFor();
      await page.goBack();
      await title(page).waitFor();
      await page.getByRole('link', { name: 'Open the market' }).click();
      await page.getByRole('heading', { level: 1, name: 'Agent ticket market' }).waitFor();
    }
  });

  it('holds its place until the names arrive', async () => {
    const gate = Promise.withResolvers<void>();
    // One similar name arrives. The window is so low that the footer follows the content, so it would move with the content.
    const { page } = await open('/agents/robot1x', {
      waitUntil: 'load',
      height: 300,
      prepare: (context) =>
        answerReads(context, async (route, query) => {
          if (query.startsWith('query SimilarAgents')) await gate.promise;
          await route.continue();
        }),
    });
    await page.locator('.similar[aria-busy=true]').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    const places = () =>
      Promise.all([page.getByRole('link', { name: 'Open the market' }), page.locator('.bottom')].map((part) => part.boundingBox()));
    const before = await places();
    gate.resolve();
    await page.getByRole('link', { name: 'Robot1' }).waitFor();
    expect(await places()).to.deep.equal(before);
    await expectLittleShift(page, 0.05);
  });

  it('says that no name is similar, also where the service would refuse the search', async () => {
    // The service accepts searches of 2 to 50 characters. The page sends none that it would refuse.
    for (const [reference, queries] of [
      ['no_such_agent', 1],
      ['x', 0],
      ['y'.repeat(51), 0],
    ] as const) {
      const { page, operations } = await open(`/agents/${reference}`, { width: 390 });
      await page
        .getByRole('alert')
        .filter({ hasText: `There is no such agent${reference}` })
        .waitFor();
      expect(await overflows(page)).to.equal(false);
      await page.getByText('No agent has a similar name.').waitFor();
      expect(await names(page)).to.deep.equal([]);
      expect(operations.filter((name) => name === 'SimilarAgents')).to.have.length(queries);
    }
  });

  it('leads to the wallet of an address', async () => {
    const { page, operations } = await open(`/agents/${NOBODY}`);
    await title(page).waitFor();
    expect(operations).not.to.include('SimilarAgents');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    const link = page.getByRole('link', { name: 'Open the wallet' });
    expect(await link.getAttribute('href')).to.equal(`/wallets/${NOBODY.toLowerCase()}`);
  });

  it('has the status 404', async () => {
    const { status } = await fetch(`${world.url}/agents/no_such_agent`, { headers: { accept: 'text/html' } });
    expect(status).to.equal(404);
  });
});
