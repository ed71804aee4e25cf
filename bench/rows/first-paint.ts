import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../test/support/browser/chromium.js';
import { ensureData } from '../dataset/databases.js';
import { nameOf } from '../dataset/people.js';
import { median } from '../support/figures.js';
import { startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { pin, unpin } from '../support/servers.js';
import { stopAll } from '../support/stops.js';

/** Pages whose documents contain the answer of their first query, each with an element that needs this answer. */
const pages = [
  ['market', '/', '.list .agent-link'],
  ['feed', '/feed', '.feed-row .agent-link'],
  ['seasons', '/seasons', '.list .agent-link'],
  ['agent', `/agents/${nameOf(0).toLowerCase().replaceAll(' ', '_')}`, '.list .agent-link'],
] as const;

/** A slow phone: 1.6 Mbit/s, a round trip of 150 ms, and a processor four times slower. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const CPU_RATE = 4;

/** The page then finds no answer in its document, and sends its first query. */
const WITHOUT = `{
  const { getElementById } = document;
  document.getElementById = (id) => (id === 'first-answer' ? null : getElementById.call(document, id));
}`;

/** Keeps the time of the first frame with the element, and of the largest paint so far. In milliseconds. */
const watched = (selector: string): string => `{
  window.seen = Promise.withResolvers();
  const look = () =>
    document.querySelector('${selector}') ? window.seen.resolve(performance.now()) : requestAnimationFrame(look);
  look();
  new PerformanceObserver((list) => { window.largest = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
}`;

/** Time after the content in which the largest paint may still come, in milliseconds. */
const LATER_MS = 1500;

type Seen = { readonly content: number; readonly largest: number };

/** Opens a page in a profile without a cache. Times are in seconds. */
async function once(browser: Browser, url: string, selector: string, isWith: boolean): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    await context.addInitScript({ content: (isWith ? '' : WITHOUT) + watched(selector) });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
    await page.goto(url, { waitUntil: 'load' });
    return await seenBy(page);
  } finally {
    await context.close();
  }
}

async function seenBy(page: Page): Promise<Seen> {
  const content = (await page.evaluate('window.seen.promise')) as number;
  await page.waitForTimeout(LATER_MS);
  return { content: content / 1000, largest: ((await page.evaluate('window.largest')) as number) / 1000 };
}

export const firstPaint: Row = {
  name: 'first-paint',
  title: 'content and largest paint of the pages on a slow phone, with and without the answer in the document',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    if (chromiumPath === undefined) throw new Error('Chromium is not installed: apt-get install chromium');
    const executablePath = chromiumPath;
    const database = await ensureData(options.server, 'quick', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      // The browser has all cores, as on a phone.
      unpin(process.pid);
      started({ stop: () => pin(process.pid, 1) });
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
      started({ stop: () => browser.close() });
      const lines: Omit<Line, 'row'>[] = [];
      for (const [name, path, selector] of pages) {
        const [withAnswer, without]: [Seen[], Seen[]] = [[], []];
        for (let round = 0; round <= options.rounds; round++) {
          for (const [list, isWith] of [
            [withAnswer, true],
            [without, false],
          ] as const) {
            const seen = await once(browser, product.url + path, selector, isWith);
            // The first round fills the caches of the service and is not counted.
            if (round > 0) list.push(seen);
          }
        }
        lines.push(...linesOf(name, withAnswer, without));
      }
      return lines;
    });
  },
};

function linesOf(name: string, withAnswer: readonly Seen[], without: readonly Seen[]): Omit<Line, 'row'>[] {
  const [content, later] = [withAnswer, without].map((list) => median(list.map((one) => one.content))) as [
    number,
    number,
  ];
  const [largest, before] = [withAnswer, without].map((list) => median(list.map((one) => one.largest))) as [
    number,
    number,
  ];
  const note =
    '390 × 844 pixels, 1.6 Mbit/s, 150 ms, a processor four times slower, nothing cached by the browser; 500 agents';
  const sides = (a: number, b: number) => ({ product: `${a.toFixed(2)} s`, peer: `${b.toFixed(2)} s` });
  return [
    {
      ...{ work: `Content of the page: ${name}`, against: 'itself without the answer in the document', note },
      ...{ ...sides(content, later), value: content / later, target: { at: 'most', value: 0.9, unit: 'times' } },
    },
    {
      ...{ work: `Largest paint of the page: ${name}`, against: 'absolute, beside itself without the answer', note },
      ...{ ...sides(largest, before), value: largest, target: { at: 'most', value: 2.5, unit: 's' } },
    },
  ];
}
