import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { unitPrice } from '../../../../src/values/curve.js';
import { formatEth } from '../../../../src/values/money.js';
import { etherText } from '../../../../web/src/format/ether.js';
import { addAlert, addTheses, bell, dialogOf, star } from '../../../support/browser/alerts.js';
import { inexactAmounts } from '../../../support/browser/amounts.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, cutTexts, overflows, smallTargets } from '../../../support/browser/measures.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { askAs, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { eventually } from '../../../support/service/process.js';

const EMPTY = 'The star on the page of an agent adds it to this list.';
const PRICE = unitPrice(1n);

describeOnWorld('the watchlist', { RATE_LIMITS: 'off' }, (world, open) => {
  let agent: TestAgent;
  let number = 0;
  const openAgent = (options = {}) => open(`/agents/${agent.agentId}`, options);
  beforeEach(async () => {
    agent = await newAgent(world, { name: `Watched ${++number}` });
    await indexAll(world.deps);
  });

  it('keeps the watched agents in this browser, in all of its tabs, with their present figures', async () => {
    const { page } = await openAgent();
    const other = await page.context().newPage();
    const rows = other.locator('.watched tbody tr');
    await other.goto(`${world.url}/?list=watched`);
    await other.getByText(EMPTY).waitFor();
    await star(page, agent).click();
    expect(await star(page, agent).getAttribute('aria-pressed')).to.equal('true');
    await rows.filter({ hasText: agent.name }).waitFor();
    await agent.trader.buy(agent.wallet, 4);
    await indexAll(world.deps);
    await rows.locator('.eth', { hasText: etherText(unitPrice(5n)) }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: `Watch ${agent.name}`, pressed: true }).waitFor();
    await star(other, agent).click();
    // The row stays while the list is open, so that nothing moves and the user can undo the click.
    expect(await rows.count()).to.equal(1);
    await page.getByRole('button', { name: `Watch ${agent.name}`, pressed: false }).waitFor();
    await other.reload();
    await other.getByText(EMPTY).waitFor();
  });

  it('keeps what several tabs change at the same time', async () => {
    const { page } = await openAgent();
    const tabs = [page];
    const agents = [agent];
    for (let i = 0; i < 3; i++) {
      agents.push(await newAgent(world, { name: `Watched ${++number}` }));
      const tab = await page.context().newPage();
      tabs.push(tab);
    }
    await indexAll(world.deps);
    await Promise.all(tabs.map((tab, i) => tab.goto(`${world.url}/agents/${agents[i]?.agentId}`)));
    const stars = tabs.map((tab, i) => star(tab, agents[i] as TestAgent));
    for (const one of stars) await one.waitFor();
    await Promise.all(stars.map((one) => one.click()));
    await page.goto(`${world.url}/?list=watched`);
    await eventually(async () => (await page.locator('.watched tbody tr').count()) === 4, 'a change is lost');
  });

  it('survives invalid stored items and a deleted agent', async () => {
    // Only the agent with this wallet and the alert `e` are valid. The page must ignore the rest.
    const stored = {
      'agent.a': 'null',
      'agent.b': '5',
      [`agent.${agent.wallet}`]: JSON.stringify({ id: agent.wallet, at: 1 }),
      'alert.a': 'null',
      'alert.b': '{"id":"b","agent":"0x","at":1,"kind":"price"}',
      'alert.c': '{"id":"c","agent":"0x","at":1,"kind":"price","wei":"x"}',
      'alert.d': '{"id":"d","agent":"0x","at":"now","kind":"thesis"}',
      'alert.f': '{"id":"f","agent":"0x","at":1,"kind":"thesis","reachedAt":"x"}',
      'alert.e': JSON.stringify({ id: 'e', agent: agent.wallet, at: 1, kind: 'thesis' }),
      'news.a': '{}',
      'news.b': '{"id":"b","at":1,"agentId":"a","name":"a","text":[{}]}',
      'news.c': 'not JSON',
      'news.d': '{"id":"d","at":-9e15,"agentId":"a","name":"a","text":["a"]}',
      'other.a': '{}',
    };
    const items = JSON.stringify(Object.entries(stored).map(([key, text]) => [`watchlist.${key}`, text]));
    const prepare = (context: BrowserContext) =>
      context.addInitScript({ content: `for (const [key, text] of ${items}) localStorage.setItem(key, text)` });
    const { page } = await openAgent({ prepare });
    await bell(page, agent).click();
    await dialogOf(page, agent).locator('.alerts li').waitFor();
    await askAs(world, agent, 'DELETE', `/api/agents/${agent.wallet}`);
    await page.goto(`${world.url}/?list=watched`);
    const row = page.locator('.watched tbody tr');
    const address = `${agent.wallet.slice(0, 6)}…${agent.wallet.slice(-4)}`;
    await row.getByText(address).waitFor();
    await row.getByRole('button', { name: 'Alerts for' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This service has no such agent any more.').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    expect(await dialog.locator('.alerts li').count()).to.equal(0);
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Watch', pressed: true }).click();
    await row.getByRole('button', { name: 'Watch', pressed: false }).waitFor();
  });

  it('takes the alerts that can be reached, once each, and says why it refuses others', async () => {
    const { page } = await openAgent();
    await bell(page, agent).click();
    const dialog = dialogOf(page, agent);
    const form = dialog.locator('form');
    await form.getByText(`Now ${etherText(PRICE)}.`).waitFor();
    for (const [text, fault] of [
      ['', 'Enter an amount of ETH, such as 0.01.'],
      ['many', 'Enter an amount of ETH, such as 0.01.'],
      [formatEth(PRICE), 'It has this value now.'],
    ] as const) {
      await form.getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
      await form.getByRole('alert').getByText(fault).waitFor();
      expect(await form.getByRole('textbox').inputValue()).to.equal(text);
      await form.getByRole('textbox').fill(`${text} `);
    }
    expect(await dialog.locator('.alerts li').count()).to.equal(0);
    // The price rises while the dialog is open, so the amount now lies below it instead of above.
    await agent.trader.buy(agent.wallet, 4);
    await indexAll(world.deps);
    await form.getByRole('textbox').fill(formatEth(unitPrice(3n)));
    await page.keyboard.press('Enter');
    await dialog.getByText(`Price falls to ${etherText(unitPrice(3n))}`).waitFor();
    expect(await dialog.getByRole('status').first().textContent()).to.equal('The alert is set.');
    await form.getByRole('textbox').fill(formatEth(unitPrice(3n)));
    await page.keyboard.press('Enter');
    await form.getByRole('alert').getByText('This alert is set already.').waitFor();
    await dialog.getByRole('button', { name: `Remove the alert for ${agent.name}` }).click();
    expect(await dialog.locator('.alerts li').count()).to.equal(0);
    expect(await page.evaluate('document.activeElement.closest("dialog") !== null'), 'the focus').to.equal(true);
  });

  it('closes its dialog at a click beside it, but not when a selection ends there', async () => {
    const { page } = await openAgent();
    await bell(page, agent).click();
    const input = dialogOf(page, agent).getByRole('textbox');
    await input.fill('0.5');
    const box = await input.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move(5, 400);
    await page.mouse.up();
    expect(await input.inputValue()).to.equal('0.5');
    await page.mouse.click(5, 400);
    await input.waitFor({ state: 'detached' });
  });

  it('is accessible, and fits on phones', async () => {
    const { page } = await openAgent({ width: 320, theme: 'dark' });
    const isFine = async () => {
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(await overflows(page)).to.equal(false);
      expect(await smallTargets(page)).to.deep.equal([]);
    };
    await star(page, agent).click();
    await addAlert(page, agent, 'Ticket price', formatEth(unitPrice(3n)));
    await addTheses(page, agent);
    await isFine();
    await page.keyboard.press('Escape');
    await agent.trader.buy(agent.wallet, 2);
    await indexAll(world.deps);
    await page.locator('.toast').waitFor();
    await isFine();
    await page.goto(`${world.url}/?list=watched`);
    await page.locator('.watched tbody tr').waitFor();
    await isFine();
    expect(await cutTexts(page)).to.deep.equal([]);
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.length).to.be.above(3);
  });
});
