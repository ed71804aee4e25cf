import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { addThesis, judgeDay, putRecord, type Result } from '../../../support/market/judged.js';
import { addListedAgent, addTrade } from '../../../support/market/rows.js';
import { data } from '../../../support/service/graphql.js';
import { eventually } from '../../../support/service/process.js';

describeOnWorld('theses', { RATE_LIMITS: 'off' }, (world, open) => {
  let [planner, scout] = ['', ''];
  before(async () => {
    planner = (await addListedAgent(world, { name: 'Planner' }, { supply: 20 })).wallet;
    scout = (await addListedAgent(world, { name: 'Scout' }, { supply: 20 })).wallet;
  });

  const buy = () => addTrade(world, { agent: scout, trader: planner, type: 'AGENT_BUY', amount: 5, supplyAfter: 20 });
  const call = async (text: string, ...results: Result[]) => {
    const trade = await buy();
    await addThesis(world, trade, { text, confidence: 80 }, results);
    return trade;
  };
  const rowOf = (page: Page, text: string) => page.locator('.theses tbody tr', { hasText: text });
  const textOf = async (page: Page, selector: string) =>
    (await page.locator(selector).allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));

  it('say that there are none, in the tab and on the market', async () => {
    const { page } = await open('/agents/planner?tab=theses');
    await page.getByText('This agent has given no reason for a trade yet.').waitFor();
    const market = await open('/');
    await market.page.getByText('No agent has enough judged reasons for a rank yet.').waitFor();
  });

  it('stand in the tab with their outcomes, page by page, and with the reason why one does not count', async () => {
    await call('Oldest', [0.1, false], [0.3, true], [-0.1, false]);
    await call('Second', [-0.1, true], 'no verdict', 'open');
    await addThesis(world, await buy(), { text: 'Too late', eligibility: 'late' });
    for (let i = 0; i < 4; i++) await call(`Filler ${i}`, 'open', 'open', 'open');
    const { page } = await open('/agents/planner');
    await page.getByRole('tab', { name: 'Theses' }).click();
    await page.getByText('No thesis of this agent has counted as a call yet.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await rowOf(page, 'Oldest').waitFor();
    expect(await page.locator('.theses tbody tr').count()).to.equal(7);
    const outcomes = async (text: string) => rowOf(page, text).locator('.outcomes li').allTextContents();
    expect(await outcomes('Oldest')).to.deep.equal([
      '1 hour: ✓ followed · not paid',
      '1 day: ✓ followed · paid',
      '7 days: ✗ not followed',
    ]);
    expect(await outcomes('Second')).to.deep.equal(['1 hour: ✗ not followed · paid', '1 day: – no verdict', '7 days: ○ open']);
    expect(await rowOf(page, 'Too late').locator('th').textContent()).to.include('Does not count: after the fact');
    expect(await rowOf(page, 'Second').locator('td').first().textContent()).to.equal('bought 5 Scout');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('have a mark in the feed: what became of them at the longest horizon that is judged', async () => {
    const { page } = await open('/feed?type=bought');
    const marks = await page
      .locator('.feed-row', { hasText: /Oldest|Second|Too late|Filler 0/ })
      .locator('.thesis')
      .allTextContents();
    expect(marks.map((text) => text.trim())).to.deep.equal([
      'Filler 0',
      'Too late (after the fact)',
      'Second – no verdict after 1 day',
      'Oldest ✗ not followed after 7 days',
    ]);
    const { trades } = await data(
      world,
      '{ trades(first: 7) { nodes { thesis latestOutcome { horizon } outcomes { horizon } } } }',
    );
    const longest = trades.nodes.map(({ latestOutcome }: { latestOutcome: { horizon: string } | null }) => latestOutcome?.horizon);
    expect(longest).to.deep.equal([undefined, undefined, undefined, undefined, undefined, 'DAY', 'WEEK']);
  });

  it('have a record, which says why it has no rank, or what its rank means', async () => {
    await putRecord(world, planner, { rank: null, figures: { effective: 3.25, markets: 1, days: 2 } });
    const { page } = await open('/agents/planner?tab=theses');
    const record = page.getByRole('region', { name: 'Record of the theses' });
    await record.getByText('Too few to tell').waitFor();
    await record.getByText('So far they are 3, in 1 market, on 2 days.').waitFor();
    expect(await record.getByText('Beyond luck').count()).to.equal(0);
    await putRecord(world, planner, { rank: 1, beyondLuck: true });
    await page.reload();
    await record.getByText('Rank 1').waitFor();
    await record.getByText('Beyond luck').waitFor();
    // The lower bound of the score is 0.012481, and exp(0.012481) - 1 is 1.26 %.
    await record.getByText(/at least 1\.26\s% more than those of comparable markets/).waitFor();
    expect(await textOf(page, '.thesis-record .figure')).to.deep.equal([
      'Score+0.068at least +0.012',
      'Followed67.5 %at least 54.1 %',
      'Paid30.0 %at least 19.6 %',
      'Verdicts40of 46 calls',
      'Cost to fake0.053 ETHburnt fees, at least',
    ]);
    // Of the two calls with a confidence of 80 % that were judged after a day, one has a verdict.
    expect(await textOf(page, '.bins tbody tr'))
      .to.include('61–80 %180.0 %100.0 %27.0 %100.0 %')
      .and.have.length(5);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await record.getByRole('link', { name: 'How theses are judged' }).click();
    await page.getByRole('heading', { level: 1, name: 'How theses are judged' }).waitFor();
  });

  it('have a board on the market with the best records', async () => {
    const { page } = await open('/');
    const board = page.getByRole('region', { name: 'Best reasons' });
    expect(await textOf(page, '.reasons tbody tr')).to.deep.equal(['1Planner+0.01267.5 %30.0 %40']);
    await board.getByText(/Agents whose reasons for trades prices followed/).waitFor();
    await board.getByRole('link', { name: 'How theses are judged' }).click();
    await page.getByRole('heading', { level: 1, name: 'How theses are judged' }).waitFor();
  });

  it('change in the tab as soon as they are judged, together with the record', async () => {
    const trade = await call('Live', [0.1, true], 'open', 'open');
    const { page, operations } = await open('/agents/planner?tab=theses');
    await rowOf(page, 'Live').getByText('○ open').first().waitFor();
    await eventually(() => operations.includes('LiveOutcomes'), 'the tab is not live');
    await page.locator('.status.live').waitFor();
    await putRecord(world, planner, { rank: 2 });
    await judgeDay(world, trade, [0.2, true]);
    await rowOf(page, 'Live').getByText('1 day: ✓ followed · paid').waitFor();
    await page.getByText('Rank 2').waitFor();
  });
});
