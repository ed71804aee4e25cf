// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import { describeInBrowser, foreign, type Visit } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { claim, newAgent, type TestAgent } from '../../support/market/agents.js';
import { runSql } from '../../support/store.js';
import { ask, useWorld } from '../../support/world.js';

describeInBrowser('the claim page', (browser) => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser, () => `${world.url}/claim/`);
  const open = (code: string) =>
    openUrl(code, { prepare: (context) => context.grantPermissions(['clipboard-read', 'clipboard-write']) });
  const openAgent = async (name?: string): Promise<Visit & { readonly agent: TestAgent }> => {
    const agent = await newAgent(world, name === undefined ? {} : { name });
    return { ...(await open(agent.code)), agent };
  };
  const postOf = ({ name, code }: TestAgent) =>
    `I am claiming my agent "${name}" on Curvet. Verification code: ${code}`;

  it('shows what to post, copies it, and opens the composer with it', async () => {
    const { page, agent, ...one } = await openAgent('Page Owner');
    await page.getByRole('heading', { level: 1, name: 'Claim Page Owner' }).waitFor();
    expect(await page.title()).to.equal('Claim Page Owner · Curvet');
    expect(await page.locator('.post-text').textContent()).to.equal(postOf(agent));
    await page.getByRole('button', { name: /^Copy the text to post/ }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(postOf(agent));
    const composer = page.getByRole('link', { name: 'Open the composer on X' });
    const url = new URL((await composer.getAttribute('href')) ?? '');
    expect([url.origin, url.searchParams.get('text')]).to.deep.equal(['https://x.com', postOf(agent)]);
    expect(await composer.getAttribute('rel')).to.equal('noreferrer');
    await page.getByText('Not claimed yet').waitFor();
    await page.getByText(agent.wallet).waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    expect(one.complaints).to.deep.equal([]);
    expect(foreign({ ...one, page }, world.url)).to.deep.equal([]);
  });

  it('shows the commands that verify with and without the key, and the one that drops a claim', async () => {
    const { page, agent } = await openAgent();
    const commands = await page.locator('.command pre').allTextContents();
    expect(commands.map((command) => command.includes('x-api-key: $KEY'))).to.deep.equal([true, false, true]);
    for (const command of commands.slice(0, 2)) {
      expect(command).to.include(`curl -X POST ${world.url}/api/agents/verify`).and.include(agent.code);
    }
    expect(commands[2]).to.equal(`curl -X DELETE ${world.url}/api/agents/me/claim -H "x-api-key: $KEY"`);
  });

  it('verifies the address of a post, and shows the badge', async () => {
    const { page, agent, complaints } = await openAgent();
    const url = (await world.deps.dev?.publish('The_Owner', postOf(agent))) ?? '';
    await page.getByLabel('Address of the post').fill(url);
    await page.getByRole('button', { name: 'Verify the post' }).click();
    await page.getByRole('heading', { level: 1, name: `${agent.name} is claimed` }).waitFor();
    const status = page.getByRole('region', { name: 'Status' });
    expect(await status.textContent())
      .to.include('Claimed by @The_Owner')
      .and.include('The claim is not final');
    await status.getByRole('img', { name: /Claimed/ }).waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('confirms the claim with the key, after which it is final', async () => {
    const { page, agent } = await openAgent();
    const url = await claim(world, agent, 'The_Owner');
    await page.getByText('The claim is not final').waitFor();
    await page.getByLabel('Address of the post').fill(url);
    await page.getByLabel(/^API key/).fill(agent.key);
    await page.getByRole('button', { name: 'Verify the post' }).click();
    await page.getByText('The claim is final').waitFor();
    await page.getByLabel('Address of the post').waitFor({ state: 'detached' });
    const commands = await page.locator('.command pre').allTextContents();
    expect(commands).to.have.length(1);
    expect(commands[0]).to.include('curl -X DELETE');
  });

  it('posts in the page on the embedded post host', async () => {
    const agent = await newAgent(world);
    const { page } = await open(agent.code);
    await page.getByRole('button', { name: 'Post here instead' }).click();
    await page.getByLabel('Your handle').fill('not a handle!');
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByRole('alert').getByText('handle').waitFor();
    await page.getByLabel('Your handle').fill('@in_the_page');
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByRole('heading', { level: 1, name: `${agent.name} is claimed` }).waitFor();
    expect(await page.getByRole('region', { name: 'Status' }).textContent()).to.include('@in_the_page');
  });

  it('follows a claim that is made elsewhere', async () => {
    const { page, agent } = await openAgent();
    await claim(world, agent, 'Elsewhere', agent.key);
    await page.getByText('The claim is final').waitFor();
    await page.getByRole('heading', { level: 1, name: `${agent.name} is claimed` }).waitFor();
  });

  it('says why a post does not count', async () => {
    const { page, agent } = await openAgent();
    const verify = async (url: string) => {
      await page.getByLabel('Address of the post').fill(url);
      await page.getByRole('button', { name: 'Verify the post' }).click();
    };
    await verify((await world.deps.dev?.publish('other', 'Nothing about a code')) ?? '');
    await page.getByRole('alert').getByText('code').waitFor();
    await verify('https://example.com/owner/status/1');
    await page.getByRole('alert').getByText('URL').waitFor();
    await page.getByText('Not claimed yet').waitFor();
    expect(agent.code).to.match(/^CURVET-/);
  });

  it('says that a code is unknown, and does not repeat it', async () => {
    for (const code of ['CURVET-0000', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '%24%7B', '__proto__']) {
      const { page, complaints } = await open(code);
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      await page.getByText('Verification code not found').waitFor();
      expect(await page.locator('main').textContent()).to.not.include(decodeURIComponent(code));
      expect(await page.locator('main script').count()).to.equal(0);
      expect(complaints).to.deep.equal([]);
    }
  });

  it('shows hostile names and handles as text', async () => {
    const { agent } = await openAgent();
    await claim(world, agent, 'The_Owner');
    const name = '<b>&amp;</b>';
    const handle = `"><script>hacked=1</script>'&`;
    await runSql(world.deps, 'update agent set social_handle = $1, name = $2 where wallet = $3', [
      handle,
      name,
      agent.wallet,
    ]);
    const one = await open(agent.code);
    expect(await one.page.locator('h1').textContent()).to.equal(`${name} is claimed`);
    expect(await one.page.getByRole('region', { name: 'Status' }).textContent()).to.include(`@${handle}`);
    expect(await one.page.locator('main script, main b').count()).to.equal(0);
    expect(await one.page.evaluate('window.hacked')).to.equal(undefined);
    expect(one.complaints).to.deep.equal([]);
  });
});

describeInBrowser('the claim page of a service that reads posts elsewhere', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off', SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}' });

  const open = useVisits(browser, () => world.url);

  it('offers no post in the page', async () => {
    const agent = await newAgent(world);
    const { page } = await open(`/claim/${agent.code}`);
    await page.getByRole('button', { name: 'Verify the post' }).waitFor();
    expect(await page.getByRole('button', { name: /Post here/ }).count()).to.equal(0);
    const posted = await ask(world.url, 'POST', '/dev/posts', { body: { handle: 'owner', text: agent.code } });
    expect(posted.status).to.equal(404);
  });
});
