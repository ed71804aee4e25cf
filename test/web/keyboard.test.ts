// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../support/browser/demo-site.js';

/** The tip of the focused element as it is drawn, and where the element stands. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  const tip = getComputedStyle(one, '::after');
  return {
    tip: tip.display === 'none' ? '' : tip.content,
    row: one.closest('tr')?.rowIndex,
    column: one.closest('td, th')?.cellIndex,
    isVisible: one.offsetParent !== null,
  };
})()`;
type Focused = { readonly tip: string; readonly row: number; readonly column: number; readonly isVisible: boolean };
const focused = (page: Page) => page.evaluate(FOCUSED) as Promise<Focused>;

describeInBrowser('the values of a table by keyboard', (browser) => {
  const site = useDemoSite();
  const open = useVisits(browser, () => site.service.url);

  /** Presses Tab from the first link of a table until a value has the focus. */
  async function tabToValue(page: Page, region: string): Promise<void> {
    await page.getByRole('region', { name: region }).locator('tbody a').first().focus();
    for (let presses = 0; presses < 3; presses++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate("document.activeElement.matches('[data-tip]')")) return;
    }
    expect.fail('Tab reaches no value');
  }

  it('shows the exact wei at the first value that Tab reaches, and at the others by arrow keys', async () => {
    const { page } = await open();
    await tabToValue(page, 'Leaderboard');
    const price = await focused(page);
    expect(price.tip).to.match(/"[\d,]{10,} wei/);
    expect([price.row, price.column]).to.deep.equal([1, 2]);
    await page.keyboard.press('ArrowDown');
    const below = await focused(page);
    expect([below.row, below.column]).to.deep.equal([2, 2]);
    expect(below.tip)
      .to.match(/"[\d,]{10,} wei/)
      .and.not.equal(price.tip);
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).to.deep.equal(price);
    await page.keyboard.press('End');
    expect((await focused(page)).row).to.equal(10);
    await page.keyboard.press('Home');
    expect(await focused(page)).to.deep.equal(price);
    await page.keyboard.press('Escape');
    expect((await focused(page)).tip).to.equal('');
  });

  it('moves between the values of a row, and returns with Tab to the one left', async () => {
    const { page } = await open();
    await tabToValue(page, 'Trending');
    const first = await focused(page);
    await page.keyboard.press('ArrowRight');
    const next = await focused(page);
    expect(next.row).to.equal(first.row);
    expect(next.column).to.be.above(first.column);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).to.deep.equal(next);
  });
});
