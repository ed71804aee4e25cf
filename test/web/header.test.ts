// CI: it opens a page in a browser.
import { expect } from 'chai';
import { describeOnWorld } from '../support/browser/demo-site.js';

/** What is wrong with the places of the parts of the header: they are outside of the window, cut, or cover each other. */
const FAULTS = `(() => {
  const nav = document.querySelector('.top nav');
  const parts = [...document.querySelectorAll('.top :is(.brand, nav a, .search, .status, .icon-button)')]
    .map((part) => [part.getAttribute('aria-label') ?? (part.textContent || part.className), part.getBoundingClientRect()]);
  const outside = parts.filter(([, { left, right }]) => left < 0 || right > innerWidth);
  const covered = parts.flatMap(([name, one], i) => parts.slice(i + 1)
    .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(([other]) => name + ' and ' + other + ' overlap'));
  const cut = [...document.querySelectorAll('.top nav, .top nav a')].filter((part) => part.scrollWidth > part.clientWidth);
  return [...outside.map(([name]) => name + ' is outside'), ...covered, ...cut.map((part) => part.textContent + ' is cut')];
})()`;

describeOnWorld('the header', {}, (_, open) => {
  it('shows each of its parts whole, at every width from 320 to 1400 pixels', async () => {
    const { page } = await open('/portfolio', { width: 320 });
    expect(await page.locator('.top nav a').count()).to.be.above(3);
    for (let width = 320; width <= 1400; width += 20) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(FAULTS), `at ${width} pixels`).to.deep.equal([]);
    }
  });
});
