import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { settled } from '../../support/browser/chromium.js';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { refuseFor } from '../../support/browser/first-view.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { giveKey } from '../../support/browser/wallet.js';
import { success } from '../../support/market/agents.js';
import { eventually } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

/** Everything that the page has stored, and the state of its document and its history. */
const STORED = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href,
  await indexedDB.databases(), await caches?.keys(), window.name, document.documentElement.outerHTML,
]))()`;

describeOnDemo('the settings', (site, open) => {
  async function newKey(name: string): Promise<string> {
    const owner = await site.trader();
    await owner.register(name);
    const { apiKey } = success(await ask(site.service.url, 'POST', '/api/agents', { body: { name, walletAddress: owner.wallet } }));
    return String(apiKey);
  }
  let key: string;
  before(async () => {
    key = await newKey('Set Owner');
  });

  const card = (page: Page) => page.getByRole('region', { name: 'Key of an agent' });
  const isUsed = (page: Page) => card(page).getByText('The key is in use.');
  const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' });
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
  const wrongKey = () => `${key.slice(0, -4)}0000`;

  it('are reached from the footer of a page, and are in no search engine', async () => {
    const { page } = await open('/feed');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.title()).to.equal('Settings · Curvet');
    expect((await fetch(page.url())).headers.get('x-robots-tag')).to.equal('noindex');
    expect(await (await fetch(`${site.service.url}/sitemap.xml`)).text()).to.not.include('/settings');
  });

  it('keep the key in the memory of the tab only, on the way through its pages', async () => {
    const one = await open('/settings');
    const { page } = one;
    await giveKey(page, key);
    await isUsed(page).waitFor();
    await card(page).getByRole('link', { name: 'Set Owner' }).waitFor();
    await follow(page, 'Portfolio');
    await notices(page).waitFor();
    await page.getByText('The API key of an agent is in use.').waitFor();
    await settled(one);
    expect(await page.evaluate(STORED)).to.not.include(key);
    const state = await page.context().storageState({ indexedDB: true });
    expect(state.cookies).to.deep.equal([]);
    expect(JSON.stringify([state, one.requested])).to.not.include(key);
    await page.locator('.key-line').getByRole('link', { name: 'Settings' }).click();
    await isUsed(page).waitFor();
    // When the document is loaded again, the page forgets the key.
    await page.reload();
    await settled(one);
    expect(await page.getByLabel('API key').inputValue()).to.equal('');
    await giveKey(page, key);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await follow(page, 'Portfolio');
    await page.getByText('paste its API key in Settings').waitFor();
    expect(await notices(page).count()).to.equal(0);
  });

  it('say that a key is in use only after the service accepts it, and say at the field why it refuses one', async () => {
    const { page } = await open('/settings');
    const field = card(page).getByLabel('API key');
    const gate = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().headers()['x-api-key'] !== undefined) await gate.promise;
      await route.fallback();
    });
    await giveKey(page, key);
    await card(page).getByRole('status').getByText('The service has not accepted the key yet').waitFor();
    expect(await isUsed(page).count()).to.equal(0);
    gate.resolve();
    await isUsed(page).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Forget the key');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await card(page).getByRole('button', { name: 'Forget the key' }).click();
    await field.waitFor();
    await giveKey(page, wrongKey());
    await card(page).getByRole('alert').getByText('The service refused the key: Invalid API key').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    expect(await page.evaluate('[document.activeElement.type, document.activeElement.value]')).to.deep.equal(['password', '']);
    expect(await isUsed(page).count()).to.equal(0);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await giveKey(page, key);
    await isUsed(page).waitFor();
    expect(await card(page).getByRole('alert').count()).to.equal(0);
  });

  it('say why the key cannot be checked, and check it again by themselves', async () => {
    const { page } = await open('/settings');
    let isFull = true;
    await page.route('**/graphql', (route) => (isFull ? refuseFor(route, 2) : route.continue()));
    await giveKey(page, key);
    await card(page).getByRole('alert').getByText('Too many requests').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    isFull = false;
    await isUsed(page).waitFor();
    expect(await card(page).getByRole('alert').count()).to.equal(0);
  });

  it('leave the notifications unread, which only the portfolio shows', async () => {
    const { page } = await open('/settings');
    const wallet = (await site.data<{ me: { agent: { id: string } } }>('{ me { agent { id } } }', key)).me.agent.id;
    await (await site.trader()).buy(wallet, 1);
    const query = '{ notifications(first: 1) { totalUnread } }';
    const unread = async () => (await site.data<{ notifications: { totalUnread: number } }>(query, key)).notifications.totalUnread;
    await eventually(async () => (await unread()) === 1, 'the trade is not notified');
    await giveKey(page, key);
    await isUsed(page).waitFor();
    expect(await unread()).to.equal(1);
    await follow(page, 'Portfolio');
    await notices(page).getByText('1 unread').waitFor();
  });

  it('stop sending a key when its agent is deleted, and say so where its data was', async () => {
    const leaver = await newKey('Set Leaver');
    const { page } = await open('/settings', { prepare: (context) => context.clock.install() });
    let sent = 0;
    page.on('request', (request) => {
      if (request.headers()['x-api-key'] !== undefined) sent++;
    });
    await giveKey(page, leaver);
    await isUsed(page).waitFor();
    await follow(page, 'Portfolio');
    await notices(page).waitFor();
    // The check of the key, the query of the portfolio, and its subscription.
    await eventually(() => sent === 3, 'the page does not subscribe');
    success(await ask(site.service.url, 'DELETE', '/api/agents/me', { key: leaver }));
    await page.getByRole('alert').getByText('Invalid API key').waitFor();
    expect(await notices(page).count()).to.equal(0);
    // The page has forgotten the key, so it sends no request with it. The next one is that of the reader, who enters the key again.
    await page.clock.fastForward(3_600_000);
    await page.locator('.key-line').getByRole('link', { name: 'Settings' }).click();
    const answered = page.waitForResponse((response) => response.status() === 401);
    await giveKey(page, leaver);
    await answered;
    expect(sent).to.equal(4);
  });

  it('set the theme, also at the switch of the footer and for the next visit', async () => {
    const { page } = await open('/settings');
    const choice = (name: string) => page.getByRole('group', { name: 'Theme' }).getByRole('button', { name });
    expect(await choice('System').getAttribute('aria-pressed')).to.equal('true');
    await choice('Dark').click();
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor();
    expect(await choice('Dark').getAttribute('aria-pressed')).to.equal('true');
  });
});
