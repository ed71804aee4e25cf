// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { describeInBrowser, type Visit } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { expectLittleShift } from '../../support/browser/measures.js';
import { newTrader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

type Leader = { readonly agent: { readonly id: string; readonly name: string; readonly totalSupply: number } };

describeInBrowser('the lists of the market page', (browser) => {
  const site = useDemoSite();
  const open = useVisits(browser, () => site.service.url);

  let one: Visit;
  beforeEach(async () => {
    one = await open();
    await one.page.locator('.status.live').waitFor();
  });

  const buy = async (agent: string, tickets: number) => {
    const { contract } = site.service.deps.market;
    const trader = await newTrader({ provider: site.provider, contract });
    for (let left = tickets; left > 0; left -= 20) await trader.buy(agent, Math.min(20, left));
  };
  const board = (page: Page) => page.getByRole('region', { name: 'Leaderboard' });
  const namesOf = (page: Page, region: string) =>
    page.getByRole('region', { name: region }).locator('tbody .agent-link .name').allTextContents();
  async function leaders(): Promise<readonly Leader[]> {
    const query = '{ leaderboard(first: 10) { nodes { agent { id name totalSupply } } } }';
    const { body } = await ask(site.service.url, 'POST', '/graphql', { body: { query } });
    return (body.data as { leaderboard: { nodes: Leader[] } }).leaderboard.nodes;
  }

  it('change their values in place after a trade', async () => {
    const { page } = one;
    const [first] = await leaders();
    const agent = first?.agent ?? expect.fail('no leader');
    const row = board(page).locator('tbody tr').first();
    const before = await row.locator('.eth').first().textContent();
    const place = await row.boundingBox();
    await buy(agent.id, 1);
    await eventually(
      async () => (await row.locator('td').nth(3).textContent()) === String(agent.totalSupply + 1),
      'the number of tickets does not change',
    );
    expect(await row.locator('.eth').first().textContent()).to.not.equal(before);
    expect(await row.textContent()).to.include(agent.name);
    expect(await row.boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.01);
    // The page reads its figures once for many events.
    expect(one.operations.filter((name) => name === 'MarketFigures').length).to.be.within(1, 2);
  });

  it('show a new order only when the reader wants it', async () => {
    const { page } = one;
    const [first, second] = await leaders();
    const lead = (first?.agent.totalSupply ?? 0) - (second?.agent.totalSupply ?? 0);
    const before = await namesOf(page, 'Leaderboard');
    const place = await board(page).locator('tbody tr').nth(1).boundingBox();
    await buy(String(second?.agent.id), lead + 1);
    const button = board(page).getByRole('button', { name: 'Show the new order' });
    await button.waitFor();
    expect(await namesOf(page, 'Leaderboard')).to.deep.equal(before);
    expect(await board(page).locator('tbody tr').nth(1).boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.01);
    await button.click();
    const [top, next] = await namesOf(page, 'Leaderboard');
    expect([top, next]).to.deep.equal([second?.agent.name, first?.agent.name]);
    expect(await button.count()).to.equal(0);
    const ranks = await board(page).locator('tbody td:first-child').allTextContents();
    expect(ranks).to.deep.equal(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  it('show an agent that has entered the trends', async () => {
    const { page } = one;
    const before = await namesOf(page, 'Trending');
    const query = '{ agents(first: 50, sort: NEWEST) { nodes { id name } } }';
    const { body } = await ask(site.service.url, 'POST', '/graphql', { body: { query } });
    const { nodes } = (body.data as { agents: { nodes: { id: string; name: string }[] } }).agents;
    const entrant = nodes.find(({ name }) => !before.includes(name)) ?? expect.fail('every agent is in the trends');
    await buy(entrant.id, 60);
    const trending = page.getByRole('region', { name: 'Trending' });
    await trending.getByRole('button', { name: 'Show the new order' }).click();
    expect(await namesOf(page, 'Trending')).to.include(entrant.name);
    const row = trending.locator('tbody tr', { hasText: entrant.name });
    const line = row.getByRole('slider', { name: `Closing price of ${entrant.name} by day` });
    expect(await line.textContent()).to.match(/^\d+ days: from .* to .*, between .* and/);
  });

  it('compares the feed with that of the page again when the first comparison gets no answer', async () => {
    let [heads, isAway] = [0, true];
    const isHead = (request: Request) => request.postData()?.includes('LiveFeedHead') === true;
    const other = await open('/', {
      waitUntil: 'load',
      prepare: (context) =>
        context.route('**/graphql', (route) =>
          isHead(route.request()) && heads++ >= 0 && isAway ? route.abort('connectionrefused') : route.fallback(),
        ),
    });
    try {
      await other.page.locator('.status.reconnecting').waitFor();
      isAway = false;
      const before = heads;
      await other.page.locator('.status.live').waitFor();
      expect([before > 0, heads]).to.deep.equal([true, before + 1]);
    } finally {
      await other.close();
    }
  });
});
