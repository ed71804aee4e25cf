// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { etherText, weiText } from '../../../web/src/format/ether.js';
import { dayText } from '../../../web/src/format/time.js';
import { describeInBrowser } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations, expectLittleShift, overflows } from '../../support/browser/measures.js';
import { ask } from '../../support/world.js';

const DAY = 86_400_000;

type Trend = { readonly agent: { readonly name: string; readonly candles: readonly Candle[] } };
type Candle = { readonly time: string; readonly close: string };
type Focus = { readonly label: string; readonly value: string; readonly row: number; readonly isTip: boolean };

describeInBrowser('the small charts of the trends', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser, () => site.service.url);
  let trends: readonly Trend[];
  let now: Date;
  before(async () => {
    now = site.service.deps.clock.now();
    const query =
      '{ trending(first: 8) { nodes { agent { name candles(first: 14, interval: DAY) { time close } } } } }';
    const { body } = await ask(site.service.url, 'POST', '/graphql', { body: { query } });
    trends = (body.data as { trending: { nodes: Trend[] } }).trending.nodes;
  });

  const open = (width = 1280) => openUrl('/', { width, prepare: (context) => context.clock.setFixedTime(now) });
  const region = (page: Page) => page.getByRole('region', { name: 'Trending' });
  const sliders = (page: Page) => region(page).getByRole('slider');
  const focused = (page: Page) =>
    page.evaluate(`(() => {
      const { activeElement: one } = document;
      return {
        label: one.getAttribute('aria-label') ?? '',
        value: one.getAttribute('aria-valuetext') ?? '',
        row: one.closest('tr')?.rowIndex ?? 0,
        isTip: one.matches('[data-tip]'),
      };
    })()`) as Promise<Focus>;

  /** The close of a day as the service has it: that of the day before if nobody traded. */
  function closeOf({ agent }: Trend, daysAgo: number): { readonly day: string; readonly wei: bigint } | undefined {
    const at = (Math.floor(now.getTime() / DAY) - daysAgo) * DAY;
    const candle = agent.candles.findLast(({ time }) => Date.parse(time) <= at);
    return candle && { day: dayText(at), wei: BigInt(candle.close) };
  }
  const spoken = (trend: Trend, daysAgo: number): string => {
    const { day, wei } = closeOf(trend, daysAgo) ?? expect.fail('no price');
    return `${day}: ${etherText(wei)}`;
  };
  /** Two of the trends that have at least three days. */
  const pair = (): readonly [Trend, Trend] => [trends[0] ?? expect.fail('none'), trends[1] ?? expect.fail('one')];

  it('have one stop for the Tab key, beside the one of the values', async () => {
    const { page } = await open();
    expect(await sliders(page).count()).to.equal(trends.length);
    const stops = await region(page)
      .locator('tbody [tabindex="0"]')
      .evaluateAll((found) => found.map((element) => element.getAttribute('role') ?? 'value'));
    expect(stops).to.have.members(['value', 'slider']);
    await region(page).locator('tbody a').first().focus();
    await page.keyboard.press('Tab');
    expect((await focused(page)).isTip).to.equal(true);
    await page.keyboard.press('Tab');
    expect((await focused(page)).label).to.equal(`Closing price of ${trends[0]?.agent.name} by day`);
  });

  it('are read by arrow keys, day by day to the left and right, agent by agent up and down', async () => {
    const { page } = await open();
    const [first, second] = pair();
    const reading = region(page).locator('.reading');
    expect(await reading.textContent()).to.include('Arrow keys read the lines');
    expect(await reading.locator('.keys').isVisible(), 'the keys, for who uses none').to.equal(false);
    await sliders(page).first().focus();
    expect(await reading.locator('.keys').isVisible(), 'the keys, for who uses them').to.equal(true);
    expect((await focused(page)).value).to.equal(spoken(first, 0));
    await page.keyboard.press('ArrowLeft');
    expect((await focused(page)).value).to.equal(spoken(first, 0));
    expect(await reading.textContent()).to.equal(`${first.agent.name}, ${spoken(first, 0)}`);
    await page.keyboard.press('ArrowLeft');
    expect((await focused(page)).value).to.equal(spoken(first, 1));
    expect(await sliders(page).first().locator('circle').count()).to.equal(1);
    await page.keyboard.press('Home');
    const oldest = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].find((days) => closeOf(first, days)) ?? 0;
    expect((await focused(page)).value).to.equal(spoken(first, oldest));
    await page.keyboard.press('End');
    expect((await focused(page)).value).to.equal(spoken(first, 0));
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).to.deep.include({ row: 2, label: `Closing price of ${second.agent.name} by day` });
    expect(await reading.textContent()).to.include('Arrow keys read the lines');
    await page.keyboard.press('ArrowLeft');
    expect((await focused(page)).value).to.equal(spoken(second, 0));
    await page.keyboard.press('ArrowUp');
    expect((await focused(page)).row).to.equal(1);
    // Tab leaves the lines, and returns to the one that was read last.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect((await focused(page)).row).to.equal(2);
    await expectLittleShift(page, 0.01);
  });

  it('show each day at the same place in every row', async () => {
    const { page } = await open();
    for (const [i, trend] of trends.entries()) {
      const days = Array.from({ length: 14 }, (_, daysAgo) => closeOf(trend, daysAgo)).filter(Boolean).length;
      const points = (await sliders(page).nth(i).locator('polyline').getAttribute('points')) ?? '';
      expect(Number(points.split(',')[0]), trend.agent.name).to.be.closeTo(((14 - days) * 84) / 13, 0.1);
      const summary = await sliders(page).nth(i).locator('.hidden').textContent();
      expect(summary).to.match(new RegExp(`^${days} days?: from `));
    }
  });

  it('follow the pointer', async () => {
    const { page } = await open();
    const [first] = pair();
    const box = (await sliders(page).first().boundingBox()) ?? expect.fail('invisible');
    await page.mouse.move(box.x + box.width - 2, box.y + 10);
    expect(await region(page).locator('.reading').textContent()).to.equal(`${first.agent.name}, ${spoken(first, 0)}`);
    await page.mouse.move(box.x + box.width / 2, box.y + 300);
    expect(await region(page).locator('.reading').textContent()).to.include('Arrow keys read the lines');
  });

  for (const width of [1280, 360]) {
    it(`have a table with the exact price of each day and agent, at ${width} pixels`, async () => {
      const { page } = await open(width);
      await expectLittleShift(page, 0.05);
      await region(page).getByRole('button', { name: 'Show as table' }).click();
      const table = page.getByRole('region', { name: 'Closing prices of the last 14 days' });
      const heads = await table.locator('thead th').allTextContents();
      expect(heads).to.deep.equal(['Day (UTC)', ...trends.map(({ agent }) => agent.name)]);
      const rows = table.locator('tbody tr');
      expect(await rows.count()).to.equal(14);
      for (const daysAgo of [0, 1, 6, 13]) {
        const row = rows.nth(daysAgo);
        const found = trends.map((trend) => closeOf(trend, daysAgo));
        expect(await row.locator('td').allTextContents()).to.deep.equal(
          found.map((close) => (close ? etherText(close.wei) : '–')),
        );
        expect(await row.locator('.eth').evaluateAll((all) => all.map((element) => element.dataset.tip))).to.deep.equal(
          found.flatMap((close) => (close ? [weiText(close.wei)] : [])),
        );
      }
      expect(await table.locator('tbody [tabindex="0"]').count()).to.equal(1);
      expect(await overflows(page)).to.equal(false);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }

  it('reads nothing for them beside the answer in the document', async () => {
    const { page, operations } = await open();
    await region(page).getByRole('button', { name: 'Show as table' }).click();
    await sliders(page).first().focus();
    await page.keyboard.press('Home');
    expect(operations.filter((name) => !name.startsWith('Live'))).to.deep.equal([]);
  });
});
