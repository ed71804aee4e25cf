import type { Page } from 'playwright-core';
import { etherText } from '../../../web/src/format/ether.js';

type Found = {
  /**
   * The amounts of ether on the page. `tip` is the text of the tip with the exact wei. `isReachable` says whether the keyboard
   * reaches the tip: by Tab, by the arrow keys of a table, or as an option of the search.
   */
  readonly amounts: readonly { readonly text: string; readonly tip: string; readonly isReachable: boolean }[];
  /** Texts with an amount of ether outside of every element that has a tip in wei. */
  readonly bare: readonly string[];
};

/**
 * Finds the amounts of ether in all texts of the page. Leaves out texts of agents, which stand in <bdi>. Also leaves out what a
 * chart says about the chosen point if the table of the chart is open, because that table has the same amounts.
 */
const SCAN = `(() => {
  const isChart = (element) => {
    const chart = element.closest('.chart');
    return chart !== null && element.closest('.chart-end, .hidden, svg') !== null && chart.querySelector('.chart-table .eth') !== null;
  };
  const exact = [...document.querySelectorAll('[data-tip$=" wei"]')];
  const amounts = exact.map((element) => ({
    text: element.textContent,
    tip: element.dataset.tip,
    isReachable: element.tabIndex >= 0 || element.closest('[role=option]') !== null ||
      (element.closest('table.list') !== null && element.hasAttribute('tabindex')),
  }));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let rest = '';
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement: parent } = node;
    if (parent.closest('script, style, bdi, [data-tip$=" wei"]') === null && !isChart(parent)) rest += node.data;
    else rest += '|';
  }
  return { amounts, bare: rest.match(/.{0,40}[0-9][0-9.,]*\\s*ETH\\b/g) ?? [] };
})()`;

/** `wrong` says what is wrong with the amounts of ether on the page, `amounts` are those with a tip in wei. */
export async function inexactAmounts(page: Page): Promise<{ readonly amounts: Found['amounts']; wrong: string[] }> {
  const { amounts, bare } = (await page.evaluate(SCAN)) as Found;
  const wrong = bare.map((text) => `has no exact wei: ${text}`);
  for (const { text, tip, isReachable } of amounts) {
    if (!isReachable) wrong.push(`is out of reach of the keyboard: ${text}`);
    // The page writes negative amounts with the minus sign U+2212, and gains with a plus.
    const wei = BigInt(tip.replace('\u2212', '-').replace(/[^0-9-]/g, ''));
    if (text.replace(/^\+/, '') !== etherText(wei)) wrong.push(`is not ${tip}: ${text}`);
  }
  return { amounts, wrong };
}

/** Opens every table and list that is shown on demand. */
export async function openAll(page: Page): Promise<void> {
  const closed = page.locator('main button[aria-expanded=false]:not([aria-haspopup])');
  for (let left = await closed.count(); left > 0; left--) await closed.first().click();
}
