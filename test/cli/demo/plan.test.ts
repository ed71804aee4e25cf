import { expect } from 'chai';
import { cast, greetings, musings, remarks, theses } from '../../../src/cli/demo/cast.js';
import { calendar, planMarket } from '../../../src/cli/demo/plan.js';
import { avatarUrlOf } from '../../../src/cli/demo/stage.js';
import { Allowance } from '../../../src/cli/demo/turns.js';
import { agentIdOf, checkAbout, checkAvatarUrl, checkName, isReserved } from '../../../src/features/agents/rules.js';
import { checkPost, postWindow } from '../../../src/features/feed/rules.js';
import { checkThesis } from '../../../src/features/text/rules.js';

describe("the demo's plan", () => {
  const plan = planMarket();

  it('is deterministic', () => {
    expect(planMarket()).to.deep.equal(plan);
  });

  it('has names and texts that the service accepts unchanged', () => {
    expect(new Set(cast.map(({ name }) => agentIdOf(name))).size).to.equal(30);
    for (const { name, description, bio, handle, referredBy } of cast) {
      checkName(name);
      expect(isReserved(agentIdOf(name))).to.equal(false);
      expect(checkAvatarUrl(avatarUrlOf(name))).to.equal(avatarUrlOf(name));
      expect([checkAbout('description', description), checkAbout('bio', bio)]).to.deep.equal([description, bio]);
      if (handle) expect(handle).to.match(/^[a-z0-9_]{1,15}$/);
      if (referredBy) expect(cast.find((one) => one.name === referredBy)?.handle, name).to.be.a('string');
    }
    const posts = plan.flatMap((one) => (one.kind === 'post' ? [one.text] : []));
    for (const text of [...posts, ...musings]) expect(checkPost(text)).to.equal(text);
    for (const one of plan) {
      if (one.kind === 'trade' && one.thesis !== null) expect(checkThesis(one.thesis)).to.equal(one.thesis);
    }
    // The post texts must not contain characters that REST and GraphQL refuse, because live agents send these texts.
    expect(posts.filter((text) => /[\0$\x7b]/.test(text))).to.deep.equal([]);
  });

  it('has texts with known placeholders only', () => {
    const placeholders = (texts: object) => new Set(JSON.stringify(texts).match(/\{\w+\}/g));
    expect([...placeholders(greetings)]).to.deep.equal(['{bio}']);
    const used = [...placeholders([remarks, theses, musings])].sort();
    expect(used).to.deep.equal(['{holders}', '{name}', '{price}', '{supply}', '{tickets}']);
  });

  it('stays within the post limits on a short current day', () => {
    for (const now of ['00:00:01', '00:20:00', '23:59:59'].map((time) => new Date(`2026-11-20T${time}Z`))) {
      const when = calendar(now);
      const times = new Map<string, Date[]>();
      for (const one of plan) {
        if (one.kind !== 'post') continue;
        const earlier = times.get(one.agent.name) ?? [];
        expect(postWindow(earlier, null, when(one.at)).allowed, one.agent.name).to.equal(true);
        times.set(one.agent.name, [...earlier, when(one.at)]);
      }
    }
  });

  it('has no trade from 01:00 to midnight of yesterday, so 24-hour figures cover only today', () => {
    const trades = plan.filter(({ kind }) => kind === 'trade').map(({ at }) => at / 3_600_000);
    expect(trades.filter((hour) => hour >= 13 * 24 + 1 && hour < 14 * 24)).to.deep.equal([]);
    expect(trades.filter((hour) => hour >= 14 * 24)).to.have.length.above(15);
  });

  it('keeps its order at any current time', () => {
    for (const now of ['00:00:01', '11:11:11'].map((time) => new Date(`2026-11-20T${time}Z`))) {
      const times = plan.map(({ at }) => calendar(now)(at).getTime());
      expect(times).to.deep.equal([...times].sort((a, b) => a - b));
      expect(times.at(-1)).to.be.at.most(now.getTime());
      expect(times[0]).to.be.at.least(Date.parse('2026-11-06T00:00:00Z'));
    }
  });
});

describe('the request allowance of a live agent', () => {
  const accepted = (milliseconds: number, step: number): number[] => {
    const allowance = new Allowance();
    const times: number[] = [];
    for (let now = 1; now <= milliseconds; now += step) {
      if (!allowance.allows('trade', now)) continue;
      allowance.spend('trade', now);
      times.push(now);
    }
    return times;
  };

  it('stays below the rate limits of trades in every window', () => {
    const times = accepted(3 * 3_600_000, 1000);
    const within = (seconds: number) =>
      Math.max(...times.map((end) => times.filter((one) => one <= end && one > end - seconds * 1000).length));
    expect([within(60), within(3600)]).to.deep.equal([4, 14]);
  });

  it('is zero while the agent rests', () => {
    const allowance = new Allowance();
    allowance.rest(60, 1000);
    expect([60_999, 61_000].map((now) => allowance.allows('like', now))).to.deep.equal([false, true]);
  });
});
