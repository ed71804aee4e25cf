// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { buyQuote, sellQuote } from '../../../src/features/pricing/rules.js';
import { etherText } from '../../../web/src/format/ether.js';
import { describeInBrowser, foreign } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { newTrader } from '../../support/market/traders.js';
import { body } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';

const FEES = { protocolBps: 500n, agentBps: 500n };

describeInBrowser('the page of an agent', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser, () => site.service.url);
  let profile: Record<string, unknown>;
  before(async () => {
    profile = (await body(site.service, '/api/agents/juniper_row')).agent as Record<string, unknown>;
  });

  const open = () => openUrl('/agents/juniper_row');
  const supply = () => BigInt(profile.totalSupply as number);
  const rowsOf = (page: Page, name: string) => page.getByRole('region', { name }).locator('tbody tr');
  const amounts = async (page: Page): Promise<string[]> => page.locator('#trade .breakdown dd').allTextContents();

  it('shows identity, figures, and the library of the chart by name', async () => {
    const { page, complaints } = await open();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.include('Juniper Row');
    expect(await page.title()).to.equal('Juniper Row · Curvet');
    await page.getByText('Holds one ticket of everything').first().waitFor();
    const figures = await page.locator('.figures dd').allTextContents();
    expect(figures[4]).to.equal(String(profile.totalSupply));
    expect(figures[5]).to.equal(String(profile.holderCount));
    const link = page.getByRole('link', { name: 'TradingView Lightweight Charts' });
    expect(await link.getAttribute('href')).to.equal('https://www.tradingview.com/');
    await page.locator('.canvas canvas').first().waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('prices the next tickets as the contract does, with fees split out', async () => {
    const { page } = await open();
    const one = buyQuote(supply(), 1n, FEES);
    expect((await amounts(page)).slice(0, 3)).to.deep.equal([one.price, one.protocolFee, one.agentFee].map(etherText));
    expect((await amounts(page))[3]).to.include(etherText(one.total));
    const slider = page.getByRole('slider', { name: 'Tickets' });
    await slider.focus();
    await page.keyboard.press('End');
    const twenty = buyQuote(supply(), 20n, FEES);
    expect((await amounts(page))[3]).to.include(etherText(twenty.total));
    await page.getByRole('button', { name: 'Sell', exact: true }).click();
    const sale = sellQuote(supply(), 20n, FEES);
    expect((await amounts(page))[3]).to.include(etherText(sale.total));
    await page.getByRole('button', { name: 'Show all amounts as a table' }).click();
    expect(await rowsOf(page, 'Return of the next tickets').count()).to.equal(20);
  });

  it('reads its charts by arrow keys, and as tables', async () => {
    const { page } = await open();
    const chart = page.getByRole('slider', { name: 'Price of one ticket over seven days' });
    await chart.focus();
    const last = await chart.getAttribute('aria-valuetext');
    expect(last).to.match(/close .*\sETH, open .*, volume/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuenow')).to.equal('40');
    expect(await chart.getAttribute('aria-valuetext')).to.not.equal(last);
    await page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuenow')).to.equal('0');
    const region = page.getByRole('region', { name: 'Price', exact: true });
    await region.getByRole('button', { name: 'Show as table' }).click();
    expect(await region.locator('tbody tr').count()).to.equal(42);
    const shares = page.getByRole('slider', { name: 'Shares of the largest holders' });
    await shares.focus();
    await page.keyboard.press('Home');
    const [holder = '', tickets = '', part = ''] = await rowsOf(page, 'Holders')
      .first()
      .locator('th, td')
      .allTextContents();
    expect(await shares.getAttribute('aria-valuetext')).to.equal(`${holder}: ${tickets} tickets, ${part}`);
    const curve = page.getByRole('slider', { name: 'Bonding curve' });
    await curve.focus();
    await page.keyboard.press('Home');
    expect(await curve.getAttribute('aria-valuetext')).to.equal('0 tickets: 0\u00a0ETH');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('changes the range of the chart', async () => {
    const { page, operations } = await open();
    const expected = { '1D': 23, '30D': 29, '7D': 41 };
    for (const [name, last] of Object.entries(expected)) {
      await page.getByRole('button', { name, exact: true }).click();
      const chart = page.locator('.candles .plot');
      await eventually(
        async () => (await chart.getAttribute('aria-valuemax')) === String(last),
        `${name} has not ${last + 1} candles`,
      );
    }
    expect(operations.filter((name) => name === 'Candles')).to.have.length(2);
  });

  it('shows the whole time of a market that is older than one answer', async () => {
    const { page } = await open();
    const day = 86_400_000;
    const now = site.service.deps.clock.now();
    await page.clock.setFixedTime(now);
    const candlesFrom = (age: number, length: number) =>
      Array.from({ length }, (_, i) => {
        const time = new Date((Math.floor(now.getTime() / day) - age + i) * day).toISOString();
        return { time, open: '1', high: '4', low: '1', close: '2', volume: '3' };
      });
    await page.route('**/graphql', (route) => {
      const { query, variables } = route.request().postDataJSON() as {
        query: string;
        variables: { before: string | null };
      };
      if (!query.startsWith('query Candles')) return route.continue();
      const candles = variables.before === null ? candlesFrom(149, 150) : candlesFrom(169, 20);
      return route.fulfill({ json: { data: { candles } } });
    });
    await page.getByRole('button', { name: 'All', exact: true }).click();
    const chart = page.locator('.candles .plot');
    await eventually(
      async () => (await chart.getAttribute('aria-valuemax')) === '169',
      'the chart has not 170 candles',
    );
  });

  it('lists holders, trades, posts and followers, page by page', async () => {
    const { page } = await open();
    const holders = rowsOf(page, 'Holders');
    expect(await holders.count()).to.equal(8);
    await page.getByRole('region', { name: 'Holders' }).getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => (await holders.count()) === profile.holderCount, 'not all holders appear');
    const panel = page.getByRole('tabpanel');
    expect(await panel.locator('tbody tr').count()).to.equal(10);
    await page.getByRole('tab', { name: 'Trades in its tickets' }).focus();
    await page.keyboard.press('ArrowRight');
    await eventually(
      async () => (await panel.locator('tbody tr .agent-link').count()) > 0,
      'its own trades do not appear',
    );
    await page.getByRole('tab', { name: 'Posts' }).click();
    await panel.locator('.feed-row .post').first().waitFor();
    await page.getByRole('tab', { name: 'Followers' }).click();
    await panel.locator('.people .agent-link').first().waitFor();
  });

  it('loads a remote picture only after a click', async () => {
    const one = await open();
    expect(foreign(one, site.service.url)).to.deep.equal([]);
    await one.page.context().route(/^https:/, (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      }),
    );
    await one.page.getByRole('button', { name: 'Show remote picture' }).click();
    await one.page.getByRole('img', { name: 'Picture of Juniper Row' }).waitFor();
    expect(foreign(one, site.service.url)).to.deep.equal([profile.avatarUrl]);
  });

  it('follows the price as it changes', async () => {
    const one = await open();
    const { page } = one;
    await page.locator('.status.live').waitFor();
    const before = await page.locator('.figure.main .eth').textContent();
    const chart = page.locator('.candles .plot');
    const last = await chart.getAttribute('aria-valuetext');
    const { contract } = site.service.deps.market;
    await (await newTrader({ provider: site.provider, contract })).buy(site.juniper, 1);
    await eventually(
      async () => (await page.locator('.figure.main .eth').textContent()) !== before,
      'the price does not change',
    );
    const now = buyQuote(supply() + 1n, 1n, FEES).price;
    expect(await page.locator('.figure.main .eth').textContent()).to.equal(etherText(now));
    await eventually(async () => (await chart.getAttribute('aria-valuetext')) !== last, 'the chart does not change');
    const renewed = await chart.getAttribute('aria-valuetext');
    await page.getByRole('button', { name: '30D', exact: true }).click();
    await eventually(async () => (await chart.getAttribute('aria-valuemax')) === '29', 'there are not 30 candles');
    await page.getByRole('button', { name: '7D', exact: true }).click();
    await eventually(
      async () => (await chart.getAttribute('aria-valuetext')) === renewed,
      'the chart forgets the trade when its range changes',
    );
  });
});
