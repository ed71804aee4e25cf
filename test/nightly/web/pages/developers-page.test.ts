import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { chapterIds } from '../../../../src/features/guides/guides.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { eventually } from '../../../support/service/process.js';

/** Number of table rows in a Markdown text, without the heads of the tables. */
const rowsIn = (text: string): number => (text.match(/^\| /gm)?.length ?? 0) - 2 * (text.match(/^\| ---/gm)?.length ?? 0);

type Document = { readonly paths: Record<string, Record<string, { readonly operationId: string }>> };

const HARMFUL = '<img src=x onerror="window.hacked=1">';

describeOnWorld('the page for developers', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  before(() => addListedAgent(world, { name: 'Lovelace', agentId: 'lovelace', bio: HARMFUL }, { agentId: 'lovelace' }));

  const open = (fragment = '') => openUrl(`/developers${fragment}`);
  const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
  const searchOf = (page: Page) => page.getByRole('searchbox', { name: 'Search the reference' });
  async function send(page: Page, path: string): Promise<void> {
    await page.getByLabel('Path of this service').fill(path);
    await page.getByRole('button', { name: 'Send' }).click();
  }
  const isInView = (page: Page, id: string) => async () => {
    const { y = -1 } = (await page.locator(`#${id}`).boundingBox()) ?? {};
    // The window is 900 pixels high.
    return y >= 0 && y < 900;
  };
  /** Waits until the clipboard has a text that begins with `start`, and returns the text. */
  async function copied(page: Page, start: string): Promise<string> {
    const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
    await eventually(async () => (await clipboard()).startsWith(start), 'the text is not copied');
    return clipboard();
  }
  /** The values of a property of all elements that the selector finds. */
  const each = (page: Page, selector: string, property: 'id' | 'href'): Promise<string[]> =>
    page.locator(selector).evaluateAll((all, name) => all.map((one) => (one as never)[name]), property);
  const idsOf = (page: Page) => each(page, '.reference-part', 'id');

  it('has every chapter and every endpoint of the service, and finds them by words', async () => {
    const { page } = await open();
    const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as Document;
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect((await idsOf(page)).toSorted()).to.deep.equal([...chapterIds, ...ids].toSorted());
    const search = searchOf(page);
    await search.fill('Season leader');
    await eventually(async () => (await idsOf(page)).length < ids.length, 'nothing is filtered');
    const found = await idsOf(page);
    expect(found).to.include.members(['points', 'getSeasonsLeaderboard']).and.not.include('getFeed');
    const chapters = found.filter((id) => (chapterIds as readonly string[]).includes(id)).length;
    await page.getByText(`${chapters} chapter${chapters === 1 ? '' : 's'}, ${found.length - chapters} endpoint`).waitFor();
    await search.fill('no-such-word');
    await page.getByText('No chapter and no endpoint has all these words.').waitFor();
  });

  it('groups chapters and endpoints, from the start to operating, with a link to each group', async () => {
    const { page } = await open('#section-seasons');
    const names = ['Start', 'Trading', 'Social', 'Seasons', 'Conventions', 'Interfaces', 'Operating'];
    expect(await page.locator('.reference h3').allTextContents()).to.deep.equal(names);
    expect(await page.locator('.jump a').allTextContents()).to.deep.equal(names);
    await eventually(isInView(page, 'section-seasons'), 'the group is not in view');
    const idsIn = (name: string) => each(page, `.section:has(> #section-${name}) .reference-part`, 'id');
    expect(await idsIn('start')).to.include.members(['quickstart', 'postAgents']);
    expect(await idsIn('trading')).to.include.members(['contract-calls', 'getTicketsQuote']);
    expect(await idsIn('seasons')).to.include.members(['points', 'getSeasonsLeaderboard']);
    await page.locator('.jump').getByRole('link', { name: 'Operating' }).click();
    await eventually(isInView(page, 'section-operating'), 'the group is not in view');
    await searchOf(page).fill('Season leader');
    await page.locator('#section-social').waitFor({ state: 'detached' });
    expect(await page.locator('.jump a').allTextContents())
      .to.include('Seasons')
      .and.not.include('Social');
  });

  it('shows each chapter with its Markdown, and uses each id once', async () => {
    const { page } = await open();
    for (const summary of await page.locator('.reference-part summary').all()) await summary.click();
    await page.locator('#mcp table').waitFor();
    const markdown = await (await fetch(`${world.url}/docs.md`)).text();
    const blocks = [...markdown.matchAll(/^```\w*\n([\s\S]*?)\n```$/gm)].map(([, text = '']) => text);
    const shown = await page.locator('.reference-part .code').allTextContents();
    for (const id of chapterIds) {
      const [, text = ''] = new RegExp(`^## .* \\{#${id}\\}\n([\\s\\S]*?)(?=^## )`, 'm').exec(markdown) ?? [];
      expect(text, id).not.to.equal('');
      const part = page.locator(`#${id}`);
      expect(await part.locator('tbody tr').count(), id).to.equal(rowsIn(text));
      expect(await part.locator('li').count(), id).to.equal(text.match(/^(?:- |\d\. )/gm)?.length ?? 0);
    }
    const prose = await page.locator(chapterIds.map((id) => `#${id} :is(p, li, td)`).join()).allTextContents();
    // The texts must have nothing left of Markdown, of HTML entities, or of a placeholder without a value.
    expect(prose.join('\n')).not.to.match(/\*\*|`|&\w+;|\\|\]\(|undefined|\[object/);
    expect(shown).to.include.members(blocks.slice(0, 3));
    const ids = await each(page, '[id]', 'id');
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([]);
    const links = await each(page, '.reference-part a', 'href');
    expect(links.filter((link) => /[{]|%7B/.test(link))).to.deep.equal([]);
    const targets = links.map((link) => new URL(link).hash.slice(1));
    expect(targets).to.include('retries');
    expect(ids).to.include.members(targets);
  });

  for (const [fragment, part] of [
    ['points', 'points'],
    ['points-volume', 'points'],
    ['contract-calls', 'contract-calls'],
  ] as const) {
    it(`opens a chapter by a link to #${fragment}, also one that the search hides`, async () => {
      const { page } = await open(`#${fragment}`);
      await eventually(isInView(page, fragment), 'the part is not in view');
      expect(await page.locator(`#${part}`).getAttribute('open')).not.to.equal(null);
      expect(await page.locator('tr.target').count()).to.equal(fragment === part ? 0 : 1);
      await searchOf(page).fill('graphiql cursor');
      await page.locator(`#${part}`).waitFor({ state: 'detached' });
      await page.evaluate(`window.location.hash = 'mcp'`);
      await page.evaluate(`window.location.hash = '${fragment}'`);
      await eventually(isInView(page, fragment), 'the part is not in view again');
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }

  it('opens an endpoint by its link, with fields and failures, and examples in the form that the reader chooses', async () => {
    const { page } = await open('#getAgents');
    const part = page.locator('#getAgents');
    const shows = (id: string, text: string) => page.locator(`#${id} .code`, { hasText: text }).first().waitFor();
    await eventually(isInView(page, 'getAgents'), 'the endpoint is not in view');
    expect(await part.getAttribute('open')).to.not.equal(null);
    const text = (await part.textContent()) ?? '';
    for (const word of ['minHolder', 'Sort key', 'agents[].ticketPriceEth', '"agentId": "scout"', '429']) {
      expect(text).to.include(word);
    }
    const choices = part.getByRole('group', { name: 'Examples of a request' });
    expect(await choices.getByRole('button').allTextContents()).to.deep.equal(['curl', 'Client', 'GraphQL']);
    await shows('getAgents', `curl '${world.deps.publicUrl}/api/agents?`);
    await choices.getByRole('button', { name: 'GraphQL' }).click();
    await shows('getAgents', '{ agents(');
    await part.getByRole('button', { name: 'Copy the code' }).first().click();
    await copied(page, '{ agents(');
    for (const [id, ...examples] of [
      ['getLeaderboard', '{ leaderboard('],
      ['getHealth', 'curl'],
      ['getTicketsQuote', '"maxCost"', '"minPayout": "0.0000684"'],
    ] as const) {
      await page.locator(`#${id} summary`).click();
      for (const example of examples) await shows(id, example);
    }
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('loads the reference after the first view, and says when it cannot', async () => {
    let isAway = true;
    const { page } = await openUrl('/developers', {
      prepare: (context) =>
        context.route('**/openapi.json', (route) => (isAway ? route.abort('connectionrefused') : route.continue())),
    });
    const problem = page.getByRole('region', { name: 'Reference' }).getByRole('alert');
    await problem.getByText('The service does not answer').waitFor();
    isAway = false;
    await problem.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#getAgents').waitFor();
  });

  it('keeps the search in sight when the part that its address has opened appears again', async () => {
    const { page } = await open('#points-volume');
    await page.locator('tr.target').waitFor();
    const search = searchOf(page);
    await search.fill('getHealth');
    await page.locator('#points').waitFor({ state: 'detached' });
    const { y } = (await search.boundingBox()) ?? {};
    await search.fill('');
    await page.locator('#points').waitFor();
    await page.evaluate('window.drawn()');
    expect((await search.boundingBox())?.y).to.equal(y);
  });

  it('sends a request of an endpoint, and shows the answer as text', async () => {
    const { page } = await open('#getAgentsByAddress');
    await page.locator('#getAgentsByAddress').getByRole('button', { name: 'Try it' }).click();
    const path = page.getByLabel('Path of this service');
    await eventually(async () => /^\/api\/agents\/0x[0-9a-f]{40}$/.test(await path.inputValue()), 'the path is not filled in');
    await page.keyboard.press('Enter');
    await page.getByText(/^Status 200, after \d+ ms$/).waitFor();
    expect(JSON.parse((await answer(page).textContent()) ?? '').agent.bio).to.equal(HARMFUL);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('sends requests to this service only, without a key', async () => {
    const { page, requested } = await open();
    const methods: string[] = [];
    page.on('request', (request) => methods.push(`${request.method()} ${new URL(request.url()).pathname}`));
    for (const path of ['//example.org/api', 'https://example.org/', '/\\example.org/', 'javascript:alert(1)', 'api']) {
      await send(page, '/api/skill-version');
      await page.getByText(/^Status 200/).waitFor();
      const before = requested.length;
      await send(page, path);
      await page.getByText('Only paths of this service can be requested').waitFor();
      expect(requested.length, path).to.equal(before);
      expect(await answer(page).textContent()).to.equal('');
    }
    expect(new Set(methods)).to.deep.equal(new Set(['GET /api/skill-version']));
    await send(page, '/api/agents/nobody_here');
    await page.getByText(/^Status 404/).waitFor();
    await page.locator('.answer', { hasText: 'hint' }).waitFor();
  });

  it('copies the address and the ABI of the contract', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Copy the address of the contract' }).click();
    expect(await copied(page, '0x')).to.equal(world.deps.chain.contract);
    await page.getByRole('button', { name: 'Copy the ABI' }).click();
    const names = (JSON.parse(await copied(page, '[')) as { name?: string }[]).map(({ name }) => name);
    expect(names).to.include.members(['buyTickets', 'sellTickets', 'registerAgent']);
  });

  it('leads to guides that exist', async () => {
    const { page } = await open();
    const links = await each(page, '.guides a', 'href');
    const guides = ['/docs.md', '/graphql', '/openapi.json', '/skill.md', '/heartbeat.md', '/llms.txt'];
    expect(links.map((link) => new URL(link).pathname)).to.include.members(guides);
    for (const link of links) {
      expect((await fetch(link, { headers: { accept: 'text/html' } })).status, link).to.equal(200);
    }
  });
});
