// Nightly: it opens pages in a browser.
import { expect } from 'chai';
import { describeInBrowser, settled } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { expectLittleShift } from '../../support/browser/measures.js';
import { serveDemo } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

describeInBrowser('the market page', (browser) => {
  const site = useDemoSite();
  const open = useVisits(browser, () => site.service.url);

  it('shows totals, trending agents, the leaderboard and the feed', async () => {
    const one = await open();
    const { page } = one;
    const answer = await ask(site.service.url, 'POST', '/graphql', {
      body: { query: '{ marketStats { total { agents trades } } leaderboard(first: 1) { nodes { agent { name } } } }' },
    });
    const { marketStats, leaderboard } = (answer.body as { data: Record<string, never> }).data as unknown as {
      marketStats: { total: { agents: number; trades: number } };
      leaderboard: { nodes: { agent: { name: string } }[] };
    };
    const figures = await page.locator('.total .figure').allTextContents();
    expect(figures[1]).to.equal(String(marketStats.total.trades));
    expect(figures[2]).to.equal(String(marketStats.total.agents));
    expect(figures[4]).to.equal('$2,500');
    const board = page.getByRole('region', { name: 'Leaderboard' }).getByRole('row');
    expect(await board.nth(1).textContent()).to.include(leaderboard.nodes[0]?.agent.name);
    expect(await board.count()).to.equal(11);
    expect(await page.getByRole('region', { name: 'Trending' }).getByRole('row').count()).to.equal(9);
    expect(await page.locator('.feed-row').count()).to.equal(12);
    expect(one.operations.filter((name) => name !== 'LiveFeedHead')).to.deep.equal(['LiveFeed']);
  });

  it('shows more of the leaderboard', async () => {
    const one = await open();
    const rows = one.page.getByRole('region', { name: 'Leaderboard' }).locator('tbody tr');
    await one.page.getByRole('button', { name: 'Show 10 more' }).click();
    await eventually(async () => (await rows.count()) === 20, 'the second page does not appear');
    const ranks = await rows.locator('td').first().allTextContents();
    expect(ranks).to.deep.equal(['1']);
    expect(await rows.last().locator('td').first().textContent()).to.equal('20');
  });

  it('finds agents while typing, by keyboard alone', async () => {
    const one = await open();
    const { page } = one;
    await page.keyboard.press('/');
    await page.keyboard.type('heron');
    const option = page.getByRole('option', { name: /Slow Heron/ });
    await option.waitFor();
    expect(await option.getAttribute('aria-selected')).to.equal('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Slow Heron' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/agents/slow_heron');
    expect(await page.title()).to.equal('Slow Heron · Curvet');
    // What the document says about its first page no longer holds.
    expect(await page.locator('link[rel=canonical], meta[property="og:title"]').count()).to.equal(0);
    expect(one.complaints).to.deep.equal([]);
  });

  it('lets new events wait, so that nothing moves that is being read', async () => {
    const { page } = await open();
    await page.locator('.status.live').waitFor();
    const [first = ''] = await page.locator('.feed-row').allTextContents();
    const place = await page.locator('.feed-row').first().boundingBox();
    await site.post('A post that arrives while somebody reads.');
    const news = page.getByRole('button', { name: /1 new event/ });
    await news.waitFor();
    expect((await page.locator('.feed-row').allTextContents())[0]?.slice(0, 20)).to.equal(first.slice(0, 20));
    expect(await page.locator('.feed-row').first().boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.05);
    await news.click();
    await page.locator('.feed-row').first().getByText('A post that arrives while somebody reads.').waitFor();
    expect(await page.locator('.feed-row').count()).to.equal(13);
  });

  it('returns with Back to where the reader was, without a request', async () => {
    const one = await open('/', { height: 500 });
    const { page, operations } = one;
    await page.evaluate('window.scrollTo(0, 600)');
    // The page notes the position when the reader has stopped scrolling.
    await eventually(async () => Number(await page.evaluate('history.state?.top')) === 600, 'the place is not noted');
    await page.getByRole('region', { name: 'Leaderboard' }).locator('.agent-link').nth(1).click();
    await settled(one);
    expect(await page.evaluate('window.scrollY')).to.equal(0);
    const before = operations.filter((name) => name === 'Market').length;
    // On a slow device, the browser scrolls up before the content is back.
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 15 });
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Agent ticket market' }).waitFor();
    await eventually(async () => Number(await page.evaluate('window.scrollY')) === 600, 'the place is lost');
    expect(operations.filter((name) => name === 'Market').length).to.equal(before);
  });

  it('shows the answer in the document at once, and reads it again after Back from another document', async () => {
    const one = await open();
    const asked = () => one.operations.filter((name) => name === 'Market').length;
    expect(asked()).to.equal(0);
    await one.page.goto(`${site.service.url}/skill.md`);
    await one.page.goBack();
    await one.page.locator('.list .agent-link').first().waitFor();
    await eventually(() => asked() === 1, 'the old answer stays');
  });

  it('has a theme switch whose choice outlives a reload', async () => {
    const { page } = await open('/', { theme: 'light' });
    const theme = () => page.locator('html').getAttribute('data-theme');
    expect(await theme()).to.equal('light');
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await theme()).to.equal('dark');
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await theme()).to.equal('dark');
  });

  it('continues without loss after the service was restarted', async () => {
    const { page } = await open();
    await page.locator('.status.live').waitFor();
    const { port } = new URL(site.service.url);
    await site.service.stop();
    await page.locator('.status.reconnecting').waitFor();
    site.service = await serveDemo(site.directory, undefined, { PORT: port });
    await site.post('Written before the page is back.');
    await page.getByRole('button', { name: /1 new event/ }).waitFor();
    await page.locator('.status.live').waitFor();
    await page.getByRole('button', { name: /1 new event/ }).click();
    await page.locator('.feed-row').first().getByText('Written before the page is back.').waitFor();
  });
});
