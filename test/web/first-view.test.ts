// Runs with few others: it measures the time until the first view stands.
import { expect } from 'chai';
import { describeInBrowser, type VisitOptions } from '../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../support/browser/demo-site.js';
import { pageViews } from '../support/browser/views.js';

/** Script that stores the time from the start of the navigation until the page contains an element. */
const noteFirst = (selector: string): string => `
  new MutationObserver(() => {
    window.firstView ??= document.querySelector('${selector}') ? performance.now() : undefined;
  }).observe(document, { childList: true, subtree: true });
`;

describeInBrowser('the first view of a page', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser);
  const open = (path: string, options: VisitOptions) => openUrl(site.addressOf(path), options);

  for (const { name, path, content } of pageViews) {
    // The portfolio shows no data before a wallet is connected, so its heading is awaited instead.
    const selector = name === 'portfolio' ? 'main h1' : content;

    it(`stands in less than a second: ${name}`, async () => {
      const times: number[] = [];
      for (let i = 0; i < 3; i++) {
        const { page } = await open(path, {
          prepare: (context) => context.addInitScript({ content: noteFirst(selector) }),
        });
        await page.locator(selector).first().waitFor();
        times.push(Number(await page.evaluate('window.firstView')));
      }
      expect(Math.min(...times), times.join())
        .to.be.above(0)
        .and.below(1000);
    });

    for (const [system, chosen, ground] of [
      ['light', 'dark', 'rgb(11, 14, 20)'],
      ['dark', 'light', 'rgb(245, 246, 248)'],
    ] as const) {
      it(`has the chosen theme without waiting for its script, on a ${system} system: ${name}`, async () => {
        const one = await open(path, {
          theme: system,
          prepare: async (context) => {
            await context.addInitScript({ content: `localStorage.setItem('theme', '${chosen}')` });
            await context.route('**/assets/index-*.js', (route) =>
              route.fulfill({ contentType: 'text/javascript', body: '' }),
            );
          },
        });
        const shown = await one.page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        expect(shown).to.equal(ground);
        expect(one.complaints).to.deep.equal([]);
      });
    }
  }
});
