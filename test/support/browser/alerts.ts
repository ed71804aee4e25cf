import type { Page } from 'playwright-core';
import type { TestAgent } from '../market/agents.js';
import { eventually } from '../service/process.js';

// Actions on a page that the tests of the watchlist and of its alerts share.

export const star = (page: Page, { name }: TestAgent) => page.getByRole('button', { name: `Watch ${name}` });
export const bell = (page: Page, { name }: TestAgent) => page.getByRole('button', { name: `Alerts for ${name}` });
export const dialogOf = (page: Page, { name }: TestAgent) => page.getByRole('dialog', { name: `Alerts for ${name}` });

/** Adds an alert in the dialog of the agent, and closes the dialog. */
export async function addAlert(page: Page, agent: TestAgent, field: string, text: string): Promise<void> {
  await bell(page, agent).click();
  const form = dialogOf(page, agent).locator('form', { hasText: field });
  await form.getByRole('textbox').fill(text);
  await form.getByRole('button', { name: 'Add' }).click();
  await eventually(async () => (await form.getByRole('textbox').inputValue()) === '', 'the alert is not added');
  await page.keyboard.press('Escape');
}

/** Adds an alert for theses in the dialog of the agent, and leaves the dialog open. */
export async function addTheses(page: Page, agent: TestAgent): Promise<void> {
  await bell(page, agent).click();
  const choice = dialogOf(page, agent).locator('.theses');
  await choice.getByRole('button', { name: 'Add' }).click();
  await choice.getByRole('button', { name: 'On', pressed: true }).waitFor();
}
