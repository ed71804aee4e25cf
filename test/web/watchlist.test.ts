// Nightly: it opens pages in a browser.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { unitPrice } from '../../src/features/pricing/rules.js';
import { formatEth } from '../../src/money.js';
import { etherText } from '../../web/src/format/ether.js';
import { inexactAmounts } from '../support/browser/amounts.js';
import { describeOnWorld } from '../support/browser/demo-site.js';
import { accessibilityViolations, cutTexts, overflows, smallTargets } from '../support/browser/measures.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../support/browser/wallet.js';
import { indexAll } from '../support/chain/indexed.js';
import { askAs, newAgent, type TestAgent, tradeOnChain } from '../support/market/agents.js';
import { newTrader, type Trader } from '../support/market/traders.js';
import { eventually } from '../support/service/process.js';

const priceOf = (supply: number) => unitPrice(BigInt(supply));
const toasts = (page: Page) => page.locator('.toast');
const star = (page: Page, { name }: TestAgent) => page.getByRole('button', { name: `Watch ${name}` });
const bell = (page: Page, { name }: TestAgent) => page.getByRole('button', { name: `Alerts for ${name}` });
const dialogOf = (page: Page, { name }: TestAgent) => page.getByRole('dialog', { name: `Alerts for ${name}` });
const rows = (page: Page) => page.locator('.watched tbody tr');

/** Stands for a user who looks at another window, and records the notifications of the browser. */
const ELSEWHERE = `
  document.hasFocus = () => false;
  window.shown = [];
  window.Notification = class {
    static permission = localStorage.getItem('permission') ?? 'default';
    static async requestPermission() {
      localStorage.setItem('permission', 'granted');
      return (Notification.permission = 'granted');
    }
    constructor(title, { body }) { window.shown.push({ title, body }); window.last = this; }
    close() { this.isClosed = true; }
  };
`;

const hide = (page: Page, isHidden: boolean) =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);

describeOnWorld('the watchlist and its alerts', { RATE_LIMITS: 'off' }, (world, open) => {
  let trader: Trader;
  let agent: TestAgent;
  let [supply, agents] = [1, 0];
  const trade = async (side: 'buy' | 'sell', amount: number) => {
    await trader[side](agent.wallet, amount);
    await indexAll(world.deps);
    supply += side === 'buy' ? amount : -amount;
  };
  beforeEach(async () => {
    trader = await newTrader(world.chain);
    agent = await newAgent(world, { name: `Watched ${++agents}` });
    await indexAll(world.deps);
    supply = 1;
  });
  const openAgent = (options = {}) => open(`/agents/${agent.agentId}`, options);

  /** Adds an alert in the dialog of the agent, and leaves the dialog. */
  async function addAlert(page: Page, field: string, text: string): Promise<void> {
    await bell(page, agent).click();
    const form = dialogOf(page, agent).locator('form', { hasText: field });
    await form.getByRole('textbox').fill(text);
    await form.getByRole('button', { name: 'Add' }).click();
    await eventually(async () => (await form.getByRole('textbox').inputValue()) === '', 'the alert is not added');
    await page.keyboard.press('Escape');
  }
  const addTheses = async (page: Page) => {
    const add = dialogOf(page, agent).locator('.theses').getByRole('button');
    await add.click();
    expect(await add.textContent()).to.equal('Remove');
  };
  const addPrice = (page: Page, wei: bigint) => addAlert(page, 'Ticket price', formatEth(wei));
  const toldPrice = (wanted: bigint, than: 'more' | 'less') =>
    `${agent.name}A ticket costs ${etherText(priceOf(supply))}. You asked for ${etherText(wanted)} or ${than}.Dismiss`;
  const expectToasts = async (page: Page, expected: readonly string[]) => {
    await toasts(page)
      .nth(expected.length - 1)
      .waitFor();
    expect(await toasts(page).allTextContents()).to.deep.equal(expected);
  };

  it('keeps the watched agents in this browser, in all of its tabs, with their present figures', async () => {
    const { page } = await openAgent();
    const other = await page.context().newPage();
    await other.goto(`${world.url}/?list=watched`);
    await other.getByText('The star on the page of an agent adds it to this list.').waitFor();
    await star(page, agent).click();
    expect(await star(page, agent).getAttribute('aria-pressed')).to.equal('true');
    await rows(other).filter({ hasText: agent.name }).waitFor();
    await trade('buy', 4);
    await rows(other)
      .locator('.eth', { hasText: etherText(priceOf(5)) })
      .waitFor();
    await page.reload();
    await eventually(async () => (await star(page, agent).getAttribute('aria-pressed')) === 'true', 'the star is gone');
    await star(other, agent).click();
    // The row stays while the list is open, so that nothing moves and the user can take it back.
    expect(await rows(other).count()).to.equal(1);
    await eventually(async () => (await star(page, agent).getAttribute('aria-pressed')) === 'false', 'the star stays');
    await other.reload();
    await other.getByText('The star on the page of an agent adds it to this list.').waitFor();
  });

  it('tells in all tabs, once, that the price has reached an amount, and another tab takes over', async () => {
    const { page } = await openAgent();
    const streams: string[] = [];
    page.context().on('request', (request) => {
      const name = /^subscription (Alert\w+)/.exec(request.postDataJSON()?.query ?? '')?.[1];
      if (name) streams.push(name);
    });
    const other = await page.context().newPage();
    await other.goto(`${world.url}/feed`);
    await addPrice(page, priceOf(3));
    await trade('buy', 2);
    const first = toldPrice(priceOf(3), 'more');
    for (const tab of [page, other]) await expectToasts(tab, [first]);
    expect(await bell(page, agent).getAttribute('aria-label')).to.match(/: 0$/);
    await addPrice(page, priceOf(2));
    await trade('sell', 2);
    const second = toldPrice(priceOf(2), 'less');
    for (const tab of [page, other]) await expectToasts(tab, [second, first]);
    expect(await toasts(other).getByRole('link').first().getAttribute('href')).to.equal(`/agents/${agent.agentId}`);
    expect(new Set(streams)).to.deep.equal(new Set(['AlertPrices']));
    await addPrice(page, priceOf(8));
    await page.close();
    await trade('buy', 9);
    await toasts(other)
      .getByText(`You asked for ${etherText(priceOf(8))} or more.`)
      .waitFor();
    await toasts(other).first().getByRole('button', { name: 'Dismiss' }).click();
    await expectToasts(other, [second, first]);
    await toasts(other).first().getByRole('link').click();
    await other.waitForURL(`**/agents/${agent.agentId}`);
    await expectToasts(other, [first]);
  });

  it('refuses what stands for no price, and says why', async () => {
    const { page } = await openAgent();
    await bell(page, agent).click();
    const form = dialogOf(page, agent).locator('form');
    await form.getByText(`Now ${etherText(priceOf(1))}.`).waitFor();
    for (const [text, fault] of [
      ['', 'Enter an amount of ETH, such as 0.01.'],
      ['many', 'Enter an amount of ETH, such as 0.01.'],
      [formatEth(priceOf(1)), 'It has this value now.'],
    ] as const) {
      await form.getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
      expect(await form.getByRole('alert').textContent()).to.equal(fault);
      expect(await form.getByRole('textbox').inputValue()).to.equal(text);
    }
    expect(await dialogOf(page, agent).locator('.alerts li').count()).to.equal(0);
    await form.getByRole('textbox').fill('7');
    await page.keyboard.press('Enter');
    await dialogOf(page, agent).getByText('Price rises to 7 ETH').waitFor();
    await dialogOf(page, agent)
      .getByRole('button', { name: `Remove the alert for ${agent.name}` })
      .click();
    expect(await dialogOf(page, agent).locator('.alerts li').count()).to.equal(0);
  });

  it('shows a notification of the browser while its user is elsewhere, which leads to the agent', async () => {
    const prepare = (context: BrowserContext) => context.addInitScript({ content: ELSEWHERE });
    const { page } = await openAgent({ prepare });
    await bell(page, agent).click();
    await dialogOf(page, agent).getByRole('button', { name: 'Show them as notifications' }).click();
    await dialogOf(page, agent).getByText('They are shown as notifications while you are elsewhere.').waitFor();
    await page.keyboard.press('Escape');
    await addPrice(page, priceOf(3));
    await page.locator('.top nav').getByRole('link', { name: 'Feed' }).click();
    await trade('buy', 2);
    await toasts(page).waitFor();
    const body = toldPrice(priceOf(3), 'more').slice(agent.name.length, -'Dismiss'.length);
    expect(await page.evaluate('window.shown')).to.deep.equal([{ title: agent.name, body }]);
    await page.evaluate('window.last.onclick()');
    await page.waitForURL(`**/agents/${agent.agentId}`);
    expect(await page.evaluate('window.last.isClosed')).to.equal(true);
    // Who looks at the page sees it there.
    await addPrice(page, priceOf(5));
    await page.evaluate('document.hasFocus = () => true');
    await trade('buy', 2);
    await expectToasts(page, [toldPrice(priceOf(5), 'more'), (await toasts(page).last().textContent()) ?? '']);
    expect(await page.evaluate('window.shown.length')).to.equal(1);
  });

  it('tells each new reason once, also those from before the page opened', async () => {
    const author = await newAgent(world, { name: `Author ${agents}` });
    await indexAll(world.deps);
    const reason = async (thesis: string) => {
      const bought = await tradeOnChain(author, 'buy', agent, 1);
      await askAs(world, author, 'POST', '/api/tickets/buy', { ...bought, thesis });
      return `${agent.name}${author.name} bought 1 ticket: ${thesis}Dismiss`;
    };
    await reason('before the alert');
    const { page } = await openAgent();
    const context = page.context();
    // The events begin with the answer.
    const started = page.waitForResponse((response) => /AlertTheses/.test(response.request().postData() ?? ''));
    await bell(page, agent).click();
    await addTheses(page);
    await started;
    const first = await reason('while it is open');
    await expectToasts(page, [first]);
    await page.close();
    const second = await reason('while no page is open');
    const again = await context.newPage();
    await again.goto(`${world.url}/seasons`);
    await expectToasts(again, [second]);
    await again.goto(`${world.url}/?list=watched`);
    const third = await reason('at last');
    await expectToasts(again, [third]);
    const told = again.getByRole('region', { name: 'Last alerts' }).getByRole('listitem');
    expect(await told.count()).to.equal(3);
    // The service no longer knows the position, so the alerts go on with what happens from now on.
    await again.evaluate(`{
      const lists = JSON.parse(localStorage.getItem('watchlist'));
      localStorage.setItem('watchlist', JSON.stringify({ ...lists, after: '999999' }));
    }`);
    const begun = again.waitForResponse((response) =>
      /AlertTheses.*"after":null/.test(response.request().postData() ?? ''),
    );
    await again.reload();
    await begun;
    await expectToasts(again, [await reason('after a gap')]);
  });

  it('shows the profit of a position, and tells that it has reached a percentage', async () => {
    await trade('buy', 3);
    const wallet = fakeWallet(trader, world.deps.market);
    const { page } = await openAgent({ prepare: wallet.prepare });
    await bell(page, agent).click();
    await dialogOf(page, agent).getByText('With a connected wallet, the profit').waitFor();
    await page.keyboard.press('Escape');
    await connectWallet(page, WALLET_NAME);
    const figure = page.locator('.figure', { hasText: 'Your profit' });
    await figure.getByText('▼').waitFor();
    await addAlert(page, 'Profit of your position', '100');
    const other = await newTrader(world.chain);
    await other.buy(agent.wallet, 1);
    await indexAll(world.deps);
    await other.buy(agent.wallet, 9);
    await indexAll(world.deps);
    await toasts(page).getByText('Your position has a profit of +').waitFor();
    await figure.getByText('▲').waitFor();
    expect(await toasts(page).textContent()).to.match(/You asked for \+100\.0.% or more\./);
  });

  it('goes on while the page is hidden', async () => {
    const { page } = await openAgent({ prepare: (context: BrowserContext) => context.clock.install() });
    await page.locator('.status.live').waitFor();
    await addPrice(page, priceOf(3));
    await hide(page, true);
    await page.clock.fastForward(31_000);
    await page.locator('.status.paused').waitFor();
    await trade('buy', 2);
    await toasts(page).waitFor();
  });

  it('works in visible tabs where the browser has no locks', async () => {
    const prepare = (context: BrowserContext) => context.addInitScript({ content: 'delete Navigator.prototype.locks' });
    const { page, operations } = await openAgent({ prepare });
    const streams = () => operations.filter((name) => name === 'AlertPrices').length;
    await hide(page, true);
    await addPrice(page, priceOf(3));
    expect(streams()).to.equal(0);
    await trade('buy', 2);
    await hide(page, false);
    await toasts(page).waitFor();
    expect(streams()).to.equal(1);
  });

  it('is accessible, and fits on phones', async () => {
    const { page } = await openAgent({ width: 320, theme: 'dark' });
    const isFine = async () => {
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(await overflows(page)).to.equal(false);
      expect(await smallTargets(page)).to.deep.equal([]);
    };
    await star(page, agent).click();
    await addPrice(page, priceOf(3));
    await bell(page, agent).click();
    await addTheses(page);
    await isFine();
    await page.keyboard.press('Escape');
    await trade('buy', 2);
    await toasts(page).waitFor();
    await isFine();
    await page.goto(`${world.url}/?list=watched`);
    await rows(page).waitFor();
    await isFine();
    expect(await cutTexts(page)).to.deep.equal([]);
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.length).to.be.above(3);
  });
});
