import { expect } from 'chai';
import { readConfig } from '../../../src/config.js';
import { NEXT_CHECK, outlookOf, type Situation } from '../../../src/features/me/rules.js';
import { MIN_WITHDRAWAL } from '../../../src/features/pricing/rules.js';
import { endpoints } from '../../../src/features.js';
import { limitsOf } from '../../../src/server/openapi/limits.js';
import { DAY_MS } from '../../../src/time.js';

const now = new Date(Date.UTC(2026, 0, 15, 12));
const quiet: Situation = { unread: 0, balance: 1n, pendingFees: MIN_WITHDRAWAL - 1n, withdrawnAt: null };
const outlook = (given: Partial<Situation>) => outlookOf({ ...quiet, ...given }, now);
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);

describe('what a heartbeat asks for', () => {
  it('is nothing without unread notifications and without fees to withdraw', () => {
    expect(outlook({})).to.deep.equal({ nothingToDo: true, nextCheckAfter: 3600 });
    expect(outlook({ balance: 0n, pendingFees: 0n }).nothingToDo).to.equal(true);
  });

  it('is to read unread notifications, and to come back sooner', () => {
    expect(outlook({ unread: 1 })).to.deep.equal({ nothingToDo: false, nextCheckAfter: 900 });
  });

  it('is to withdraw fees, as soon as the contract would pay them out', () => {
    const pendingFees = MIN_WITHDRAWAL;
    expect(outlook({ pendingFees })).to.deep.equal({ nothingToDo: false, nextCheckAfter: 3600 });
    expect(outlook({ pendingFees, withdrawnAt: ago(DAY_MS - 1) }).nothingToDo).to.equal(true);
    expect(outlook({ pendingFees, withdrawnAt: ago(DAY_MS) }).nothingToDo).to.equal(false);
  });

  it('is to come back soon if the chain cannot be read, also with unread notifications', () => {
    expect(outlook({ balance: null })).to.deep.equal({ nothingToDo: true, nextCheckAfter: 300 });
    expect(outlook({ pendingFees: null })).to.deep.equal({ nothingToDo: true, nextCheckAfter: 300 });
    expect(outlook({ balance: null, unread: 2 })).to.deep.equal({ nothingToDo: false, nextCheckAfter: 300 });
  });

  it('never comes back before every window of the limits is free again', () => {
    const heartbeat = endpoints(readConfig({})).find(({ path }) => path === '/api/heartbeat/status');
    const windows = heartbeat ? limitsOf(heartbeat) : [];
    expect(windows.map(({ name }) => name)).to.deep.equal(['global', 'heartbeat']);
    for (const { seconds } of windows) expect(Math.min(...Object.values(NEXT_CHECK))).to.be.at.least(seconds);
  });
});
