import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '../../test/support/browser/chromium.js';
import { ensureData } from '../dataset/databases.js';
import { nameOf } from '../dataset/people.js';
import { median } from '../support/figures.js';
import { startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { pin, unpin } from '../support/servers.js';
import { stopAll } from '../support/stops.js';

/** Pages whose documents contain the answer of their first query. The selector matches an element that needs this answer. */
const pages = [
  ['market', '/', '.list .agent-link'],
  ['agent', `/agents/${nameOf(0).toLowerCase().replaceAll(' ', '_')}`, '.list .agent-link'],
] as const;

/**
 * A slow phone: 1.6 Mbit/s (the throughputs are in bytes per second), a round trip of 150 ms, and a processor that is four times
 * slower.
 */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const CPU_RATE = 4;

/** Script that hides the answer in the document, so that the page sends its first query. */
const WITHOUT = `{
  const { getElementById } = document;
  document.getElementById = (id) => (id === 'first-answer' ? null : getElementById.call(document, id));
}`;

/** Script that records the time of the first frame with the element, in milliseconds. */
const watched = (selector: string): string => `{
  window.seen = Promise.withResolvers();
  const look = () =>
    document.querySelector('${selector}') ? window.seen.resolve(performance.now()) : requestAnimationFrame(look);
  look();
}`;

/** Opens a page in a profile without a cache. Returns the time until its content is there, in seconds. */
async function once(browser: Browser, url: string, selector: string, isWith: boolean): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    await context.addInitScript({ content: (isWith ? '' : WITHOUT) + watched(selector) });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
    await page.goto(url, { waitUntil: 'load' });
    return ((await page.evaluate('window.seen.promise')) as number) / 1000;
  } finally {
    await context.close();
  }
}

export const firstPaint: Row = {
  name: 'first-paint',
  title: 'content of two pages on a slow phone, with and without the answer in the document',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    if (chromiumPath === undefined) throw new Error('Chromium is not installed: apt-get install chromium');
    const executablePath = chromiumPath;
    const database = await ensureData(options.server, 'quick', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      // The browser inherits the cores of this process. It gets all of them, as on a phone.
      unpin(process.pid);
      started({ stop: () => pin(process.pid, 1) });
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
      started({ stop: () => browser.close() });
      const lines: Omit<Line, 'row'>[] = [];
      for (const [name, path, selector] of pages) {
        const [withAnswer, without]: [number[], number[]] = [[], []];
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
        lines.push(lineOf(name, median(withAnswer), median(without)));
      }
      return lines;
    });
  },
};

const lineOf = (name: string, content: number, later: number): Omit<Line, 'row'> => ({
  work: `Content of the page: ${name}`,
  against: 'itself without the answer in the document',
  product: `${content.toFixed(2)} s`,
  peer: `${later.toFixed(2)} s`,
  value: content / later,
  target: { at: 'most', value: 0.9, unit: 'times' },
  note: '390 × 844 pixels, 1.6 Mbit/s, 150 ms, a processor four times slower, nothing cached by the browser; 500 agents',
});
