// Nightly: it opens pages in a browser.
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { etherText } from '../../../web/src/format/ether.js';
import { change } from '../../../web/src/format/number.js';
import { describeInBrowser } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { connectWallet } from '../../support/browser/wallet.js';
import { body } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';

/** Requests that wait until the test answers them. */
type Held = { readonly routes: Route[]; readonly release: () => Promise<void> };

describeInBrowser('what the page of an agent shows during and after an own trade', (browser) => {
  const site = useDemoSite();
  const open = useVisits(browser, () => '');

  /** Holds back the requests whose query begins so. */
  async function hold(page: Page, start: string): Promise<Held> {
    const routes: Route[] = [];
    let isHeld = true;
    await page.route('**/graphql', async (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      if (isHeld && query.startsWith(start)) routes.push(route);
      else await route.fallback();
    });
    const release = async () => {
      isHeld = false;
      for (const route of routes.splice(0)) await route.continue();
    };
    return { routes, release };
  }
  const note = (page: Page) => page.locator('.ask-wallet .note').textContent();
  const held = (page: Page) => page.locator('.wallet-figures dd').nth(1).textContent();
  const shownAs = (page: Page, name: string) =>
    page.locator('.result div').filter({ hasText: name }).locator('dd').textContent();

  /** The page with the test wallet, and a number of tickets in the panel. */
  async function openWith(tickets: string): Promise<Page> {
    const { page } = await open(site.addressOf('/agents/:agentId'));
    await connectWallet(page, /Use a test wallet/);
    await page.getByRole('spinbutton', { name: 'Tickets' }).fill(tickets);
    return page;
  }

  /** Price and change of the service in the head and in the panel, and the position there. */
  async function expectFigures(page: Page, tickets: string): Promise<void> {
    type Agent = { readonly ticketPrice: string; readonly priceChange24h: number };
    const now = (await body(site.service, '/api/agents/juniper_row')).agent as Agent;
    const price = etherText(BigInt(now.ticketPrice));
    expect(await page.locator('.figure.main .eth').textContent()).to.equal(price);
    expect(await page.locator('.figures .change').textContent()).to.include(change(now.priceChange24h));
    expect(await shownAs(page, 'Ticket price')).to.include(price);
    expect(await shownAs(page, '24 h')).to.include(change(now.priceChange24h));
    expect(await shownAs(page, 'Your tickets')).to.equal(tickets);
  }

  it('is the new price, change and position as soon as the trade is indexed, although the chain fails then', async () => {
    const page = await openWith('2');
    const before = await page.locator('.figures .change').textContent();
    const reads = await hold(page, 'query Agent');
    await page.getByRole('button', { name: 'Buy 2 tickets' }).click();
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
    await eventually(async () => (await held(page)) === '2', 'the wallet does not show its tickets');
    expect(await page.locator('.figures .change').textContent()).to.not.equal(before);
    await expectFigures(page, '2');

    // The data of the page stays, and with it the contract.
    const reload = () => reads.routes.find((route) => /^query Agent\b/.test(route.request().postDataJSON().query));
    await eventually(() => reload() !== undefined, 'the page does not read its data again');
    const error = { message: 'The chain does not answer', extensions: { code: 'CHAIN_UNAVAILABLE' } };
    const answered = reload() as Route;
    reads.routes.splice(reads.routes.indexOf(answered), 1);
    await answered.fulfill({ json: { data: null, errors: [error] } });
    await page.locator('.stale').waitFor();
    await page.getByRole('button', { name: 'Buy 2 tickets' }).waitFor();
    await reads.release();
  });

  it('is no objection to a sale that runs, and a form for one ticket after all are sold', async () => {
    const page = await openWith('3');
    await page.getByRole('button', { name: 'Buy 3 tickets' }).click();
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
    await eventually(async () => (await held(page)) === '3', 'the wallet does not show its tickets');
    await page.getByRole('button', { name: 'Sell', exact: true }).click();
    await page.getByRole('button', { name: 'Sell all' }).click();
    const usual = await note(page);
    const index = await hold(page, 'query IndexedTrades');
    await page.getByRole('button', { name: 'Sell 3 tickets' }).click();
    await eventually(async () => (await held(page)) === '0', 'the wallet still shows the tickets');
    expect(await page.locator('.ask-wallet .button').textContent()).to.equal('In progress…');
    expect(await note(page)).to.equal(usual);
    await index.release();
    await page.getByText('The tickets are sold.').waitFor({ state: 'attached' });
    await page.getByText('This wallet holds too few tickets of the agent.').waitFor();
    await expectFigures(page, '0');
    await page.getByRole('button', { name: 'Buy', exact: true }).click();
    await page.getByRole('button', { name: 'Buy 1 ticket' }).waitFor();
    expect(await page.getByRole('spinbutton', { name: 'Tickets' }).inputValue()).to.equal('1');
  });
});
