import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { settled } from '../../support/browser/chromium.js';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { accessibilityViolations, cutTexts, expectLittleShift, overflows } from '../../support/browser/measures.js';
import { eventually } from '../../support/service/process.js';

type Named = { readonly id: string; readonly name: string };

/** The columns that sort: their head, their key in the address of the page, and their name in GraphQL. */
const sorts = [
  ['Price', 'price', 'PRICE'],
  ['24 h', 'change', 'PRICE_CHANGE_24H'],
  ['Holders', 'holders', 'HOLDERS'],
  ['Volume 24 h', 'volume', 'VOLUME'],
  ['Joined', 'newest', 'NEWEST'],
  ['Supply', '', 'SUPPLY'],
] as const;

describeOnDemo('the list of all agents', (site, open) => {
  const table = (page: Page) => page.locator('table.sorted');
  const namesOf = (page: Page) => table(page).locator('tbody .agent-link .name').allTextContents();
  const search = (page: Page) => new URL(page.url()).search;
  const head = (page: Page, name: string) => table(page).getByRole('button', { name, exact: true });
  const button = (page: Page, name: string | RegExp) => page.getByRole('main').getByRole('button', { name });
  /** The names of the first agents that the service lists with these arguments. */
  const listed = async (args: string): Promise<string[]> => {
    const { agents } = await site.data<{ agents: { nodes: Named[] } }>(`{ agents(first: 20, ${args}) { nodes { id name } } }`);
    return agents.nodes.map(({ name }) => name);
  };
  /** Waits until the page lists what the service lists with these arguments. */
  const lists = async (page: Page, args: string): Promise<void> => {
    const expected = await listed(args);
    expect(expected.length).to.be.above(0);
    await eventually(async () => (await namesOf(page)).join() === expected.join(), `the list is not that of ${args}`);
  };

  it('sorts by the button in a head, reverses the order at its second press, and says so', async () => {
    const { page } = await open('/?list=all');
    for (const [name, key, sort] of sorts) {
      for (const [order, said, spoken] of [
        ['DESC', 'descending', /, (highest|newest) first$/],
        ['ASC', 'ascending', /, (lowest|oldest) first$/],
      ] as const) {
        await head(page, name).press('Enter');
        await lists(page, `sort: ${sort}, sortOrder: ${order}`);
        expect(await page.getByRole('columnheader', { name, exact: true }).getAttribute('aria-sort')).to.equal(said);
        expect(await page.locator('[aria-sort]').count()).to.equal(1);
        expect(await table(page).locator('caption').textContent())
          .to.match(spoken)
          .and.include(`All agents: ${name}`);
        const given = new URLSearchParams(search(page));
        expect([given.get('sort') ?? '', given.get('order')]).to.deep.equal([key, order === 'ASC' ? 'asc' : null]);
        await page.locator('[role=status].hidden', { hasText: `All agents: ${name}` }).waitFor({ state: 'attached' });
        expect(await page.evaluate('document.activeElement.textContent')).to.include(name);
      }
    }
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('has ranks in its own order only, and moves no column without them', async () => {
    const { page } = await open('/?list=all');
    const place = await head(page, 'Price').boundingBox();
    expect((await table(page).locator('tbody td:first-child').allTextContents()).slice(0, 2)).to.deep.equal(['1', '2']);
    await head(page, 'Supply').click();
    await lists(page, 'sort: SUPPLY, sortOrder: ASC');
    expect((await table(page).locator('tbody td:first-child').allTextContents()).join('')).to.equal('');
    // Without its ranks, the first column is empty, but as wide as before.
    expect(await head(page, 'Price').boundingBox()).to.deep.equal(place);
  });

  it('keeps tab, order and filters with Back, after a reload and in a shared link', async () => {
    const one = await open('/?list=all');
    const { page } = one;
    await head(page, 'Price').click();
    await head(page, 'Price').click();
    await button(page, /^Filters/).click();
    await page.getByLabel('Claimed only').check();
    await page.getByLabel('Price from').fill(' 0.001 ');
    await page.getByLabel('Price from').press('Enter');
    const args = 'sort: PRICE, sortOrder: ASC, verified: true, minPrice: "0.001"';
    await lists(page, args);
    expect(search(page)).to.equal('?list=all&sort=price&order=asc&claimed=true&minPrice=0.001');
    expect(await page.getByLabel('Price from').inputValue()).to.equal('0.001');
    await settled(one);
    await table(page).locator('.agent-link').first().click();
    await page.getByRole('heading', { level: 1, name: (await listed(args))[0] as string }).waitFor();
    await page.goBack();
    await lists(page, args);
    await page.reload();
    await lists(page, args);
    const { page: shared } = await open(`/${search(page)}`);
    await lists(shared, args);
    await button(shared, 'Filters (2)').click();
    expect(await shared.getByLabel('Claimed only').isChecked()).to.equal(true);
    expect(await shared.getByLabel('Price from').inputValue()).to.equal('0.001');
    // The first tab ignores the order and the filters. After the return to the second tab, they apply again.
    await shared.getByRole('tab', { name: 'Trending' }).click();
    await shared.getByRole('tab', { name: 'All agents' }).click();
    await lists(shared, args);
  });

  for (const query of [
    'sort=toString&order=down',
    'sort=PRICE&order=ASC&claimed=1',
    'minHolders=-1&minPrice=abc&maxPrice=1e3&name=',
    'minHolders=1.5&minPrice=0,1&name=%20&claimed=false',
  ]) {
    it(`has its own order and no filter for ?${query}`, async () => {
      const { page } = await open(`/?list=all&${query}`);
      await lists(page, 'sort: SUPPLY');
      expect(await page.locator('[aria-sort=descending]').textContent()).to.include('Supply');
      expect(await button(page, /^Filters/).textContent()).to.equal('Filters');
    });
  }

  it('is read again when the reader returns to an order, also after an extended list', async () => {
    const { page, operations } = await open('/?list=all', { prepare: (context) => context.clock.install() });
    await button(page, 'Show more').click();
    await table(page).locator('tbody tr').nth(20).waitFor();
    await head(page, 'Price').click();
    await page.locator('[aria-sort]', { hasText: 'Price' }).waitFor();
    // The page shows a stored answer for 10 seconds without asking again (`useQuery`).
    await page.clock.fastForward(11_000);
    const before = operations.filter((name) => name === 'AgentList').length;
    await head(page, 'Supply').click();
    await eventually(() => operations.filter((name) => name === 'AgentList').length > before, 'an old list is shown');
  });

  it('is in the document of its address, and is not read again', async () => {
    const { operations } = await open('/?list=all');
    expect(operations.filter((name) => !name.startsWith('Live'))).to.deep.equal([]);
  });

  it('filters by name, holders and price, counts the filters, and clears them by one button', async () => {
    const { page } = await open('/?list=all');
    const places = await table(page).locator('tbody tr').count();
    for (const [count, label, value, args] of [
      [1, 'Name contains', 'er', 'search: "er"'],
      [2, 'Holders, at least', '3', 'search: "er", minHolder: 3'],
      [3, 'Price to', '0.5', 'search: "er", minHolder: 3, maxPrice: "0.5"'],
    ] as const) {
      const fold = button(page, /^Filters/);
      if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
      await page.getByLabel(label).fill(value);
      await button(page, 'Apply').click();
      await lists(page, `sort: SUPPLY, ${args}`);
      expect(await fold.textContent()).to.equal(`Filters (${count})`);
    }
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await button(page, 'Clear the filters').click();
    await lists(page, 'sort: SUPPLY');
    expect(await table(page).locator('tbody tr').count()).to.equal(places);
    expect(search(page)).to.equal('?list=all');
    expect(await page.getByLabel('Name contains').inputValue()).to.equal('');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Filters');
  });

  it('says at a filter what is wrong with it, and sends no query', async () => {
    const { page, operations } = await open('/?list=all');
    await button(page, /^Filters/).click();
    const before = operations.length;
    for (const [label, value, fault] of [
      ['Holders, at least', '-1', 'Enter a whole number, such as 10.'],
      ['Holders, at least', '1.5', 'Enter a whole number, such as 10.'],
      ['Price from', '0,1', 'Enter an amount of ETH, such as 0.01.'],
      ['Price to', '1e3', 'Enter an amount of ETH, such as 0.01.'],
    ] as const) {
      const field = page.getByLabel(label);
      await field.fill(value);
      await field.press('Enter');
      await page.getByRole('alert').getByText(fault).waitFor();
      expect(await field.getAttribute('aria-invalid'), label).to.equal('true');
      expect(
        await page.evaluate('document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent'),
      ).to.equal(fault);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await field.fill('');
      expect(await page.getByRole('alert').count()).to.equal(0);
    }
    await page.getByLabel('Price from').fill('0.02');
    await page.getByLabel('Price to').fill('0.01');
    await button(page, 'Apply').click();
    await page.getByRole('alert').getByText('This is below the lowest price.').waitFor();
    expect([operations.slice(before).filter((name) => !name.startsWith('Live')), search(page)]).to.deep.equal([[], '?list=all']);
    await page.getByLabel('Price to').fill('0.03');
    await button(page, 'Apply').click();
    await lists(page, 'sort: SUPPLY, minPrice: "0.02", maxPrice: "0.03"');
  });

  it('says that no agent matches, and offers to clear the filters', async () => {
    const { page } = await open('/?list=all&name=nobody-has-this');
    await page.getByText('No agent matches these filters.').waitFor();
    await button(page, 'Clear the filters').click();
    await lists(page, 'sort: SUPPLY');
  });

  it('keeps the rows of its filter and order in place while the market moves', async () => {
    const { page } = await open('/?list=all&sort=price&claimed=true');
    await page.locator('.status.live').waitFor();
    const { agents } = await site.data<{ agents: { nodes: [Named, Named] } }>(
      '{ agents(first: 2, sort: PRICE, verified: true) { nodes { id name } } }',
    );
    const before = await namesOf(page);
    const trader = await site.trader();
    const [first, second] = agents.nodes;
    for (let i = 0; i < 4; i++) await trader.buy(second.id, 20);
    await button(page, 'Show the new order').waitFor();
    expect(await namesOf(page)).to.deep.equal(before);
    await expectLittleShift(page, 0.01);
    await button(page, 'Show the new order').click();
    expect((await namesOf(page)).slice(0, 2)).to.deep.equal([second.name, first.name]);
    await lists(page, 'sort: PRICE, verified: true');
  });

  // The width of usual phones, and the smallest width that the page must support.
  for (const width of [390, 320]) {
    it(`sorts and filters on a phone of ${width} pixels`, async () => {
      const { page } = await open('/?list=all', { width, theme: 'dark' });
      await expectLittleShift(page, 0.05);
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Holders, lowest first');
      await lists(page, 'sort: HOLDERS, sortOrder: ASC');
      expect(search(page)).to.equal('?list=all&sort=holders&order=asc');
      expect(await table(page).locator('tbody tr').first().locator('.narrow').textContent()).to.match(/^Holders \d+$/);
      await button(page, /^Filters/).click();
      await page.getByLabel('Holders, at least').fill('2');
      await button(page, 'Apply').click();
      await lists(page, 'sort: HOLDERS, sortOrder: ASC, minHolder: 2');
      expect(await overflows(page)).to.equal(false);
      expect(await cutTexts(page)).to.deep.equal([]);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }
});
