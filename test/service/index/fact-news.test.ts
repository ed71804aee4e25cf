import { expect } from 'chai';
import { catchUp } from '../../../src/index/ingest.js';
import { liveBounds, liveEvents } from '../../../src/live/log.js';
import { eventId, tradeKey } from '../../../src/values/trade.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import { useWorld } from '../../support/world.js';

// In seconds.
const MINUTE = 60;
const HOUR = 3600;

describe('live events of indexed trades', () => {
  const world = useWorld();
  let agent: TestAgent;
  let trader: TestAgent;
  let last = 0;

  const head = () => world.deps.chain.blockNumber();
  /**
   * Indexes the blocks up to `to`, in a process whose clock is ahead of the newest block by `seconds`.
   * Returns the ids of the trades that were announced.
   */
  const index = async (seconds = 0, to?: number): Promise<string[]> => {
    const newest = await head();
    const time = (await world.deps.chain.blockTime(newest)) as Date;
    const deps = { ...world.deps, clock: { now: () => new Date(time.getTime() + seconds * 1000) } };
    expect(await catchUp(deps, to ?? newest)).to.equal(true);
    const events = await liveEvents(deps, last, 1000);
    last += events.length;
    const subjects = (of: string) => events.filter(({ topic }) => topic === of).map(({ subject }) => String(subject));
    // The trader has a profile, so each announced trade notifies the agent.
    expect(subjects('notification')).to.have.length(subjects('trade').length);
    return subjects('trade');
  };
  const buy = async (): Promise<string> => {
    const { hash } = await trader.trader.buy(agent.wallet, 1);
    return eventId(tradeKey(hash, 0));
  };
  /** Advances the clock by some seconds, and mines a block. */
  const mineAfter = async (seconds: number) => {
    world.clock.advance(seconds * 1000);
    await world.chain.provider.send('evm_mine', []);
  };

  before(async () => {
    [agent, trader] = [await newAgent(world), await newAgent(world)];
    expect(await catchUp(world.deps, await head())).to.equal(true);
    last = (await liveBounds(world.deps)).last;
  });

  for (const [name, seconds] of [
    ['right', 0],
    ['an hour ahead', HOUR + MINUTE],
    ['a day ahead', 25 * HOUR],
    ['an hour behind', -HOUR - MINUTE],
    ['a day behind', -25 * HOUR],
  ] as const) {
    it(`are sent once per new trade, and not for a backfill, if the clock of the process is ${name}`, async () => {
      const trades = [await buy(), await buy()];
      expect(await index(seconds)).to.deep.equal(trades);
      expect(await index(seconds)).to.deep.equal([]);
      await buy();
      await mineAfter(HOUR + MINUTE);
      expect(await index(seconds)).to.deep.equal([]);
    });
  }

  it('are sent for the first trade after hours without a block', async () => {
    world.clock.advance(5 * HOUR * 1000);
    const trade = await buy();
    expect(await index()).to.deep.equal([trade]);
  });

  it('are sent only for the last hour of the chain after an outage', async () => {
    await buy();
    await mineAfter(30 * MINUTE);
    const recent = await buy();
    await mineAfter(45 * MINUTE);
    const newest = await buy();
    expect(await index()).to.deep.equal([recent, newest]);
  });

  it('depend on the newest block of the chain, not on the last block of the range', async () => {
    await buy();
    const block = await head();
    await mineAfter(HOUR + MINUTE);
    expect(await index(0, block)).to.deep.equal([]);
    const later = await buy();
    expect(await index()).to.deep.equal([later]);
  });
});
