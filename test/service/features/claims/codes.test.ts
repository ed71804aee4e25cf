import { expect } from 'chai';
import { AppError } from '../../../../src/errors/errors.js';
import { type CodeRequest, issueCode } from '../../../../src/features/claims/codes.js';
import { randomWallet } from '../../../support/market/rows.js';
import { seed, seeded } from '../../../support/seed.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('issuing verification codes', () => {
  const world = useWorld();
  const now = new Date('2026-03-01T00:00:00Z');
  const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  const next = seeded(seed);
  const anyBelow = (end: number) => Math.floor(next() * end);
  /** Issues a code. It has four characters, and `random` draws a number for each: 0 for A, 11 for L. */
  const issue = (random: (below: number) => number = anyBelow, given: Partial<CodeRequest> = {}) =>
    world.deps.write((tx) => {
      return issueCode(world.deps, tx, { wallet: randomWallet(), reuse: true, now, ...given }, random);
    });
  const free = (code: string, from: Date) =>
    runSql(world.deps, 'update issued_code set free_from = $1 where code = $2', [from, code]);

  it('gives a wallet the same code again, unless a new agent replaces the old one', async () => {
    const wallet = randomWallet();
    const first = await issue(anyBelow, { wallet });
    expect(await issue(anyBelow, { wallet, now: later(1) })).to.equal(first);
    const second = await issue(anyBelow, { wallet, reuse: false, now: later(2) });
    expect(second).not.to.equal(first);
    expect(await issue(anyBelow, { wallet, now: later(3) })).to.equal(second);
    expect(await issue()).not.to.equal(second);
  });

  it('gives an expired code to another wallet at its expiry, and then only to that wallet', async () => {
    const wallet = randomWallet();
    const code = await issue(() => 9, { wallet });
    await free(code, later(1000));
    // The first drawn code is still taken, so the second one is issued: four times 11.
    const draws = [9, 9, 9, 9];
    const next = () => draws.shift() ?? 11;
    expect(await issue(next, { now: later(999) })).to.equal('CURVET-LLLL');
    const heir = randomWallet();
    expect(await issue(() => 9, { wallet: heir, now: later(1000) })).to.equal(code);
    expect(await issue(anyBelow, { wallet, now: later(1000) })).not.to.equal(code);
    expect(await issue(() => 12, { now: later(2000) })).to.equal('CURVET-MMMM');
    expect(await issue(anyBelow, { wallet: heir, now: later(2000) })).to.equal(code);
  });

  it('gives an expired code to only one of two concurrent requests', async () => {
    for (let round = 0; round < 3; round++) {
      const code = await issue(() => 20 + round);
      await free(code, now);
      let other = 0;
      // The first eight numbers are shared by both requests. They make the expired code twice.
      const draw = () => (other++ < 8 ? 20 + round : anyBelow(36));
      const given = await Promise.all([issue(draw), issue(draw)]);
      expect(given).to.include(code);
      expect(new Set(given).size).to.equal(2);
    }
  });

  it('fails with CODES_EXHAUSTED, and logs an error, when no code is free', async () => {
    await issue(() => 0);
    const refused = await issue(() => 0).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AppError).with.property('code', 'CODES_EXHAUSTED');
    const lines = world.logged.filter(({ level }) => Number(level) > 30);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 50, msg: 'no free verification code was found: registration is refused' });
  });
});
