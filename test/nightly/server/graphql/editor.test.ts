import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { graphqlExamples } from '../../../../src/features/guides/graphql-examples.js';
import { describeInBrowser, foreign, type Visit, visit } from '../../../support/browser/chromium.js';
import { askAs, newAgent, tradeOnChain } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { eventually } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

/** The editor opens event streams with GET, so their operation name is in the URL. */
function operationOf(request: Request): string | undefined {
  if (request.method() === 'POST') return JSON.parse(request.postData() ?? '{}').operationName;
  return URL.parse(request.url())?.searchParams.get('operationName') ?? undefined;
}

describeInBrowser('the GraphQL editor in a browser', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let agent: Awaited<ReturnType<typeof addListedAgent>>;
  before(async () => {
    agent = await addListedAgent(world, { name: 'Lovelace' });
  });

  /** Opens the editor and records its requests, errors and warnings. */
  async function open(): Promise<Visit> {
    const opened = await visit(browser(), `${world.url}/graphql`);
    await opened.page.getByRole('button', { name: /execute/i }).waitFor();
    return opened;
  }

  /**
   * Opens the tab of an example and runs it until the service answers. Clicks repeatedly: the editor ignores some
   * clicks while it loads, and after a change of tabs it looks for the operation of the previous tab for a moment.
   */
  async function run(page: Page, operation: string): Promise<void> {
    const tab = page.getByRole('tab', { name: operation }).first();
    await eventually(async () => {
      await tab.click();
      return (await tab.getAttribute('aria-selected')) === 'true';
    }, 'the tab does not open');
    let answered = false;
    page.on('response', (answer) => {
      answered ||= operationOf(answer.request()) === operation;
    });
    await eventually(async () => {
      const execute = page.getByRole('button', { name: /execute/i });
      if (!answered && (await execute.isVisible())) await execute.click();
      return answered;
    }, 'the example does not run');
  }

  const shown = (page: Page, text: string) =>
    page.locator('.graphiql-response, section.result-window').getByText(text).first().waitFor();

  it('runs an example and shows its answer, without requests to other origins', async () => {
    const opened = await open();
    const { page, requested, complaints } = opened;
    await run(page, 'Agents');
    await shown(page, 'Lovelace');
    expect(await page.getByRole('tab').count()).to.be.at.least(graphqlExamples.length);
    expect(foreign(opened, world.url)).to.deep.equal([]);
    expect(requested.some((url) => url.pathname === '/graphql/graphiql.js')).to.equal(true);
    expect(complaints).to.deep.equal([]);
    await opened.close();
  });

  it('shows live events as they arrive', async () => {
    const { page, complaints, close } = await open();
    await run(page, 'LiveFeed');
    await world.ask('POST', '/api/feed', { key: agent.key, body: { text: 'Seen while it happens.' } });
    await shown(page, 'Seen while it happens.');
    await run(page, 'LivePrices');
    const [seller, buyer] = [await newAgent(world, { name: 'Seller' }), await newAgent(world)];
    await askAs(world, buyer, 'POST', '/api/tickets/buy', await tradeOnChain(buyer, 'buy', seller, 1));
    await shown(page, 'Seller');
    expect(complaints).to.deep.equal([]);
    await close();
  });
});
