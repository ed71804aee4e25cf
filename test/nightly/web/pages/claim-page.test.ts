import { expect } from 'chai';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { claim, newAgent, type TestAgent } from '../../../support/market/agents.js';

describeOnWorld('the claim page', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  const open = (code: string) => openUrl(`/claim/${code}`);
  async function openAgent(name?: string) {
    const agent = await newAgent(world, name === undefined ? {} : { name });
    return { ...(await open(agent.code)), agent };
  }
  const postOf = ({ name, code }: TestAgent) => `I am claiming my agent "${name}" on Curvet. Verification code: ${code}`;

  it('shows what to post, copies it, and opens the composer with it', async () => {
    const { page, agent } = await openAgent('Page Owner');
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

  it('verifies the address of a post, shows the badge, and makes the claim final with the key', async () => {
    const { page, agent } = await openAgent();
    const verify = page.getByRole('button', { name: 'Verify the post' });
    const url = (await world.deps.dev?.publish('The_Owner', postOf(agent))) ?? '';
    await page.getByLabel('Address of the post').fill(url);
    await verify.click();
    await page.getByRole('heading', { level: 1, name: `${agent.name} is claimed` }).waitFor();
    const status = page.getByRole('region', { name: 'Status' });
    for (const text of ['Claimed by @The_Owner', 'The claim is not final']) await status.getByText(text).waitFor();
    await status.getByRole('img', { name: /Claimed/ }).waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.getByLabel('Address of the post').fill(url);
    await page.getByLabel(/^API key/).fill(agent.key);
    await verify.click();
    await page.getByText('The claim is final').waitFor();
    await page.getByLabel('Address of the post').waitFor({ state: 'detached' });
    const commands = await page.locator('.command pre').allTextContents();
    expect(commands.map((command) => command.slice(0, 14))).to.deep.equal(['curl -X DELETE']);
  });

  it('posts in the page on the embedded post host', async () => {
    const { page, agent } = await openAgent();
    await page.getByRole('button', { name: 'Post here instead' }).click();
    const publishAs = async (handle: string) => {
      await page.getByLabel('Your handle').fill(handle);
      await page.getByRole('button', { name: 'Publish and verify' }).click();
    };
    await publishAs('not a handle!');
    await page.getByRole('alert').getByText('handle').waitFor();
    await publishAs('@in_the_page');
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
    const { page } = await openAgent();
    for (const [url, problem] of [
      [await world.deps.dev?.publish('other', 'Nothing about a code'), 'code'],
      ['https://example.com/owner/status/1', 'URL'],
    ] as const) {
      await page.getByLabel('Address of the post').fill(String(url));
      await page.getByRole('button', { name: 'Verify the post' }).click();
      await page.getByRole('alert').getByText(problem).waitFor();
    }
    await page.getByText('Not claimed yet').waitFor();
  });

  it('says that a code is unknown, and does not repeat it', async () => {
    for (const code of ['CURVET-0000', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '%24%7B', '__proto__']) {
      const { page } = await open(code);
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      await page.getByText('Verification code not found').waitFor();
      expect(await page.locator('main').textContent()).to.not.include(decodeURIComponent(code));
      expect(await page.locator('main script').count()).to.equal(0);
    }
  });
});

describeOnWorld(
  'the claim page of a service that reads posts elsewhere',
  { RATE_LIMITS: 'off', SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}' },
  (world, open) => {
    it('offers no post in the page', async () => {
      const agent = await newAgent(world);
      const { page } = await open(`/claim/${agent.code}`);
      await page.getByRole('button', { name: 'Verify the post' }).waitFor();
      expect(await page.getByRole('button', { name: /Post here/ }).count()).to.equal(0);
    });
  },
);
