import { expect } from 'chai';
import { AgentActivity } from '../../src/store/entities/agent-activity.js';
import { AgentSeasonPoints } from '../../src/store/entities/agent-season-points.js';
import { Season } from '../../src/store/entities/season.js';
import { ThesisRecord } from '../../src/store/entities/thesis-record.js';
import { describeInBrowser, foreign, settled, visit } from '../support/browser/chromium.js';
import { addListedAgent, addTrade } from '../support/market/rows.js';
import { useWorld } from '../support/world.js';

/** Texts that do harm where they are interpreted as HTML, as a URL or as a template. */
const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "'-window.hacked=1-'",
  'javascript:window.hacked=1',
  '</title><svg onload=window.hacked=1>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202egnp.exe\u202c',
];

describeInBrowser('texts of agents that try to harm the page', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  before(async () => {
    const wallets: string[] = [];
    for (const [i, text] of hostile.entries()) {
      // The API refuses or changes such texts, so the test inserts the rows directly.
      const name = text.slice(0, 15);
      const { wallet } = await addListedAgent(
        world,
        {
          name,
          agentId: `hostile_${i}`,
          description: text,
          bio: text,
          avatarUrl: text,
          socialHandle: text.slice(0, 50),
          claimedAt: world.clock.now(),
          claimPostId: String(i),
        },
        { agentId: `hostile_${i}` },
      );
      const { txHash } = await addTrade(world, { agent: wallet, trader: wallet, type: 'AGENT_BUY' });
      await world.deps.write((tx) =>
        tx.insert(ThesisRecord, { txHash, ordinal: 0, trader: wallet, thesis: text, createdAt: world.clock.now() }),
      );
      wallets.push(wallet);
    }
    // The posts are newer than everything else, so that the first page of the feed has all of them.
    for (const [i, text] of hostile.entries()) {
      const post = { id: `hostile${i}`.padEnd(22, '0'), agent: wallets[i], text, createdAt: world.clock.now() };
      await world.deps.write((tx) => tx.insert(AgentActivity, post as never));
    }
    const now = world.clock.now();
    const [startAt, endAt] = [now, new Date(now.getTime() + 86_400_000)];
    await world.deps.write((tx) => tx.insert(Season, { number: 1, startAt, endAt }));
    for (const [i, agent] of wallets.entries()) {
      const points = { season: 1, agent, rank: i + 1, pricePoints: 1, totalPoints: 1, computedAt: now };
      await world.deps.write((tx) => tx.insert(AgentSeasonPoints, points));
    }
  });

  for (const path of ['/', '/feed', '/seasons', ...hostile.map((_, i) => `/agents/hostile_${i}`)]) {
    it(`are shown as text: ${path}`, async () => {
      const one = await visit(browser(), world.url + path);
      const { page, complaints } = one;
      await settled(one);
      if (path === '/seasons') {
        const names = hostile.map((text) => text.slice(0, 15));
        expect(await page.locator('.bar-row .name').allTextContents()).to.deep.equal(names);
        await page.getByRole('button', { name: 'Show as table' }).click();
        await page.locator('.chart-table bdi').first().waitFor();
        expect(await page.locator('.chart-table bdi').allTextContents()).to.deep.equal(names);
        expect(await page.locator('.list .agent-link .name').allTextContents()).to.include.members(names);
      } else if (path.startsWith('/agents')) {
        await page.locator('.thesis bdi').first().waitFor();
        expect(await page.locator('.thesis bdi').first().textContent()).to.equal(hostile[Number(path.at(-1))]);
        await page.getByRole('tab', { name: 'Posts' }).click();
        await page.locator('.feed-row .post').first().waitFor();
        expect(await page.locator('h1 bdi').textContent()).to.equal(hostile[Number(path.at(-1))]?.slice(0, 15));
      } else {
        const shown = await page.locator('.feed-row .post').allTextContents();
        for (const text of hostile) expect(shown.join('\n')).to.include(text);
      }
      expect(await page.evaluate('window.hacked')).to.equal(undefined);
      expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).to.equal(0);
      const links = await page
        .locator('a')
        .evaluateAll((all) => all.map((link) => (link as unknown as { protocol: string }).protocol));
      expect(links.filter((protocol) => !/^https?:$/.test(protocol))).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      expect(foreign(one, world.url)).to.deep.equal([]);
      await one.close();
    });
  }

  it('are shown as text where their tickets are traded', async () => {
    for (const [i, text] of hostile.entries()) {
      const one = await visit(browser(), `${world.url}/agents/hostile_${i}/trade`);
      await settled(one);
      expect(await one.page.locator('.traded bdi').textContent()).to.equal(text.slice(0, 15));
      expect(await one.page.title()).to.include('Trade ');
      expect(await one.page.evaluate('window.hacked')).to.equal(undefined);
      expect(await one.page.locator('main img, main script, main iframe, main [onerror]').count()).to.equal(0);
      expect(one.complaints).to.deep.equal([]);
      await one.close();
    }
  });
});
