import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { etherText, weiText } from '../../../../web/src/format/ether.js';
import { dayText } from '../../../../web/src/format/time.js';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, expectLittleShift, overflows } from '../../../support/browser/measures.js';

const DAY = 86_400_000;
/** The text below the lines while the reader reads none of them. */
const IDLE = /Arrow keys read the lines/;

type Trend = { readonly agent: { readonly name: string; readonly candles: readonly Candle[] } };
type Candle = { readonly time: string; readonly close: string };

/** Describes the element with the focus: its label, its value, its place in the table, and its tip as the browser draws it. */
const FOCUS = `(() => {
  const { activeElement: one } = document;
  const label = one.matches('[data-tip]') ? 'a value' : one.getAttribute('aria-label');
  const { display, content } = getComputedStyle(one, '::after');
  const place = { row: one.closest('tr')?.rowIndex, column: one.closest('td, th')?.cellIndex };
  return { label, value: one.getAttribute('aria-valuetext') ?? '', ...place, tip: display === 'none' ? 'none' : content };
})()`;

describeOnDemo('the values and the small charts of the trends', (site, openUrl) => {
  let trends: readonly Trend[];
  let now: Date;
  before(async () => {
    now = site.service.deps.clock.now();
    const query = '{ trending(first: 10) { nodes { agent { name candles(first: 14, interval: DAY) { time close } } } } }';
    trends = (await site.data<{ trending: { nodes: Trend[] } }>(query)).trending.nodes;
  });

  const open = (width = 1280) => openUrl('/', { width, prepare: (context) => context.clock.setFixedTime(now) });
  const region = (page: Page) => page.getByRole('region', { name: 'Agents' });
  const sliders = (page: Page) => region(page).getByRole('slider');
  /** Waits until the text below the lines matches. */
  const reads = (page: Page, hasText: string | RegExp) =>
    region(page).locator('.reading', { hasText }).waitFor({ state: 'attached' });
  const labelOf = ({ agent }: Trend) => `Closing price of ${agent.name} by day`;

  /** The closing price of a day in the answer of the service. On a day without a trade, it is that of the last day with one. */
  function closeOf({ agent }: Trend, daysAgo: number): { readonly day: string; readonly wei: bigint } | undefined {
    const at = (Math.floor(now.getTime() / DAY) - daysAgo) * DAY;
    const candle = agent.candles.findLast(({ time }) => Date.parse(time) <= at);
    return candle && { day: dayText(at), wei: BigInt(candle.close) };
  }
  const daysOf = (trend: Trend): number =>
    Array.from({ length: 14 }, (_, daysAgo) => closeOf(trend, daysAgo)).filter(Boolean).length;
  const spoken = (trend: Trend, daysAgo: number): string => {
    const { day, wei } = closeOf(trend, daysAgo) ?? expect.fail('no price');
    return `${day}: ${etherText(wei)}`;
  };

  it('are read by Tab and arrow keys, with their exact wei', async () => {
    const { page } = await open();
    await region(page).locator('tbody a').first().focus();
    const wei = /"[\d,]{10,} wei/;
    for (const [key, row, column, tip] of [
      ['Tab', 1, 2, wei],
      ['ArrowDown', 2, 2, wei],
      ['ArrowUp', 1, 2, wei],
      ['ArrowRight', 1, 5, wei],
      // Tab returns to the value that had the focus last.
      ['Shift+Tab', 1, 4, /^none$/],
      ['Tab', 1, 5, wei],
      ['End', 10, 8, /score/i],
      ['Home', 1, 2, wei],
      ['Escape', 1, 2, /^none$/],
    ] as const) {
      await page.keyboard.press(key);
      const found = (await page.evaluate(FOCUS)) as { tip: string };
      expect(found, key).to.include({ row, column });
      expect(found.tip, key).to.match(tip);
    }
  });

  it('are read as charts by arrow keys, day by day to the left and right, agent by agent up and down', async () => {
    const { page, operations } = await open();
    const [first, second] = trends as [Trend, Trend];
    const keys = region(page).locator('.reading .keys');
    expect(await sliders(page).count()).to.equal(trends.length);
    expect(await keys.isVisible(), 'the keys, for who uses none').to.equal(false);
    // Tab stops twice in the table: once at its values, and once at its lines.
    await region(page).locator('tbody a').first().focus();
    const [of, also] = [
      (daysAgo: number) => ({ label: labelOf(first), value: spoken(first, daysAgo), row: 1 }),
      (daysAgo: number) => ({ label: labelOf(second), value: spoken(second, daysAgo), row: 2 }),
    ];
    for (const [key, expected, read] of [
      ['Tab', { label: 'a value' }, IDLE],
      ['Tab', of(0), IDLE],
      ['ArrowLeft', of(0), `${first.agent.name}, ${spoken(first, 0)}`],
      ['ArrowLeft', of(1), `${first.agent.name}, ${spoken(first, 1)}`],
      ['Home', of(daysOf(first) - 1), first.agent.name],
      ['End', of(0), first.agent.name],
      ['ArrowDown', also(0), IDLE],
      ['ArrowLeft', also(0), second.agent.name],
      ['ArrowUp', { label: labelOf(first), row: 1 }, IDLE],
      ['ArrowDown', { label: labelOf(second), row: 2 }, IDLE],
      // Tab leaves the lines, and returns to the line that was read last.
      ['Tab', {}, IDLE],
      ['Shift+Tab', { label: labelOf(second), row: 2 }, IDLE],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.evaluate(FOCUS), key).to.deep.include(expected);
      await reads(page, read);
      if (key === 'Home') expect(await sliders(page).first().locator('circle').count()).to.equal(1);
    }
    expect(await keys.isVisible(), 'the keys, for who uses them').to.equal(true);
    await expectLittleShift(page, 0.01);
    const asked = operations.filter((name) => !name.startsWith('Live'));
    expect(asked, 'beside the answer in the document').to.deep.equal([]);
  });

  it('show each day at the same place in every row', async () => {
    const { page } = await open();
    for (const [i, trend] of trends.entries()) {
      const days = daysOf(trend);
      const points = (await sliders(page).nth(i).locator('polyline').getAttribute('points')) ?? '';
      // A line has 14 days on a width of 84. An agent with fewer days has a line that begins further to the right.
      expect(Number(points.split(',')[0]), trend.agent.name).to.be.closeTo(((14 - days) * 84) / 13, 0.1);
      const summary = await sliders(page).nth(i).locator('.hidden').textContent();
      expect(summary).to.match(new RegExp(`^${days} days?: from `));
    }
  });

  it('follow the pointer', async () => {
    const { page } = await open();
    const [first] = trends as [Trend];
    const box = (await sliders(page).first().boundingBox()) ?? expect.fail('invisible');
    for (const [x, y, read] of [
      [box.width - 2, 10, `${first.agent.name}, ${spoken(first, 0)}`],
      [box.width / 2, 300, IDLE],
    ] as const) {
      await page.mouse.move(box.x + x, box.y + y);
      await reads(page, read);
    }
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
        expect(await row.locator('td').allTextContents()).to.deep.equal(found.map((close) => (close ? etherText(close.wei) : '–')));
        expect(await row.locator('.eth').evaluateAll((all) => all.map((element) => element.dataset.tip))).to.deep.equal(
          found.flatMap((close) => (close ? [weiText(close.wei)] : [])),
        );
      }
      expect(await table.locator('tbody [tabindex="0"]').count()).to.equal(1);
      expect(await overflows(page)).to.equal(false);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }
});
