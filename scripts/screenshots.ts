// Makes the screenshots of the README: `npm run screenshots`. The market, its clock and the size of the window are always the
// same, so a new picture shows a change of the page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumPath, settled, visit } from '../test/support/browser/chromium.js';
import { builtDemo, serveDemo } from '../test/support/service/demo.js';
import { endProcesses } from '../test/support/service/process.js';

const output = join(import.meta.dirname, '..', '..', 'docs', 'screenshots');
/** Time at which the market of the demo is built, and which the pages show. */
const NOW = new Date('2026-11-20T15:00:00Z');

/** `live`: whether the page receives live events. The screenshot then waits until it is connected. */
const shots = [
  { name: 'market', path: '/', height: 1000, live: true },
  { name: 'agent', path: '/agents/juniper_row', height: 1080, live: true },
  { name: 'season', path: '/seasons/2', height: 1080, live: false },
] as const;

if (chromiumPath === undefined) throw new Error('Chromium is not installed: apt-get install chromium');
const service = await serveDemo(await builtDemo(NOW), NOW);
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  mkdirSync(output, { recursive: true });
  for (const { name, path, height, live } of shots) {
    for (const theme of ['light', 'dark'] as const) {
      const opened = await visit(browser, service.url + path, {
        theme,
        width: 1280,
        height,
        prepare: (context) => context.clock.setFixedTime(NOW),
      });
      await settled(opened);
      if (live) await opened.page.locator('.status.live').waitFor();
      await opened.page.waitForTimeout(1000);
      await opened.page.screenshot({ path: join(output, `${name}-${theme}.png`) });
      await opened.close();
    }
  }
} finally {
  await browser.close();
  await service.stop();
  await endProcesses();
}
