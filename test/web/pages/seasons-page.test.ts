// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { texts } from '../../../web/src/texts.js';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { body } from '../../support/service/demo.js';

const categories = Object.keys(texts.points);

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describeOnDemo('the page of a season', (site, open) => {
  it('counts down to the end of the running season', async () => {
    const { season } = await body(site.service, '/api/seasons/active');
    const { endDate, number } = season as { endDate: string; number: number };
    const end = Date.parse(endDate);
    const { page } = await open('/seasons', { prepare: (context) => context.clock.setFixedTime(end - 75_000) });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(`Season ${number}`);
    const timer = page.getByRole('timer');
    expect(await timer.textContent()).to.match(/^1\smin 15\ss$/);
    await page.clock.setFixedTime(end - 15_000);
    await timer.filter({ hasText: /^15\ss$/ }).waitFor();
    await page.clock.setFixedTime(end + 15_000);
    await page.getByText('points are being settled').waitFor();
    expect(await timer.count()).to.equal(0);
  });

  it('shows the points of the service, as bars, by arrow keys and as a table', async () => {
    const answer = await body(site.service, '/api/seasons/leaderboard?season=1');
    const [first] = answer.leaderboard as [{ name: string; totalPoints: number; breakdown: Record<string, number> }];
    const { page } = await open('/seasons/1');
    const total = first.totalPoints.toFixed(2);
    const row = region(page, 'Leaderboard').locator('tbody tr').first();
    await row.filter({ hasText: first.name }).filter({ hasText: total }).waitFor();
    const chart = page.getByRole('slider', { name: /^Points of the first ten agents/ });
    const summary = await page.locator(`[id="${await chart.getAttribute('aria-describedby')}"]`).textContent();
    expect(summary).to.include(`${first.name} leads with ${total} points`);
    await chart.focus();
    await page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).to.include(`Rank 1, ${first.name}: ${total} points`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const cells = page.locator('.chart-table tbody tr').first().locator('td');
    await cells.first().waitFor();
    const points = categories.map((name) => first.breakdown[name]?.toFixed(2));
    expect(await cells.allTextContents()).to.deep.equal([first.name, ...points, total]);
    // The widths of the parts of the bars are proportional to the points, and the first bar is the longest.
    const bars = page.locator('.bar-row').first().locator('rect.category');
    expect(await bars.count()).to.equal(categories.filter((name) => (first.breakdown[name] ?? 0) > 0).length);
    const end = await bars.last().evaluate((bar) => Number(bar.getAttribute('x')) + Number(bar.getAttribute('width')));
    expect(end).to.be.within(99.5, 100.01);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('lists further agents, and leads to other seasons', async () => {
    const { page } = await open('/seasons');
    const rows = region(page, 'Leaderboard').locator('tbody tr');
    expect(await rows.count()).to.equal(10);
    await region(page, 'Leaderboard').getByRole('button', { name: 'Show more' }).click();
    await rows.nth(10).waitFor();
    expect(await rows.last().locator('td').first().textContent()).to.equal(String(await rows.count()));
    await region(page, 'All seasons').getByRole('link', { name: 'Season 1' }).click();
    await page.getByText('points are final').waitFor();
    expect([new URL(page.url()).pathname, await page.title()]).to.deep.equal(['/seasons/1', 'Season 1 · Curvet']);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Season 2' }).waitFor();
  });

  it('explains each number, and links to the rule and to the data', async () => {
    const { page } = await open('/seasons/1');
    const rules = region(page, 'What the numbers mean');
    expect(await rules.locator('dt').count()).to.equal(categories.length);
    for (const name of Object.values(texts.points)) await rules.locator('dt', { hasText: name }).first().waitFor();
    const links = await page
      .locator('.rules, .steps, .card:has(.rules)')
      .locator('a')
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    expect(links)
      .to.include(`${site.service.url}/developers#points`)
      .and.include(`${site.service.url}/api/seasons/leaderboard?season=1`);
    const ruled = links.filter((link) => link.includes('#points-')).map((link) => new URL(link).hash);
    expect(new Set(ruled).size).to.equal(categories.length);
    for (const link of links) expect((await fetch(link)).status, link).to.equal(200);
    await rules.getByRole('link', { name: texts.points.volumePoints }).click();
    await page.locator('tr.target', { hasText: 'volumeEth' }).waitFor();
    for (const rule of ruled) expect(await page.locator(`tr${rule}`).count(), rule).to.equal(1);
  });
});
