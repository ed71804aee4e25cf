import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations of WCAG 2.2 AA and of best practices that axe finds on the page, one line each. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const scrollTo = (top: unknown) => page.evaluate(`scrollTo({ top: ${top}, behavior: 'instant' })`);
  const top = await page.evaluate('scrollY');
  // Scrolls to the top, because the header stays at the top of the window and covers a part of the content when it is scrolled.
  await scrollTo(0);
  await page.evaluate(axe);
  const lines = (await page.evaluate(`
    axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) =>
        [id, help, JSON.stringify(target), failureSummary].join(': '))))`)) as string[];
  await scrollTo(top);
  return lines;
}

/**
 * Expects that all layout shifts since the page was opened are together below `most`. Shifts after an input do not count. The
 * error names what moved.
 */
export async function expectLittleShift(page: Page, most: number): Promise<void> {
  const shifts = (await page.evaluate(`(() => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: 'layout-shift', buffered: true });
    const shifts = observer.takeRecords().filter(({ hadRecentInput }) => !hadRecentInput);
    return shifts.map(({ value, startTime, sources }) => ({ value, at: startTime, moved: sources.map((one) => [
      one.node?.className || one.node?.nodeName, one.node?.textContent?.slice(0, 40), one.previousRect.top, one.currentRect.top,
    ]) }));
  })()`)) as { readonly value: number }[];
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  expect(sum, `the layout shift of ${JSON.stringify(shifts)}`).to.be.below(most);
}

/** Whether the page is wider than the window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Texts that are cut off, at the side or in the middle of a line. */
export const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main *')].filter((element) => {
    const { overflowX, overflowY, lineHeight, clipPath } = getComputedStyle(element);
    // Texts that only screen readers get are clipped on purpose.
    if (element.closest('.hidden') || clipPath !== 'none') return false;
    if (!element.textContent.trim() || element.clientWidth === 0) return false;
    // A name is readable whole, in at most two lines.
    const isNameCut = element.matches('.name') && element.scrollHeight > element.clientHeight + 2;
    const line = Number.parseFloat(lineHeight);
    const rest = element.clientHeight % line;
    const isHalf = element.scrollHeight > element.clientHeight + 2 && rest > 2 && rest < line - 2;
    return isNameCut || (overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1) || (overflowY === 'hidden' && isHalf);
  }).map(({ className, textContent }) => className + ': ' + textContent)`);

/**
 * Finds controls that are lower or narrower than 40 pixels (39.5 counts as 40). Links within a text and controls for the keyboard
 * only may be smaller.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a, button, select, summary, input, [role=tab], [role=slider]')]
    .filter((one) => one.offsetParent !== null && !one.matches('.skip, .line a, p a, dd a, .notice a, .steps a, .spark'))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 39.5 || height < 39.5)
    .map(([one, { width, height }]) => [one.className, one.textContent.slice(0, 30), Math.round(width), Math.round(height)].join(' '))`);

/** Checks that no text of an agent has become a script, a picture or a link that runs one. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).to.equal(undefined);
  expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).to.equal(0);
  const protocols = (await page.evaluate(`[...document.querySelectorAll('a')].map((a) => a.protocol)`)) as string[];
  expect(protocols.filter((protocol) => !/^https?:$/.test(protocol))).to.deep.equal([]);
}
