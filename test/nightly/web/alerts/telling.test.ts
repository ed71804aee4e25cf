import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { unitPrice } from '../../../../src/values/curve.js';
import { formatEth } from '../../../../src/values/money.js';
import { etherText } from '../../../../web/src/format/ether.js';
import { addAlert, addTheses, bell, dialogOf } from '../../../support/browser/alerts.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { askAs, newAgent, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';

const priceOf = (supply: number) => unitPrice(BigInt(supply));
const toast = (page: Page) => page.locator('.toast');

/** Simulates a user who looks at another window, and records the notifications of the browser. */
const ELSEWHERE = `
  document.hasFocus = () => window.isLookedAt === true;
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
/** Simulates a browser whose user forbids pages to store anything. */
const FORBIDDEN = `
  const refuse = () => { throw new DOMException('', 'SecurityError'); };
  Object.defineProperty(window, 'localStorage', { get: refuse });
  navigator.locks.request = async () => refuse();
  navigator.locks.query = async () => refuse();
`;

const hide = (page: Page, isHidden: boolean) =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
const look = (page: Page, isLookedAt: boolean) =>
  page.evaluate(`{ window.isLookedAt = ${isLookedAt}; window.dispatchEvent(new Event('${isLookedAt ? 'focus' : 'blur'}')); }`);

describeOnWorld('the alerts', { RATE_LIMITS: 'off' }, (world, open) => {
  let trader: Trader;
  let agent: TestAgent;
  let [supply, number] = [1, 0];
  const trade = async (side: 'buy' | 'sell', amount: number) => {
    await trader[side](agent.wallet, amount);
    await indexAll(world.deps);
    supply += side === 'buy' ? amount : -amount;
  };
  beforeEach(async () => {
    trader = await newTrader(world.chain);
    agent = await newAgent(world, { name: `Watched ${++number}` });
    await indexAll(world.deps);
    supply = 1;
  });
  const openAgent = (options = {}) => open(`/agents/${agent.agentId}`, options);
  const addPrice = (page: Page, wei: bigint) => addAlert(page, agent, 'Ticket price', formatEth(wei));
  const toldPrice = (wanted: bigint, than: 'more' | 'less') =>
    `A ticket costs ${etherText(priceOf(supply))}. You asked for ${etherText(wanted)} or ${than}.`;
  const expectToast = (page: Page, text: string, others = 0) =>
    toast(page)
      .filter({
        hasText: text + (others === 0 ? '' : others === 1 ? 'and 1 other alert' : `and ${others} other alerts`),
      })
      .waitFor();
  /** Lets the author buy a ticket and give a reason. Returns the text of the alert for it. */
  const reason = async (author: TestAgent, thesis: string) => {
    const bought = await tradeOnChain(author, 'buy', agent, 1);
    await askAs(world, author, 'POST', '/api/tickets/buy', { ...bought, thesis });
    return `${author.name} bought 1 ticket: ${thesis}`;
  };

  it('tell in all tabs, once, that the price has reached an amount, also after their tab is closed', async () => {
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
    for (const tab of [page, other]) await expectToast(tab, toldPrice(priceOf(3), 'more'));
    // An alert ends when it is told, so the button shows that none is left.
    expect(await bell(page, agent).getAttribute('aria-label')).to.match(/: 0$/);
    await addPrice(page, priceOf(2));
    await trade('sell', 2);
    for (const tab of [page, other]) await expectToast(tab, toldPrice(priceOf(2), 'less'), 1);
    // Only one of the two tabs opens streams: one for the first alert, and one for the second.
    expect(streams).to.deep.equal(['AlertPrices', 'AlertPrices']);
    await addPrice(page, priceOf(8));
    await page.close();
    await trade('buy', 9);
    await expectToast(other, toldPrice(priceOf(8), 'more'), 2);
    await toast(other).getByRole('link', { name: agent.name }).click();
    await other.waitForURL(`**/agents/${agent.agentId}`);
    expect(await toast(other).count()).to.equal(0);
  });

  it('say at once what was reached before the page opened, and never what was before the alert', async () => {
    const { page } = await openAgent();
    const context = page.context();
    await addPrice(page, priceOf(6));
    await page.close();
    await trade('buy', 7);
    const again = await context.newPage();
    await again.goto(`${world.url}/feed`);
    await expectToast(again, toldPrice(priceOf(6), 'more'));
    // While the stream is broken, the price rises above an alert that is set later, and falls again. So it must not be told.
    await addAlert(await openTab(context), agent, 'Ticket price', '1000');
    await context.setOffline(true);
    await again.locator('.status.offline').waitFor();
    await trade('buy', 10);
    await trade('sell', 12);
    await context.setOffline(false);
    await again.locator('.status.live').waitFor();
    await addAlert(await openTab(context), agent, 'Ticket price', formatEth(priceOf(9)));
    await addAlert(await openTab(context), agent, 'Ticket price', formatEth(priceOf(5)));
    await trade('sell', 1);
    await expectToast(again, toldPrice(priceOf(5), 'less'), 1);
  });
  const openTab = async (context: BrowserContext) => {
    const tab = await context.newPage();
    await tab.goto(`${world.url}/agents/${agent.agentId}`);
    return tab;
  };

  it('are notifications of the browser, which lead to the agent, while its user looks at no tab', async () => {
    const prepare = (context: BrowserContext) => context.addInitScript({ content: ELSEWHERE });
    const { page } = await openAgent({ prepare });
    await bell(page, agent).click();
    await dialogOf(page, agent).getByRole('button', { name: 'Turn on notifications' }).click();
    await dialogOf(page, agent).getByText('They are shown as notifications while you are elsewhere.').waitFor();
    await page.keyboard.press('Escape');
    await addPrice(page, priceOf(3));
    await page.locator('.top nav').getByRole('link', { name: 'Feed' }).click();
    await trade('buy', 2);
    await toast(page).waitFor();
    await eventually(async () => (await page.evaluate('window.shown.length')) === 1, 'there is no notification');
    expect(await page.evaluate('window.shown')).to.deep.equal([{ title: agent.name, body: toldPrice(priceOf(3), 'more') }]);
    await page.evaluate('window.last.onclick()');
    await page.waitForURL(`**/agents/${agent.agentId}`);
    expect(await page.evaluate('window.last.isClosed')).to.equal(true);
    // A user who looks at one of the tabs sees the alert there, so the browser shows no notification.
    const other = await openTab(page.context());
    await look(other, true);
    await addPrice(page, priceOf(5));
    await trade('buy', 2);
    await expectToast(page, toldPrice(priceOf(5), 'more'), 1);
    await look(other, false);
    await addPrice(page, priceOf(7));
    await trade('buy', 2);
    await eventually(async () => (await page.evaluate('window.shown.length')) === 2, 'there is no notification');
    expect(await page.evaluate('window.shown[1].body')).to.equal(toldPrice(priceOf(7), 'more'));
    // The constructor throws in browsers of phones. The alert then only appears in the page.
    await page.evaluate(`window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError(); } }`);
    await addPrice(page, priceOf(9));
    await trade('buy', 2);
    await expectToast(page, toldPrice(priceOf(9), 'more'), 3);
    await bell(page, agent).click();
    await dialogOf(page, agent).getByText('so alerts appear in its pages only').waitFor();
  });

  it('tell each new reason once, also those from before the page opened', async () => {
    const author = await newAgent(world, { name: `Author ${number}` });
    await indexAll(world.deps);
    // An alert leaves out reasons from before it was set. The test chain has different times, so the page gets its clock.
    const prepare = (context: BrowserContext) => context.clock.setSystemTime(world.clock.now());
    const { page } = await openAgent({ prepare });
    const context = page.context();
    // The subscription begins with this answer, so the test waits for it.
    const started = page.waitForResponse((response) => /AlertTheses/.test(response.request().postData() ?? ''));
    await addTheses(page, agent);
    await started;
    await expectToast(page, await reason(author, 'while it is open'));
    await page.close();
    const missed = [];
    for (let i = 0; i < 25; i++) missed.push(await reason(author, `while no page is open: ${i}`));
    const again = await context.newPage();
    await again.goto(`${world.url}/?list=watched`);
    await expectToast(again, String(missed.at(-1)), 24);
    const told = again.getByRole('region', { name: 'Last alerts' }).getByRole('listitem');
    expect(await told.count()).to.equal(26);
    await toast(again).getByRole('button', { name: 'Dismiss' }).click();
    expect(await again.evaluate('document.activeElement.id')).to.equal('main');
    // The service does not know this position, so the alerts continue with what happens from now on.
    await again.evaluate(`localStorage.setItem('alerts-position', '999999')`);
    const begun = again.waitForResponse((response) => /AlertTheses.*"after":null/.test(response.request().postData() ?? ''));
    await again.reload();
    await begun;
    await expectToast(again, await reason(author, 'after a gap'));
  });

  it('tell that the profit of a position has reached a percentage, which the page shows', async () => {
    await trade('buy', 3);
    const wallet = fakeWallet(trader, world.deps.chain);
    const { page } = await openAgent({ prepare: wallet.prepare });
    const figure = page.locator('.figure', { hasText: 'Your profit' });
    expect(await figure.locator('dd').textContent()).to.equal('–');
    await bell(page, agent).click();
    await dialogOf(page, agent).getByText('With a connected wallet, the profit').waitFor();
    await page.keyboard.press('Escape');
    await connectWallet(page, WALLET_NAME);
    await figure.getByText('▼').waitFor();
    await addAlert(page, agent, 'Profit of your position', '100');
    const other = await newTrader(world.chain);
    await other.buy(agent.wallet, 10);
    await indexAll(world.deps);
    await toast(page)
      .getByText(`The position of ${trader.wallet.slice(0, 6)}…`)
      .waitFor();
    expect(await toast(page).textContent()).to.match(/is at \+[\d.,]+.%\. You asked for \+100\.0.% or more\./);
    await figure.getByText('▲').waitFor();
  });

  it('go on while the page is hidden', async () => {
    const { page } = await openAgent({ prepare: (context: BrowserContext) => context.clock.install() });
    await page.locator('.status.live').waitFor();
    await addPrice(page, priceOf(3));
    await hide(page, true);
    // A page that is hidden for 30 seconds pauses its live events.
    await page.clock.fastForward(31_000);
    await page.locator('.status.paused').waitFor();
    await trade('buy', 2);
    await toast(page).waitFor();
  });

  for (const [title, content] of [
    ['the browser has no locks', 'delete Navigator.prototype.locks'],
    ['the user forbids the browser to store anything', FORBIDDEN],
  ] as const) {
    it(`work in visible tabs where ${title}`, async () => {
      const prepare = (context: BrowserContext) => context.addInitScript({ content });
      const { page, operations } = await openAgent({ prepare });
      const streams = () => operations.filter((name) => name === 'AlertPrices').length;
      await hide(page, true);
      await addPrice(page, priceOf(3));
      expect(streams()).to.equal(0);
      await trade('buy', 2);
      await hide(page, false);
      await expectToast(page, toldPrice(priceOf(3), 'more'));
      expect(streams()).to.equal(1);
    });
  }
});
