// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import { describeInBrowser } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { refuseFor } from '../../support/browser/first-view.js';
import { connectAddress } from '../../support/browser/wallet.js';
import { addListedAgent, addTrade, randomWallet } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

/** Number of trades of the wallet: eleven pages of 100 trades. */
const TRADES = 1_050;

describeInBrowser('the portfolio of a wallet with many trades', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let trader: string;
  before(async () => {
    trader = randomWallet();
    const { wallet: agent } = await addListedAgent(world, { name: 'Lovelace' }, { supply: 2000 });
    for (let i = 0; i < TRADES; i++) await addTrade(world, { agent, trader, type: 'BUY', amount: 1 });
  });

  const open = useVisits(browser, () => world.url);

  it('adds up all of them, says how many it has read, and waits for the rate limit between', async () => {
    const { page } = await open('/portfolio', { prepare: (context) => context.clock.install() });
    let pages = 0;
    await page.route('**/graphql', (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      return query.startsWith('query WalletTrades') && ++pages === 4 ? refuseFor(route, 3600) : route.continue();
    });
    await connectAddress(page, trader);
    const card = page.getByRole('region', { name: 'Positions' });
    await card.getByText('300 trades are read, more follow…').waitFor();
    await page.locator('.status.limited').waitFor();
    await page.clock.fastForward(3_600_000);
    const row = card.locator('tbody tr', { hasText: 'Lovelace' });
    await row.waitFor();
    expect(await row.locator('td').first().textContent()).to.equal('1,050');
    expect(pages).to.equal(12);
    await card.getByRole('button', { name: 'Read again' }).waitFor();
  });
});
