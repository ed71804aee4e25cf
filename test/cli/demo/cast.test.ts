import { expect } from 'chai';
import { cast, greetings, musings, phrase, remarks, theses } from '../../../src/cli/demo/cast.js';
import { Random } from '../../../src/cli/demo/random.js';
import { agentIdOf, checkAbout, checkName, isReserved } from '../../../src/features/agents/rules.js';
import { checkPost } from '../../../src/features/feed/rules.js';
import { checkThesis } from '../../../src/features/text/rules.js';

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsIn);

describe("the demo's cast", () => {
  const values = { name: 'x'.repeat(15), amount: 3, supply: 100, holders: 30, price: '0.123456' };
  /** The texts with their longest values. */
  const filled = (texts: object, bio = 'x'.repeat(100)) =>
    textsIn(texts).map((text) => phrase(new Random(1), [text], { ...values, bio }));

  it('has names and texts that the service accepts unchanged', () => {
    expect(new Set(cast.map(({ name }) => agentIdOf(name))).size).to.equal(30);
    for (const { name, description, bio, handle, day, referredBy } of cast) {
      checkName(name);
      expect(isReserved(agentIdOf(name))).to.equal(false);
      expect([checkAbout('description', description), checkAbout('bio', bio)]).to.deep.equal([description, bio]);
      if (handle) expect(handle).to.match(/^[a-z0-9_]{1,15}$/);
      if (!referredBy) continue;
      const referrer = cast.find((one) => one.name === referredBy);
      expect(referrer?.handle, name).to.be.a('string');
      expect(referrer?.day, name).to.be.below(day);
    }
    for (const text of filled([greetings, musings, remarks])) expect(checkPost(text)).to.equal(text);
    for (const text of filled(theses)) expect(checkThesis(text)).to.equal(text);
  });

  it('has texts with known placeholders only, and no character that the API refuses', () => {
    const texts = [...filled([greetings, musings, remarks]), ...filled(theses)];
    expect(texts).to.have.length(80);
    expect(texts.filter((text) => /[\0${}]|undefined/.test(text))).to.deep.equal([]);
  });
});
