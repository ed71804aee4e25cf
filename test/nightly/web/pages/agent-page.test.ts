import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { unitPrice } from '../../../../src/values/curve.js';
import { etherText } from '../../../../web/src/format/ether.js';
import { foreign } from '../../../support/browser/chromium.js';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { body } from '../../../support/service/demo.js';
import { eventually } from '../../../support/service/process.js';

/** Records the texts that the page draws on a canvas. */
const RECORD_TEXTS = `{
  window.drawnTexts = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.drawnTexts.add(text);
    return fillText.call(this, text, ...place);
  };
}`;

describeOnDemo('the page of an agent', (site, openUrl) => {
  let profile: Readonly<Record<string, unknown>>;
  before(async () => {
    profile = (await body(site.service, '/api/agents/juniper_row')).agent as Record<string, unknown>;
  });

  const open = () => openUrl('/agents/juniper_row');
  const rowsOf = (page: Page, name: string) => page.getByRole('region', { name }).locator('tbody tr');
  /** Chooses a range of the chart, and waits until its last candle has the number `last`. */
  async function showRange(page: Page, name: string, last: number): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator(`.candles .plot[aria-valuemax="${last}"]`).waitFor();
  }

  it('shows identity, figures, and the library of the chart by name', async () => {
    const { page } = await open();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.include('Juniper Row');
    expect(await page.title()).to.equal('Juniper Row · Curvet');
    await page.getByText('Holds one ticket of everything').first().waitFor();
    const figures = await page.locator('.figures dd').allTextContents();
    expect(figures.slice(4, 6)).to.deep.equal([profile.totalSupply, profile.holderCount].map(String));
    await page.locator('a[href="https://www.tradingview.com/"]', { hasText: 'TradingView' }).waitFor();
    await page.locator('.canvas canvas').first().waitFor();
  });

  it('shows no price below zero on the axis of any range', async () => {
    const { page } = await openUrl('/agents/juniper_row', {
      prepare: (context) => context.addInitScript({ content: RECORD_TEXTS }),
    });
    const height = (await page.locator('.canvas').boundingBox())?.height;
    for (const [name, last] of [
      ['1D', 23],
      ['30D', 29],
      ['7D', 41],
    ] as const) {
      await page.evaluate('window.drawnTexts.clear()');
      await showRange(page, name, last);
      const drawn = async () => (await page.evaluate('[...window.drawnTexts]')) as string[];
      await eventually(async () => (await drawn()).some((text) => /^0\.0\d+$/.test(text)), 'no price is drawn');
      expect((await drawn()).filter((text) => /^[-\u2212]/.test(text))).to.deep.equal([]);
      expect((await page.locator('.canvas').boundingBox())?.height).to.equal(height);
    }
  });

  it('lets arrow keys read its charts, and shows them as tables', async () => {
    const { page } = await open();
    const [chart, shares, curve] = ['Price of one ticket over seven days', 'Shares of the largest holders', 'Bonding curve'].map(
      (name) => page.getByRole('slider', { name }),
    ) as [Locator, Locator, Locator];
    await chart.focus();
    const last = await chart.getAttribute('aria-valuetext');
    expect(last).to.match(/close .*\sETH, open .*, volume/);
    for (const [key, at] of [
      ['ArrowLeft', '41'],
      ['ArrowLeft', '40'],
      ['Home', '0'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await chart.getAttribute('aria-valuenow')).to.equal(at);
    }
    expect(await chart.getAttribute('aria-valuetext')).to.not.equal(last);
    const region = page.getByRole('region', { name: 'Price', exact: true });
    await region.getByRole('button', { name: 'Show as table' }).click();
    expect(await region.locator('tbody tr').count()).to.equal(42);
    const cells = await rowsOf(page, 'Holders').first().locator('th, td').allTextContents();
    const [holder = '', tickets = '', part = ''] = cells;
    await shares.press('Home');
    expect(await shares.getAttribute('aria-valuetext')).to.equal(`${holder}: ${tickets} tickets, ${part}`);
    await curve.press('Home');
    expect(await curve.getAttribute('aria-valuetext')).to.equal('0 tickets: 0\u00a0ETH');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
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
      const { query, variables } = route.request().postDataJSON();
      if (!query.startsWith('query Candles')) return route.continue();
      // The first answer has the newest 150 days, up to today. The second has the 20 days before them.
      const candles = variables.before === null ? candlesFrom(149, 150) : candlesFrom(169, 20);
      return route.fulfill({ json: { data: { candles } } });
    });
    await showRange(page, 'All', 169);
  });

  it('lists all holders page by page, and moves between its tabs by arrow keys', async () => {
    const { page } = await open();
    const holders = rowsOf(page, 'Holders');
    expect(await holders.count()).to.equal(8);
    await page.getByRole('region', { name: 'Holders' }).getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => (await holders.count()) === profile.holderCount, 'not all holders appear');
    const panel = page.getByRole('tabpanel');
    expect(await panel.locator('tbody tr').count()).to.equal(10);
    await page.getByRole('tab', { name: 'Trades in its tickets' }).press('ArrowRight');
    await page.getByRole('tab', { name: 'Trades it made', selected: true }).waitFor();
    await panel.locator('tbody tr .agent-link').first().waitFor();
  });

  it('loads a remote picture only after a click', async () => {
    const one = await open();
    const { page } = one;
    expect(foreign(one, site.service.url)).to.deep.equal([]);
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    await page.context().route(/^https:/, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    await page.getByRole('button', { name: 'Show remote picture' }).click();
    await page.getByRole('img', { name: 'Picture of Juniper Row' }).waitFor();
    expect(foreign(one, site.service.url)).to.deep.equal([profile.avatarUrl]);
    // The list is emptied, because any later request to another site is a fault.
    one.requested.length = 0;
  });

  it('follows the price as it changes', async () => {
    const { page } = await open();
    await page.locator('.status.live').waitFor();
    const chart = page.locator('.candles .plot');
    const last = await chart.getAttribute('aria-valuetext');
    await (await site.trader()).buy(site.juniper, 1);
    const now = etherText(unitPrice(BigInt(Number(profile.totalSupply) + 1)));
    await page.locator('.figure.main').getByText(now, { exact: true }).waitFor();
    await eventually(async () => (await chart.getAttribute('aria-valuetext')) !== last, 'the chart does not change');
    const renewed = await chart.getAttribute('aria-valuetext');
    await showRange(page, '30D', 29);
    await showRange(page, '7D', 41);
    await eventually(
      async () => (await chart.getAttribute('aria-valuetext')) === renewed,
      'the chart forgets the trade when its range changes',
    );
  });
});
