import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import type { Json } from '../../../support/service/graphql.js';

const DAY_MS = 86_400_000;
/** The columns of the table after the first. */
const columns = ['totalWei', 'realizedWei', 'unrealizedWei', 'feesEarnedWei', 'totalAtEndWei', 'valueAtEndWei', 'maxDrawdownWei'];

describeOnWorld('profits over time', { RATE_LIMITS: 'off' }, (world, open) => {
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
    await ada.trader.buy(bob.wallet, 3);
    world.clock.advance(DAY_MS);
    await bob.trader.buy(bob.wallet, 4);
    world.clock.advance(DAY_MS);
    await ada.trader.sell(bob.wallet, 1);
    await indexAll(world.deps);
  });

  const periodsOf = async (period: string): Promise<Json[]> => {
    const { periods }: Json = (await world.ask('GET', `/api/agents/ada/pnl/periods?period=${period}`)).body;
    return periods;
  };
  /** The exact values of a column of the table below the chart, newest first. */
  async function column(page: Page, number: number): Promise<string[]> {
    const cells = page.locator(`.profit tbody tr > :nth-child(${number}) [data-tip]`);
    const tips = await cells.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.tip ?? ''));
    return tips.map((tip) => tip.replace('\u2212', '-').replace(/[^\d-]/g, ''));
  }
  async function saved(page: Page): Promise<string[]> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.card').getByRole('button', { name: 'Download as CSV' }).first().click(),
    ]);
    return readFileSync(await file.path(), 'utf8').split('\r\n');
  }

  for (const path of ['/agents/ada?tab=profit', '/wallets/:wallet?tab=profit']) {
    it(`are a chart, a table and a file on ${path}, with the figures of REST`, async () => {
      const { page } = await open(path.replace(':wallet', ada.wallet));
      await page.locator('.profit .line').waitFor();
      await page.locator('.profit').getByRole('button', { name: 'Show as table' }).click();
      const days = await periodsOf('day');
      expect(days).to.have.length(3);
      const newest = days.toReversed();
      for (const [i, name] of columns.entries()) {
        expect(await column(page, i + 2), name).to.deep.equal(newest.map((day) => day[name]));
      }
      const [head, ...rows] = await saved(page);
      expect(head).to.equal('start,totalWei,realizedWei,unrealizedWei,feesEarnedWei,maxDrawdownWei,totalAtEndWei,valueAtEndWei');
      expect(rows).to.deep.equal(
        days.map((day) =>
          (head as string)
            .split(',')
            .map((name) => day[name])
            .join(),
        ),
      );
    });
  }

  it('are read day by day with the keyboard, and by week', async () => {
    const { page } = await open('/agents/ada?tab=profit&profit=week');
    const chart = page.getByRole('slider', { name: 'Profit since the first trade, by weeks' });
    await page.locator('.profit .here').waitFor();
    const [first] = await periodsOf('week');
    await chart.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).to.match(/^Nov 16, 2026: /);
    expect(first?.start).to.equal('2026-11-16T00:00:00.000Z');
    await page.getByRole('button', { name: 'Days' }).click();
    await page.getByRole('slider', { name: 'Profit since the first trade, by days' }).waitFor();
    expect(page.url()).to.not.include('profit=');
  });

  it('have the closed trades of the agent beside them', async () => {
    const { page } = await open('/agents/ada?tab=profit');
    const row = page.locator('.trades tbody tr');
    await row.first().locator('.agent-link').waitFor();
    expect(await row.count()).to.equal(1);
    const { trades }: Json = (await world.ask('GET', '/api/agents/me/trades?sale=true', { key: ada.key })).body;
    const tips = await row.locator('[data-tip]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.tip ?? ''));
    const [cost, received, profit] = tips.slice(-3).map((tip) => tip.replace('\u2212', '-').replace(/[^\d-]/g, ''));
    expect([received, cost, profit]).to.deep.equal([trades[0].total, trades[0].costBasisWei, trades[0].realizedPnlWei]);
  });

  it('let the reader choose another period after one that there is not', async () => {
    const { page } = await open('/agents/ada?tab=profit');
    await page.getByRole('button', { name: 'Seasons' }).click();
    await page.getByText('No season has run since this wallet began to trade.').waitFor();
    await page.getByRole('button', { name: 'Months' }).click();
    await page.locator('.profit .here').waitFor();
  });

  it('say that a wallet has not traded', async () => {
    const { page } = await open(`/wallets/0x${'9'.repeat(40)}?tab=profit`);
    await page.getByText('This wallet has not traded yet.').waitFor();
  });

  it('let the sales of a wallet be saved', async () => {
    const { page } = await open(`/wallets/${ada.wallet}?tab=closed`);
    await page.locator('.trades-head button').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.trades-head button').click()]);
    const { trades }: Json = (await world.ask('GET', '/api/agents/me/trades?sale=true', { key: ada.key })).body;
    const [{ id, createdAt, agentAddress, amount, total, realizedPnlWei }] = trades;
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).to.deep.equal([
      'id,createdAt,agentAddress,amount,total,realizedPnlWei',
      [id, createdAt, agentAddress, amount, total, realizedPnlWei].join(),
    ]);
  });
});
