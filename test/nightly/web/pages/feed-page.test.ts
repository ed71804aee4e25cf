import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { weiText } from '../../../../web/src/format/ether.js';
import type { VisitOptions } from '../../../support/browser/chromium.js';
import { describeOnDemo, describeOnWorld } from '../../../support/browser/demo-site.js';
import { answerReads, refuseFor } from '../../../support/browser/first-view.js';
import { accessibilityViolations, expectLittleShift } from '../../../support/browser/measures.js';
import { addAgent, addListedAgent, addTrade, randomWallet } from '../../../support/market/rows.js';
import { body } from '../../../support/service/demo.js';
import { data } from '../../../support/service/graphql.js';
import { eventually } from '../../../support/service/process.js';
import { runSql } from '../../../support/store.js';

describeOnDemo('the feed page', (site, open) => {
  const rows = (page: Page) => page.locator('.feed-row');

  it('shows older events while the reader scrolls, each once, to the first one', async () => {
    const { page } = await open('/feed?type=registered');
    await eventually(async () => {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
      return (await page.getByText('There are no older events.').count()) === 1;
    }, 'the end does not come');
    const agents = (await body(site.service, '/api/agents?limit=1')) as { pagination?: { total?: number } };
    const names = await rows(page).locator('.line').allTextContents();
    expect(names)
      .to.have.length(agents.pagination?.total ?? 0)
      .above(20);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('shows older events by a button that the keyboard reaches, without any scrolling', async () => {
    const prepare: VisitOptions['prepare'] = (context) =>
      // Without a working IntersectionObserver, the page does not notice that the reader scrolls to the end.
      context.addInitScript({ content: 'window.IntersectionObserver = class { observe() {} disconnect() {} }' });
    const { page, operations } = await open('/feed', { prepare });
    expect(await rows(page).count()).to.equal(20);
    const button = page.getByRole('button', { name: 'Show older events' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('40 events are shown.').waitFor({ state: 'attached' });
    expect(await rows(page).count()).to.equal(40);
    expect(operations.filter((name) => name === 'Feed')).to.have.length(1);
    expect(await button.evaluate('document.activeElement?.textContent')).to.equal('Show older events');
  });

  it('filters by type and agent, with an address to share, and Back', async () => {
    const { page } = await open('/feed');
    await page.getByRole('button', { name: 'Posts', exact: true }).click();
    await eventually(async () => (await rows(page).locator('.deed').count()) === 0, 'trades stay');
    await page.getByRole('combobox', { name: 'Filter by agent' }).fill('juniper');
    await page.getByRole('option', { name: /Juniper Row/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.only').getByRole('link', { name: 'Juniper Row' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?type=status&agent=juniper_row');
    await eventually(async () => {
      const authors = await rows(page).locator('.agent-link .name').allTextContents();
      return authors.length > 0 && authors.every((name) => name === 'Juniper Row');
    }, 'posts of others stay');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.goBack();
    await page.getByRole('combobox', { name: 'Filter by agent' }).waitFor();
    await page.getByRole('button', { name: 'Posts', exact: true, pressed: true }).waitFor();
    const shared = await open('/feed?type=sold&agent=juniper_row');
    await rows(shared.page).first().waitFor();
    const deeds = await rows(shared.page).locator('.deed').allTextContents();
    expect([...new Set(deeds)]).to.deep.equal(['sold']);
    await expectLittleShift(shared.page, 0.05);
    const nobody = await open('/feed?agent=nobody_here');
    await nobody.page.getByRole('button', { name: 'Show all agents' }).click();
    await rows(nobody.page).first().waitFor();
    expect(new URL(nobody.page.url()).search).to.equal('');
  });

  it('begins the countdown of a rate limit with its true number of seconds', async () => {
    const { page } = await open('/feed', { prepare: (context) => context.clock.install() });
    await answerReads(page, (route) => refuseFor(route, 30));
    // The page counts the seconds by a tick once per second. Its clock now stands half a second after a tick.
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 60_000);
    await page.clock.runFor(500);
    await page.getByRole('button', { name: 'Posts', exact: true }).click();
    // In this time, the page draws and sends its query.
    await page.clock.runFor(100);
    for (const place of ['main .problem', '.status.limited']) {
      const seconds = page.locator(place).getByText(/\b\d+\ss\b/);
      expect((await seconds.textContent())?.replace('\u00a0', ' '), place).to.include('30 s');
    }
  });

  it('lets new events of the filter wait until the reader wants them, and ignores others', async () => {
    const { page } = await open('/feed?type=status');
    const sales = await open('/feed?type=sold');
    for (const one of [page, sales.page]) await one.locator('.status.live').waitFor();
    await page.evaluate('window.scrollTo(0, 400)');
    const place = await rows(page).nth(5).boundingBox();
    await site.post('A post for readers of posts.');
    const news = (of: Page) => of.getByRole('button', { name: /1 new event/ });
    await news(page).waitFor();
    expect(await rows(page).nth(5).boundingBox()).to.deep.equal(place);
    await news(page).click();
    await rows(page).first().getByText('A post for readers of posts.').waitFor();
    // The page of sales has also received the post. When a sale arrives, it must show the sale alone.
    const trader = await site.trader();
    await trader.buy(site.juniper, 1);
    await trader.sell(site.juniper, 1);
    await news(sales.page).click();
    expect(await rows(sales.page).first().locator('.deed').textContent()).to.equal('sold');
    expect(await sales.page.getByText('A post for readers of posts.').count()).to.equal(0);
  });
});

describeOnWorld('trades that repeat', { RATE_LIMITS: 'off' }, (world, open) => {
  it('are one row with their sums, from which each can be opened, unless they have a reason', async () => {
    const [trader, other] = [randomWallet(), randomWallet()];
    const { wallet: agent } = await addListedAgent(world, { name: 'Repeated' }, { supply: 50 });
    for (const amount of [1, 2, 3]) await addTrade(world, { agent, trader, type: 'BUY', amount });
    await addTrade(world, { agent, trader: other, type: 'BUY', amount: 4 });
    await addTrade(world, { agent, trader, type: 'BUY', amount: 5 });
    const reasoned = await addTrade(world, { agent, trader, type: 'BUY', amount: 6 });
    const claim = 'insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, $2, $3, $4, now())';
    await addAgent(world, { wallet: trader, name: 'Repeater' });
    await runSql(world.deps, claim, [reasoned.txHash, reasoned.ordinal, trader, 'Because']);
    const { page } = await open('/feed?type=bought');
    const rows = page.locator('.feed-row');
    const lines = (await rows.locator('.line').allTextContents()).map((text) => text.trim());
    // The newest row comes first: the trade with a reason, the trade before it, that of the other trader, and one row for the
    // trades of 1, 2 and 3 tickets.
    expect(lines).to.deep.equal([
      'Repeater bought 6 Repeated',
      'Repeater bought 5 Repeated',
      `${other.slice(0, 6)}…${other.slice(-4)} bought 4 Repeated`,
      'Repeater bought 6 Repeated',
    ]);
    const repeated = rows.last();
    const { feed } = await data(world, '{ feed(type: BOUGHT) { nodes { ... on TradeEvent { amount total } } } }');
    const totals = feed.nodes.slice(3).map(({ total }: { total: string }) => BigInt(total));
    // The row with the largest sum has the full bar, and the others their share of it.
    const sums = [0, 1, 2].map((at) => BigInt(feed.nodes[at].total));
    sums.push(totals.reduce((sum: bigint, total: bigint) => sum + total, 0n));
    const largest = sums.reduce((most, sum) => (sum > most ? sum : most));
    const widths = await rows.locator('.paid rect:last-child').evaluateAll((all) => all.map((one) => one.getAttribute('width')));
    expect(widths).to.deep.equal(sums.map((sum) => String((sum * 100n) / largest)));
    const tip = await repeated.locator('.paid [data-tip]').getAttribute('data-tip');
    expect(tip).to.equal(weiText(totals.reduce((sum: bigint, total: bigint) => sum + total, 0n)));
    await repeated.getByText('in 3 trades').click();
    const each = repeated.locator('.repeats li');
    expect(
      await each.locator('[data-tip*=wei]').evaluateAll((all) => all.map((one) => one.getAttribute('data-tip'))),
    ).to.deep.equal(totals.map(weiText));
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    expect(await rows.first().locator('.repeats').count()).to.equal(0);
  });
});
