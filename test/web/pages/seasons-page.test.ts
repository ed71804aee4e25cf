// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { texts } from '../../../web/src/texts.js';
import { describeInBrowser } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { body } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

type Standing = {
  readonly name: string;
  readonly totalPoints: number;
  readonly breakdown: Record<string, number>;
};

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describeInBrowser('the page of a season', (browser) => {
  const site = useDemoSite();
  const open = useVisits(browser, () => site.service.url);

  it('counts down to the end of the running season', async () => {
    const { season } = (await body(site.service, '/api/seasons/active')) as {
      season: { endDate: string; number: number };
    };
    const end = Date.parse(season.endDate);
    const { page } = await open('/seasons', { prepare: (context) => context.clock.setFixedTime(end - 75_000) });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(`Season ${season.number}`);
    const timer = page.getByRole('timer');
    expect(await timer.textContent()).to.match(/^1\smin 15\ss$/);
    await page.clock.setFixedTime(end - 15_000);
    await eventually(async () => /^15\ss$/.test((await timer.textContent()) ?? ''), 'the time stands still');
    await page.clock.setFixedTime(end + 15_000);
    await page.getByText('points are being settled').waitFor();
    expect(await timer.count()).to.equal(0);
  });

  it('shows the points of the service, as bars, by arrow keys and as a table', async () => {
    const answer = await body(site.service, '/api/seasons/leaderboard?season=1');
    const [first] = answer.leaderboard as [Standing];
    const { page } = await open('/seasons/1');
    const total = first.totalPoints.toFixed(2);
    const row = region(page, 'Leaderboard').locator('tbody tr').first();
    expect(await row.textContent())
      .to.include(first.name)
      .and.include(total);
    const chart = page.getByRole('slider', { name: /^Points of the first ten agents/ });
    const summary = await page.locator(`[id="${await chart.getAttribute('aria-describedby')}"]`).textContent();
    expect(summary).to.include(`${first.name} leads with ${total} points`);
    await chart.focus();
    await page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).to.include(`Rank 1, ${first.name}: ${total} points`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.locator('.chart-table tbody tr').first().waitFor();
    const cells = await page.locator('.chart-table tbody tr').first().locator('td').allTextContents();
    const categories = Object.keys(texts.points).map((name) => first.breakdown[name]?.toFixed(2));
    expect(cells).to.deep.equal([first.name, ...categories, total]);
    // The widths of the parts of the bars are proportional to the points, and the first bar is the longest.
    const bars = page.locator('.bar-row').first().locator('rect.category');
    const parts = Object.keys(texts.points).filter((name) => (first.breakdown[name] ?? 0) > 0);
    expect(await bars.count()).to.equal(parts.length);
    const last = bars.last();
    const end = Number(await last.getAttribute('x')) + Number(await last.getAttribute('width'));
    expect(end).to.be.within(99.5, 100.01);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('lists further agents, and leads to other seasons', async () => {
    const { page } = await open('/seasons');
    const rows = region(page, 'Leaderboard').locator('tbody tr');
    expect(await rows.count()).to.equal(10);
    await region(page, 'Leaderboard').getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => (await rows.count()) > 10, 'the second page does not appear');
    expect(await rows.last().locator('td').first().textContent()).to.equal(String(await rows.count()));
    await region(page, 'All seasons').getByRole('link', { name: 'Season 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Season 1' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/seasons/1');
    expect(await page.title()).to.equal('Season 1 · Curvet');
    await page.getByText('points are final').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Season 2' }).waitFor();
  });

  it('explains each number, and links to the rule and to the data', async () => {
    const { page } = await open('/seasons/1');
    const rules = region(page, 'What the numbers mean');
    expect(await rules.locator('dt').count()).to.equal(Object.keys(texts.points).length);
    for (const name of Object.values(texts.points)) await rules.locator('dt', { hasText: name }).first().waitFor();
    const links = await page
      .locator('.rules, .steps, .card:has(.rules)')
      .locator('a')
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    expect(links)
      .to.include(`${site.service.url}/developers#points`)
      .and.include(`${site.service.url}/api/seasons/leaderboard?season=1`);
    const ruled = links.filter((link) => link.includes('#points-')).map((link) => new URL(link).hash);
    expect(new Set(ruled).size).to.equal(Object.keys(texts.points).length);
    for (const link of links) expect((await fetch(link)).status, link).to.equal(200);
    await rules.getByRole('link', { name: texts.points.volumePoints }).click();
    await page.locator('tr.target', { hasText: 'volumeEth' }).waitFor();
    for (const rule of ruled) expect(await page.locator(`tr${rule}`).count(), rule).to.equal(1);
  });

  it('says that there is no such season', async () => {
    const { page } = await open('/seasons/99');
    await page.getByRole('alert').getByText('Not found', { exact: true }).waitFor();
    const wrong = await open('/seasons/last');
    await wrong.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(wrong.operations).to.deep.equal([]);
  });
});

describeInBrowser('the page of seasons before the first one', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  const open = useVisits(browser, () => world.url);

  it('says that none has started', async () => {
    const { page, complaints } = await open('/seasons');
    await page.getByText('No season has started yet.').first().waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });
});
