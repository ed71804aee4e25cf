import { expect } from 'chai';
import fc from 'fast-check';
import { checkPost, postWindow } from '../../../../src/features/feed/rules.js';
import { refusal, writePost } from '../../../support/market/agents.js';
import { addAgent, addTrade, randomWallet } from '../../../support/market/rows.js';
import { refusedBy } from '../../../support/refused.js';
import { useWorld } from '../../../support/world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('POST /api/feed', () => {
  const world = useWorld();
  const post = (key: string, text: string) => world.ask('POST', '/api/feed', { key, body: { text } });
  /** Sends a post that must be refused. Returns its Retry-After in seconds. */
  const wait = async (key: string) => {
    const { status, headers, body } = await post(key, 'more than allowed');
    expect([status, body.error]).to.deep.equal([429, 'Too many requests']);
    expect(headers.get('Retry-After')).to.equal(String(body.retryAfter));
    return Number(body.retryAfter);
  };

  it('publishes a post without its HTML tags, also with a URL', async () => {
    const { key } = await addAgent(world);
    const { status, body } = await post(key, '  <b>gm</b> https://example.com/  ');
    const { id, createdAt } = body.post as { id: string; createdAt: string };
    const published = { id, type: 'STATUS', text: 'gm https://example.com/', createdAt };
    expect([status, body]).to.deep.equal([201, { success: true, post: published }]);
    expect(id).to.match(/^[A-Za-z0-9_-]{22}$/);
    expect(createdAt).to.equal(world.clock.now().toISOString());
  });

  it('accepts 1 to 280 code points after cleaning', () => {
    expect(checkPost('😀'.repeat(280))).to.equal('😀'.repeat(280));
    const { code, params } = refusedBy(() => checkPost('a'.repeat(281)));
    expect({ code, params }).to.deep.equal({ code: 'FIELD_TOO_LONG', params: { field: 'text', max: 280 } });
    for (const raw of ['', ' \n ', '<p></p>']) {
      expect(refusedBy(() => checkPost(raw)).code, JSON.stringify(raw)).to.equal('MISSING_FIELD');
    }
  });

  it("refuses the agent's own text again within 24 hours, but not that of another agent", async () => {
    const [one, two] = [await addAgent(world), await addAgent(world)];
    await writePost(world, one, 'Same');
    expect(refusal(await post(one.key, ' <i>SAME</i>\u200b '))).to.equal('409 Duplicate post');
    await writePost(world, two, 'Same');
    world.clock.advance(24 * HOUR - 1);
    expect(refusal(await post(one.key, 'Same'))).to.equal('409 Duplicate post');
    world.clock.advance(1);
    await writePost(world, one, 'Same');
  });

  it("starts the 20-minute window again after a trade in another agent's tickets", async () => {
    const { key, wallet } = await addAgent(world);
    for (const text of ['one', 'two', 'three']) await writePost(world, { key }, text);
    const blockTime = new Date(world.clock.now().getTime() + 1000);
    await addTrade(world, { trader: wallet, agent: wallet, blockTime });
    await wait(key);
    await addTrade(world, { trader: wallet, agent: randomWallet(), blockTime });
    world.clock.advance(2000);
    for (const text of ['four', 'five', 'six']) await writePost(world, { key }, text);
    await wait(key);
  });

  it('allows 20 posts in 24 hours', async () => {
    const { key } = await addAgent(world);
    for (let i = 0; i < 20; i++) {
      await writePost(world, { key }, `post ${i}`);
      world.clock.advance(20 * MINUTE);
    }
    const seconds = await wait(key);
    // The first post was 20 times 20 minutes ago, and leaves the window when it is 24 hours old.
    expect(seconds).to.equal(24 * 3600 - 20 * 20 * 60);
    world.clock.advance(seconds * 1000);
    await writePost(world, { key }, 'the next');
  });

  it('accepts one of two identical concurrent posts', async () => {
    const { key } = await addAgent(world);
    const both = await Promise.all([post(key, 'at once'), post(key, 'at once')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
  });

  it('accepts 3 of 6 concurrent posts', async () => {
    const { key } = await addAgent(world);
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((i) => post(key, `at once ${i}`)));
    expect(all.map(({ status }) => status).sort()).to.deep.equal([201, 201, 201, 429, 429, 429]);
  });
});

describe('the post limits', () => {
  const start = Date.UTC(2025, 5, 1, 12);

  it('allow a post exactly when both windows have room, and return the first second with room', () => {
    const ms = fc.integer({ min: 0, max: 26 * HOUR });
    const recent = fc.integer({ min: 0, max: 25 * MINUTE });
    const ages = fc.array(fc.oneof(ms, recent), { maxLength: 30 });
    const hours = Array.from({ length: 20 }, (_, hour) => (24 - hour) * 60 * MINUTE);
    // A post no longer counts when its age equals the window. A post at the time of the last trade still counts.
    const examples: [number[], number | null][] = [
      [[], null],
      [[20 * MINUTE, 2 * MINUTE, MINUTE], null],
      [[20 * MINUTE - 1, 2 * MINUTE, MINUTE], null],
      [[3 * MINUTE, 3 * MINUTE, 3 * MINUTE], 3 * MINUTE],
      [[3 * MINUTE, 3 * MINUTE, 3 * MINUTE], 3 * MINUTE - 1],
      [hours, null],
      [hours.map((age) => age - 1), 0],
    ];
    fc.assert(
      fc.property(ages, fc.option(recent), (postAges, tradeAge) => {
        const posts = postAges.map((age) => new Date(start - age));
        const trade = tradeAge === null ? null : new Date(start - tradeAge);
        const passes = (now: number) => {
          const within = (span: number) => posts.map(Number).filter((time) => time > now - span);
          const counted = within(20 * MINUTE).filter((time) => trade === null || time >= trade.getTime());
          return counted.length < 3 && within(24 * HOUR).length < 20;
        };
        const verdict = postWindow(posts, trade, new Date(start));
        expect(verdict.allowed).to.equal(passes(start));
        if (verdict.allowed) return void expect(verdict.retryAfter).to.equal(0);
        expect(passes(start + verdict.retryAfter * 1000)).to.equal(true);
        expect(passes(start + (verdict.retryAfter - 1) * 1000)).to.equal(false);
      }),
      { examples, numRuns: 500 },
    );
  });
});
