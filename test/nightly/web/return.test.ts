import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { settled, type Visit } from '../../support/browser/chromium.js';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { eventually } from '../../support/service/process.js';

/** The lists that a button extends: the address of the page, the region of the list, its rows, and the button. */
const lists = [
  ['/agents/juniper_row', 'Activity', 'tbody tr', 'Show more'],
  ['/agents/juniper_row?tab=theses', 'Activity', '.theses tbody tr', 'Show more'],
  ['/agents/juniper_row', 'Holders', 'tbody tr', 'Show more'],
  ['/?list=all&sort=price', 'Agents', 'tbody tr', 'Show more'],
  ['/feed', 'Events', '.feed-row', 'Show older events'],
  ['/feed?type=bought', 'Events', '.feed-row', 'Show older events'],
  ['/seasons/1', 'Leaderboard', 'tbody tr', 'Show more'],
] as const;

/** Time in milliseconds after which a page reads its stored answer again. */
const OLD_MS = 11_000;

describeOnDemo('a page to which the reader returns', (site, open) => {
  /** Leaves the page by the navigation, waits until its answers are old, and returns with Back. */
  async function leaveAndReturn(one: Visit): Promise<void> {
    const { page } = one;
    await page.getByRole('navigation').getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Developers' }).waitFor();
    await settled(one);
    await page.clock.fastForward(OLD_MS);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Developers' }).waitFor({ state: 'detached' });
    await settled(one);
  }
  const openWithClock = (path: string) => open(path, { prepare: (context) => context.clock.install() });
  const placeOf = async (row: Locator) => (await row.boundingBox())?.y ?? 0;

  for (const [path, name, selector, button] of lists) {
    it(`shows an extended list where the reader left it: ${path}, ${name}`, async () => {
      const one = await openWithClock(path);
      const { page } = one;
      const list = page.getByRole('region', { name, exact: true });
      const rows = list.locator(selector);
      const first = await rows.count();
      await list.getByRole('button', { name: button }).click();
      await rows.nth(first).waitFor();
      await settled(one);
      await rows.last().evaluate('(row) => row.scrollIntoView({ behavior: "instant", block: "center" })');
      await settled(one);
      const names = await rows.locator('.agent-link').allTextContents();
      const before = await placeOf(rows.last());
      await leaveAndReturn(one);
      expect(await rows.locator('.agent-link').allTextContents()).to.deep.equal(names);
      // The trade panel gets a few pixels higher when its script arrives, so the place may differ by less than 10 pixels.
      await eventually(async () => Math.abs((await placeOf(rows.last())) - before) < 10, 'the reader is elsewhere');
    });
  }

  it('reads a list again that was not extended', async () => {
    const one = await openWithClock('/feed?type=sold');
    await leaveAndReturn(one);
    expect(one.operations.filter((name) => name === 'Feed')).to.have.length(2);
  });

  it('shows the chosen range and tab, also after a reload and by a shared link', async () => {
    const one = await openWithClock('/agents/juniper_row?side=sell');
    const { page } = one;
    const expectChosen = async (of: Page) => {
      await of.getByRole('button', { name: '30D', exact: true, pressed: true }).waitFor();
      // The chart of 30 days has the candles 0 to 29.
      await of.locator('.candles .plot[aria-valuemax="29"]').waitFor();
      await of.getByRole('tab', { name: 'Followers', selected: true }).waitFor();
      await of.locator('[role=tabpanel] .people .agent-link').first().waitFor();
    };
    await page.getByRole('button', { name: '30D', exact: true }).click();
    await page.getByRole('tab', { name: 'Followers' }).click();
    await expectChosen(page);
    expect(new URL(page.url()).search).to.equal('?side=sell&range=30d&tab=followers');
    await leaveAndReturn(one);
    await expectChosen(page);
    await page.reload();
    await expectChosen(page);
    await expectChosen((await open(page.url().slice(site.service.url.length))).page);
    await page.getByRole('button', { name: '7D', exact: true }).click();
    await page.getByRole('tab', { name: 'Trades in its tickets' }).click();
    expect(new URL(page.url()).search).to.equal('?side=sell');
  });

  for (const query of ['range=2d&tab=all', 'range=&tab=', 'range=toString&tab=constructor', 'range=30D&tab=Posts']) {
    it(`shows the first range and tab for ?${query}`, async () => {
      const { page } = await open(`/agents/juniper_row?${query}`);
      await page.getByRole('button', { name: '7D', exact: true, pressed: true }).waitFor();
      await page.getByRole('tab', { name: 'Trades in its tickets', selected: true }).waitFor();
    });
  }
});
