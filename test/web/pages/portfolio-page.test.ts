// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { etherText } from '../../../web/src/format/ether.js';
import { describeInBrowser, foreign, settled, type Visit } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { fakeWallet, WALLET_NAME } from '../../support/browser/wallet.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { joinDemo } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

const NAME = 'Folio Owner';

describeInBrowser('the portfolio', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser, () => site.service.url);
  let trader: Trader;
  let key: string;
  before(async () => {
    ({ trader, key } = await joinDemo(site.service, site.provider, NAME));
    await trader.buy(site.juniper, 4);
    await trader.sell(site.juniper, 1);
    await eventually(async () => (await pnl())?.realized.count === 1, 'the trades are not indexed');
  });

  type Pnl = {
    readonly realized: { readonly count: number; readonly totalWei: string };
    readonly unrealized: { readonly totalWei: string };
    readonly summary: { readonly totalPnlWei: string };
  };
  async function pnl(): Promise<Pnl | undefined> {
    const query = '{ me { pnl { realized { count totalWei } unrealized { totalWei } summary { totalPnlWei } } } }';
    const { body: answer } = await ask(site.service.url, 'POST', '/graphql', { key, body: { query } });
    return (answer.data as { me?: { pnl: Pnl } } | undefined)?.me?.pnl;
  }

  function open(): Promise<Visit> {
    const { prepare } = fakeWallet(trader, site.service.deps.market);
    return openUrl('/portfolio', { prepare });
  }
  const connect = async (one: Visit) => {
    await one.page.getByRole('button', { name: 'Connect a wallet' }).click();
    await one.page.getByRole('button', { name: WALLET_NAME }).click();
    await one.page.getByRole('button', { name: 'Disconnect' }).waitFor();
    await settled(one);
  };
  const paste = async (page: Page, text = key) => {
    await page.getByLabel('API key').fill(text);
    await page.getByRole('button', { name: 'Use the key' }).click();
  };

  it('shows positions, value, cost and profit of a wallet without a key, as the service computes them', async () => {
    const one = await open();
    await connect(one);
    const { page } = one;
    const rows = page.getByRole('region', { name: 'Positions' }).locator('tbody tr');
    expect(await rows.count()).to.equal(2);
    const texts = await rows.allTextContents();
    expect(texts.find((text) => text.includes('Juniper Row'))).to.match(/Juniper Row3/);
    // The agent got the first ticket of its own market free and bought three more.
    expect(texts.find((text) => text.includes(NAME))).to.match(new RegExp(`${NAME}4`));
    const { realized, unrealized, summary } = (await pnl()) ?? expect.fail('no pnl');
    const figures = await page.locator('.sums dd .eth').allTextContents();
    const signed = (wei: string) => `${BigInt(wei) > 0n ? '+' : ''}${etherText(BigInt(wei))}`;
    expect(figures[2]).to.equal(signed(unrealized.totalWei));
    expect(figures[3]).to.equal(signed(realized.totalWei));
    const fees = BigInt(summary.totalPnlWei) - BigInt(realized.totalWei) - BigInt(unrealized.totalWei);
    expect(figures[4]).to.equal(signed(String(BigInt(summary.totalPnlWei) - fees)));
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Trade Juniper Row' }).click();
    await page.getByRole('heading', { level: 1, name: 'Juniper Row' }).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    expect(one.complaints).to.deep.equal([]);
    expect(foreign(one, site.service.url)).to.deep.equal([]);
  });

  it('says that a wallet holds nothing', async () => {
    const one = await open();
    await one.page.getByRole('button', { name: 'Connect a wallet' }).click();
    await one.page.getByRole('button', { name: /Use a test wallet/ }).click();
    await one.page.getByText('This wallet holds no tickets.').waitFor();
    expect(await accessibilityViolations(one.page)).to.deep.equal([]);
    expect(one.complaints).to.deep.equal([]);
  });

  it('shows notifications and the full profit with the key of an agent, live', async () => {
    const one = await open();
    const { page } = one;
    await paste(page);
    const full = page.getByRole('region', { name: 'Full profit and loss' });
    await full.getByText('Juniper Row').first().waitFor();
    const { summary } = (await pnl()) ?? expect.fail('no pnl');
    await full.locator('.sum .eth', { hasText: etherText(BigInt(summary.totalPnlWei)) }).waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    const { contract } = site.service.deps.market;
    await (await newTrader({ provider: site.provider, contract })).buy(trader.wallet, 1);
    await page.locator('.notices li').filter({ hasText: 'bought' }).first().waitFor();
    expect(one.complaints).to.deep.equal([]);
  });

  it('keeps the key in the memory of the tab only', async () => {
    const one = await open();
    const { page } = one;
    await paste(page);
    await page.getByRole('region', { name: 'Notifications' }).waitFor();
    await settled(one);
    // The key is kept while the user moves between pages, and lost when the document is loaded again.
    await page.getByRole('link', { name: 'Market', exact: true }).click();
    await page.getByRole('link', { name: 'Portfolio', exact: true }).click();
    await page.getByRole('button', { name: 'Forget the key' }).waitFor();
    expect(await page.evaluate(STORED)).to.not.include(key);
    expect((await page.context().storageState({ indexedDB: true })).cookies).to.deep.equal([]);
    expect(JSON.stringify(await page.context().storageState({ indexedDB: true }))).to.not.include(key);
    expect(one.requested.map(String).join('\n')).to.not.include(key);
    await page.reload();
    await settled(one);
    await page.getByLabel('API key').waitFor();
    expect(await page.getByLabel('API key').inputValue()).to.equal('');
    expect(await page.getByRole('region', { name: 'Notifications' }).count()).to.equal(0);
  });

  it('forgets the key on demand, and says that a key is wrong', async () => {
    const { page } = await open();
    await paste(page);
    await page.getByRole('region', { name: 'Notifications' }).waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    expect(await page.getByRole('region', { name: 'Notifications' }).count()).to.equal(0);
    await paste(page, `${key.slice(0, -4)}0000`);
    await page.getByRole('alert').getByText('The service refused the request').waitFor();
  });
});

/** Everything that a page can store, and what is left in its document and its history. */
const STORED = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href,
  await indexedDB.databases(), await caches?.keys(), window.name, document.documentElement.outerHTML,
]))()`;
