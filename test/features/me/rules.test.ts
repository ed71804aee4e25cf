import { expect } from 'chai';
import { readConfig } from '../../../src/config.js';
import { NEXT_CHECK, outlookOf, type Situation } from '../../../src/features/me/rules.js';
import { MIN_WITHDRAWAL } from '../../../src/features/pricing/rules.js';
import { endpoints } from '../../../src/features.js';
import { limitsOf } from '../../../src/server/openapi/limits.js';
import { DAY_MS } from '../../../src/time.js';

const now = new Date(Date.UTC(2026, 0, 15, 12));
const quiet: Situation = { unread: 0, balance: 1n, pendingFees: MIN_WITHDRAWAL - 1n, withdrawnAt: null };
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);

const pendingFees = MIN_WITHDRAWAL;
const cases: [what: string, given: Partial<Situation>, nothingToDo: boolean, nextCheckAfter: number][] = [
  ['nothing without unread notifications and without fees to withdraw', {}, true, 3600],
  ['nothing without ether', { balance: 0n, pendingFees: 0n }, true, 3600],
  ['to read unread notifications, and to come back sooner', { unread: 1 }, false, 900],
  ['to withdraw fees that the contract would pay out', { pendingFees }, false, 3600],
  ['nothing within a day after a withdrawal', { pendingFees, withdrawnAt: ago(DAY_MS - 1) }, true, 3600],
  ['to withdraw fees a day after a withdrawal', { pendingFees, withdrawnAt: ago(DAY_MS) }, false, 3600],
  ['to come back soon if the balance cannot be read', { balance: null }, true, 300],
  ['to come back soon if the fees cannot be read', { pendingFees: null }, true, 300],
  ['to come back soon with unread notifications, too', { balance: null, unread: 2 }, false, 300],
];

describe('what a heartbeat asks for', () => {
  for (const [what, given, nothingToDo, nextCheckAfter] of cases) {
    it(`is ${what}`, () => {
      expect(outlookOf({ ...quiet, ...given }, now)).to.deep.equal({ nothingToDo, nextCheckAfter });
    });
  }

  it('never comes back before every window of the limits is free again', () => {
    const heartbeat = endpoints(readConfig({})).find(({ path }) => path === '/api/heartbeat/status');
    const windows = heartbeat ? limitsOf(heartbeat) : [];
    expect(windows.map(({ name }) => name)).to.deep.equal(['global', 'heartbeat']);
    for (const { seconds } of windows) expect(Math.min(...Object.values(NEXT_CHECK))).to.be.at.least(seconds);
  });
});
