import { expect } from 'chai';
import type { Locator, Page, Request } from 'playwright-core';
import { weiText } from '../../../../web/src/format/ether.js';
import { inexactAmounts, openAll } from '../../../support/browser/amounts.js';
import { settled } from '../../../support/browser/chromium.js';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, expectLittleShift } from '../../../support/browser/measures.js';
import { serveDemo } from '../../../support/service/demo.js';
import { eventually } from '../../../support/service/process.js';

const FIGURES = `{
  marketStats { total { agents trades volume } day { volume } }
  trending(first: 10) { nodes { volume24hWei } }
}`;

type Figures = {
  readonly marketStats: Readonly<Record<'total' | 'day', Readonly<Record<'agents' | 'trades' | 'volume', string>>>>;
  readonly trending: { readonly nodes: readonly { readonly volume24hWei: string }[] };
};
type Named = { readonly id: string; readonly name: string; readonly totalSupply: number };

describeOnDemo('the market page', (site, open) => {
  const region = (page: Page, name: string) => page.getByRole('region', { name });
  const namesOf = (table: Locator) => table.locator('tbody .agent-link .name').allTextContents();
  const buy = async (agent: Named, tickets: number) => {
    const trader = await site.trader();
    // The contract sells at most 20 tickets in a trade.
    for (let left = tickets; left > 0; left -= 20) await trader.buy(agent.id, Math.min(20, left));
  };
  /** The two agents with the most tickets. */
  async function leaders(): Promise<readonly [Named, Named]> {
    const query = '{ leaderboard(first: 2) { nodes { agent { id name totalSupply } } } }';
    const { leaderboard } = await site.data<{ leaderboard: { nodes: [{ agent: Named }, { agent: Named }] } }>(query);
    const [{ agent: first }, { agent: second }] = leaderboard.nodes;
    return [first, second];
  }
  /** Opens the page, and waits until it receives live events. Returns it with its list of agents. */
  async function openLive(path = '/?list=all') {
    const one = await open(path);
    await one.page.locator('.status.live').waitFor();
    return { ...one, list: region(one.page, 'Agents') };
  }

  it('shows totals, trending agents and the feed, and all agents in a second tab', async () => {
    const { page, operations } = await open();
    const { marketStats, trending } = await site.data<Figures>(FIGURES);
    const { total, day } = marketStats;
    const { amounts } = await inexactAmounts(page);
    const volumes = [total.volume, day.volume, ...trending.nodes.map(({ volume24hWei }) => volume24hWei)];
    expect(amounts.map(({ tip }) => tip)).to.include.members(volumes.map((wei) => weiText(BigInt(wei))));
    const figures = await page.locator('.total .figure').allTextContents();
    expect([1, 2, 4].map((at) => figures[at])).to.deep.equal([
      Number(total.trades).toLocaleString('en'),
      String(total.agents),
      '$2,500',
    ]);
    const rows = region(page, 'Agents').getByRole('row');
    await page.getByRole('tab', { name: 'Trending', selected: true }).waitFor();
    expect(await rows.count()).to.equal(11);
    expect(await page.locator('.feed-row').count()).to.equal(8);
    expect(operations.filter((name) => name !== 'LiveFeedHead')).to.deep.equal(['LiveFeed']);
    // Arrow keys select the tabs, as the keyboard pattern of ARIA demands.
    await page.getByRole('tab', { name: 'Trending' }).press('ArrowRight');
    await page.getByRole('tab', { name: 'All agents', selected: true }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('All agents');
    expect(new URL(page.url()).search).to.equal('?list=all');
    await rows.nth(20).waitFor();
    expect(await rows.nth(1).textContent()).to.include((await leaders())[0].name);
    expect(await rows.count()).to.equal(21);
  });

  it('finds agents while typing, by keyboard alone, with the exact wei of their prices', async () => {
    const { page } = await open();
    await openAll(page);
    await page.keyboard.press('/');
    await page.keyboard.type('heron');
    const option = page.getByRole('option', { name: /Slow Heron/, selected: true });
    const wei = await option.locator('.amount').getAttribute('data-tip');
    const price = page.locator('.results p', { hasText: 'Ticket of Slow Heron' }).locator('.eth');
    expect(await price.textContent()).to.match(/^0\.\d+\sETH$/);
    expect(await page.locator('.results').textContent()).to.not.include('wei');
    // Tab reaches the exact price, and the list stays open meanwhile.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.dataset.tip')).to.equal(wei);
    await option.waitFor();
    await page.keyboard.press('Shift+Tab');
    expect((await inexactAmounts(page)).wrong).to.deep.equal([]);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Slow Heron' }).waitFor();
    expect([new URL(page.url()).pathname, await page.title()]).to.deep.equal(['/agents/slow_heron', 'Slow Heron · Curvet']);
    // These elements of the document describe its first page, so they must be gone now.
    expect(await page.locator('link[rel=canonical], meta[property="og:title"]').count()).to.equal(0);
  });

  it('returns with Back to where the reader was, without a request', async () => {
    const one = await open('/', { height: 500 });
    const { page, operations } = one;
    await page.evaluate('window.scrollTo(0, 600)');
    // The page stores its position when the reader has stopped scrolling.
    await eventually(async () => Number(await page.evaluate('history.state?.top')) === 600, 'the place is not noted');
    await region(page, 'Agents').locator('.agent-link').last().click();
    await settled(one);
    expect(await page.evaluate('window.scrollY')).to.equal(0);
    // On a slow device, the browser scrolls up before the content is back. So the page must restore the position later.
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 15 });
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Agent ticket market' }).waitFor();
    await eventually(async () => Number(await page.evaluate('window.scrollY')) === 600, 'the place is lost');
    expect(operations).to.not.include('Market');
  });

  it('shows the answer in the document at once, and reads it again after Back from another document', async () => {
    const { page, operations } = await open();
    expect(operations).to.not.include('Market');
    await page.goto(`${site.service.url}/skill.md`);
    await page.goBack();
    await page.locator('.list .agent-link').first().waitFor();
    await eventually(() => operations.includes('Market'), 'the old answer stays');
  });

  it('has a theme switch whose choice outlives a reload', async () => {
    const { page } = await open();
    for (const [before, after] of [
      ['system', 'light'],
      ['light', 'dark'],
    ]) {
      await page.getByRole('button', { name: `Theme: ${before}` }).click();
      await page.locator(`html[data-theme=${after}]`).waitFor();
    }
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    await page.locator('html[data-theme=dark]').waitFor();
  });

  it('changes values of its lists in place after a trade', async () => {
    const { page, list, operations } = await openLive();
    const [agent] = await leaders();
    const row = list.locator('tbody tr').first();
    const before = await row.locator('.eth').first().textContent();
    const place = await row.boundingBox();
    await buy(agent, 1);
    await row.locator('td:nth-of-type(4)', { hasText: RegExp(`^${agent.totalSupply + 1}$`) }).waitFor();
    expect(await row.locator('.eth').first().textContent()).to.not.equal(before);
    expect(await row.textContent()).to.include(agent.name);
    expect(await row.boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.01);
    // One trade causes several live events. The page collects them before it reads its figures, so they cause one read, or two if
    // an event arrives late.
    expect(operations.filter((name) => name === 'MarketFigures').length).to.be.within(1, 2);
  });

  it('shows a new order only when the reader wants it', async () => {
    const { page, list } = await openLive();
    const [first, second] = await leaders();
    const before = await namesOf(list);
    const place = await list.locator('tbody tr').nth(1).boundingBox();
    await buy(second, first.totalSupply - second.totalSupply + 1);
    const button = list.getByRole('button', { name: 'Show the new order' });
    await button.waitFor();
    expect(await namesOf(list)).to.deep.equal(before);
    expect(await list.locator('tbody tr').nth(1).boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.01);
    await button.click();
    expect((await namesOf(list)).slice(0, 2)).to.deep.equal([second.name, first.name]);
    expect(await button.count()).to.equal(0);
    const ranks = await list.locator('tbody td:first-child').allTextContents();
    expect(ranks.join()).to.equal(Array.from({ length: 20 }, (_, i) => i + 1).join());
  });

  /** Opens the trends of a live page, and lets an agent enter them. */
  async function openEntered() {
    const { page, list: trending } = await openLive('/');
    const before = await namesOf(trending);
    const { agents } = await site.data<{ agents: { nodes: Named[] } }>('{ agents(first: 50, sort: NEWEST) { nodes { id name } } }');
    const entrant = agents.nodes.find(({ name }) => !before.includes(name)) ?? expect.fail('all are in the trends');
    await buy(entrant, 60);
    const button = trending.getByRole('button', { name: 'Show the new order' });
    await button.waitFor();
    return { page, trending, entrant, button };
  }

  it('shows an agent that has entered the trends', async () => {
    const { trending, entrant, button } = await openEntered();
    await button.click();
    expect(await namesOf(trending)).to.include(entrant.name);
    const line = trending.getByRole('slider', { name: `Closing price of ${entrant.name} by day` });
    expect(await line.textContent()).to.match(/^\d+ days: from .* to .*, between .* and/);
  });

  it('shows the present trends to a reader who returns to their tab', async () => {
    const { page, trending, entrant, button } = await openEntered();
    await page.getByRole('tab', { name: 'All agents' }).click();
    await trending.locator('table.sorted .agent-link').first().waitFor();
    await page.getByRole('tab', { name: 'Trending' }).click();
    expect(await namesOf(trending)).to.include(entrant.name);
    expect(await button.count()).to.equal(0);
  });

  it('compares the feed with that of the page again when the first comparison gets no answer', async () => {
    let [heads, isAway] = [0, true];
    const isHead = (request: Request) => request.postData()?.includes('LiveFeedHead') === true;
    const { page } = await open('/', {
      waitUntil: 'load',
      prepare: (context) =>
        context.route('**/graphql', (route) =>
          // `heads++ >= 0` is always true. It counts the request.
          isHead(route.request()) && heads++ >= 0 && isAway ? route.abort('connectionrefused') : route.fallback(),
        ),
    });
    await page.locator('.status.reconnecting').waitFor();
    isAway = false;
    const before = heads;
    await page.locator('.status.live').waitFor();
    expect([before > 0, heads]).to.deep.equal([true, before + 1]);
  });

  it('continues without loss after the service was restarted', async () => {
    const { page } = await openLive('/');
    const { port } = new URL(site.service.url);
    await site.service.stop();
    await page.locator('.status.reconnecting').waitFor();
    site.service = await serveDemo(site.directory, undefined, { PORT: port });
    await site.post('Written before the page is back.');
    await page.getByRole('button', { name: /1 new event/ }).click();
    await page.locator('.status.live').waitFor();
    await page.locator('.feed-row').first().getByText('Written before the page is back.').waitFor();
  });
});
