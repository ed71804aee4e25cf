import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { texts } from '../../../../web/src/texts.js';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { body } from '../../../support/service/demo.js';

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

  it('says at its head what winning gives', async () => {
    for (const path of ['/seasons', '/seasons/1']) {
      const { page } = await open(path);
      await page.locator('.season-head').getByText('Winning pays nothing: when a season ends, its ranks are final').waitFor();
    }
  });

  it('shows the ranks without possibly linked wallets beside the official ones', async () => {
    type Unlinked = { name: string; rank: number; withoutLinks: { rank: number; totalPoints: number; linkedWallets: number } };
    const { leaderboard } = await body(site.service, '/api/seasons/leaderboard?season=1&order=withoutLinks&limit=30');
    const expected = (leaderboard as Unlinked[]).map(
      ({ name, rank, withoutLinks: { rank: unlinked, totalPoints, linkedWallets } }) =>
        [unlinked, name, totalPoints.toFixed(2), rank, '0.0\u00a0%', linkedWallets].join(' '),
    );
    const { page } = await open('/seasons/1');
    const board = region(page, 'Rank without possibly linked wallets');
    for (let shown = 10; shown < expected.length; shown += 10) {
      await board.getByRole('button', { name: 'Show more of these ranks' }).click();
      await board
        .locator('tbody tr')
        .nth(Math.min(shown + 10, expected.length) - 1)
        .waitFor();
    }
    const rows = await board.locator('tbody tr').evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll('td, .name')]
          .slice(0, 6)
          .map((cell) => cell.textContent)
          .join(' '),
      ),
    );
    expect(rows).to.deep.equal(expected);
    // No agent of the demo has a link, so a wallet says so.
    const links = (await open(`/links/${site.juniper}`)).page;
    await links.getByText('No wallet is possibly linked with this one.').waitFor();
  });

  type Standing = { name: string; rank: number; totalPoints: number; breakdown: Record<string, number> };
  const standings = async (query = '') =>
    (await body(site.service, `/api/seasons/leaderboard?limit=10${query}`)).leaderboard as Standing[];
  const chartOf = (page: Page) => page.getByRole('slider', { name: /^Points of the first ten agents/ });
  const summaryOf = async (page: Page) =>
    page.locator(`[id="${await chartOf(page).getAttribute('aria-describedby')}"]`).textContent();
  const choice = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Categories in the chart' }).getByRole('button', { name, exact: true });
  /** The names of the agents in the chart, from the top. */
  const names = (page: Page) => page.locator('.bar-row .name').allTextContents();
  /** The end of the bar in this row, in percent of the longest bar. */
  const endOf = (page: Page, row: number) =>
    page
      .locator('.bar-row')
      .nth(row)
      .locator('rect.category')
      .last()
      .evaluate((bar) => Number(bar.getAttribute('x')) + Number(bar.getAttribute('width')));

  it('shows the points of the service, as bars, by arrow keys and as a table', async () => {
    const [first] = (await standings('&season=1')) as [Standing];
    const { page } = await open('/seasons/1?points=all');
    const total = first.totalPoints.toFixed(2);
    const row = region(page, 'Leaderboard').locator('tbody tr').first();
    await row.filter({ hasText: first.name }).filter({ hasText: total }).waitFor();
    const chart = chartOf(page);
    expect(await summaryOf(page)).to.include(`${first.name} leads with ${total} points`);
    await chart.focus();
    await page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).to.include(`Rank 1, ${first.name}: ${total} points`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const cells = page.locator('.chart-table tbody tr').first().locator('td');
    await cells.first().waitFor();
    const points = categories.map((name) => first.breakdown[name]?.toFixed(2));
    expect(await cells.allTextContents()).to.deep.equal([first.name, ...points, total]);
    // The widths of the parts are proportional to the points, and the first bar is the longest. So it ends at 100 %.
    const bars = page.locator('.bar-row').first().locator('rect.category');
    expect(await bars.count()).to.equal(categories.filter((name) => (first.breakdown[name] ?? 0) > 0).length);
    expect(await endOf(page, 0)).to.be.within(99.5, 100.01);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('leaves out the category that has the most points if the reader asks for it, and says so', async () => {
    const rows = await standings();
    const sumOf = (sum: number, points: number) => sum + points;
    const share =
      (100 * rows.map((row) => row.breakdown.referralPoints ?? 0).reduce(sumOf)) / rows.map((row) => row.totalPoints).reduce(sumOf);
    const { page } = await open('/seasons?points=rest');
    expect(await choice(page, 'All but the largest').getAttribute('aria-pressed')).to.equal('true');
    const note = `Without the category Referrals, which has ${share.toFixed(1)}\u00a0% of the points`;
    await page.locator('.points-note', { hasText: note }).waitFor();
    expect(await summaryOf(page)).to.include(note);
    expect(await page.locator('.bars rect.referralPoints').count()).to.equal(0);
    const rest = ({ totalPoints, breakdown }: Standing) => totalPoints - (breakdown.referralPoints ?? 0);
    const sorted = rows.toSorted((a, b) => rest(b) - rest(a));
    expect(await names(page)).to.deep.equal(sorted.map(({ name }) => name));
    expect(await endOf(page, 0)).to.be.within(99.5, 100.01);
    const [first] = sorted as [Standing];
    await chartOf(page).focus();
    await page.keyboard.press('Home');
    const spoken = `Rank ${first.rank}, ${first.name}: ${rest(first).toFixed(2)} of ${first.totalPoints.toFixed(2)} points`;
    expect(await chartOf(page).getAttribute('aria-valuetext')).to.include(spoken);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const head = await page.locator('.chart-table thead th').allTextContents();
    expect(head).to.include.members(['Sum', 'Points']).and.not.include('Referrals');
    await choice(page, 'All').click();
    await page.locator('.bar-row rect.referralPoints').first().waitFor();
    await page.waitForURL(/\/seasons$/);
  });

  it('shows one category, sorted and scaled by it, with its rule, and keeps the choice in the address', async () => {
    const rows = await standings();
    const { page } = await open('/seasons');
    await choice(page, 'Diversity').click();
    await page.waitForURL(/points=diversityPoints$/);
    const points = ({ breakdown }: Standing) => breakdown.diversityPoints ?? 0;
    const sorted = rows.toSorted((a, b) => points(b) - points(a) || a.rank - b.rank);
    expect(sorted).to.not.deep.equal(rows);
    await page.reload();
    await chartOf(page).waitFor();
    expect(await names(page)).to.deep.equal(sorted.map(({ name }) => name));
    await page.locator('.points-note', { hasText: 'agents × 0.1. Other agents whose tickets the agent holds.' }).waitFor();
    expect(await endOf(page, 0)).to.be.within(99.5, 100.01);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const cells = await page.locator('.chart-table tbody tr').first().locator('td').allTextContents();
    const [first] = sorted as [Standing];
    expect(cells).to.deep.equal([first.name, points(first).toFixed(2), first.totalPoints.toFixed(2)]);
    expect(await summaryOf(page)).to.include(`${first.name} has the most of these points: ${points(first).toFixed(2)}.`);
    // In the second season, no agent has points for earlier seasons.
    await choice(page, 'Age').click();
    await page.locator('.points-note', { hasText: 'None of these agents has points for it.' }).waitFor();
    expect(await page.locator('.bars rect').count()).to.equal(0);
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
