import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Transaction } from 'ethers';
import type { Entry } from '../../client/src/curvet.js';
import { fileJournal } from '../../client/src/node.js';
import { newAgent, type TestAgent } from '../support/market/agents.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { type Run, runChild } from './support/children.js';
import { limitsOf, thrown } from './support/traders.js';

describe('a trade whose process is killed', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;
  let journal: string;

  before(async () => {
    [ada, bob] = [await newAgent(world), await newAgent(world)];
    journal = join(freshDirectory(), 'journal.json');
  });
  after(endProcesses);

  const trade = (env: Record<string, string>): Promise<Run> =>
    runChild('killed-trade.js', {
      ...{ BASE_URL: world.url, API_KEY: bob.key, AGENT: ada.wallet, JOURNAL: journal },
      ...{ PRIVATE_KEY: bob.trader.signer.privateKey, LIMITS: JSON.stringify(limitsOf(world)), ...env },
    });
  const purchases = async (): Promise<number> => {
    const { trades } = (await world.ask('GET', '/api/agents/me/trades', { key: bob.key })).body;
    return (trades as { thesis: string }[]).length;
  };
  const supply = async (): Promise<number> => Number((await world.deps.market.states([ada.wallet]))[0]?.supply);

  const entries = (): Entry[] => JSON.parse(readFileSync(journal, 'utf8')).entries;

  /** Kills a trade at each step, from the given one, and runs it again. Returns the number of steps. */
  async function killEach(
    from: number,
    env: (killAt: number) => Record<string, string>,
    between: () => void = () => {},
  ): Promise<number> {
    for (let killAt = from; ; killAt++) {
      const before = await supply();
      const first = await trade({ ...env(killAt), KILL_AT: String(killAt) });
      // A run that has printed its result and closed the trade is done: another run would be another trade.
      const isDone = first.stdout !== '' && entries().every(({ open }) => !open);
      between();
      const second = isDone ? first : await trade(env(killAt));
      expect(second.stdout, `step ${killAt}`).to.match(/^bought 0x/);
      expect(await supply(), `step ${killAt}`).to.equal(before + 1);
      if (first.killed) continue;
      expect(first.code).to.equal(3);
      return killAt - 1;
    }
  }
  let steps = 0;

  it('buys once, at whichever step the process is killed before it runs again', async () => {
    steps = await killEach(1, () => ({}));
    expect(steps).to.be.above(25);
  });

  it('buys once with an id, also if it is killed after the last write of the journal', async () => {
    // Only the last 8 steps are repeated, because the earlier steps do not depend on the id. With an id, the program
    // does not close the trade, which saves 2 steps.
    expect(await killEach(steps - 8, (killAt) => ({ TRADE_ID: `trade-${killAt}` }))).to.equal(steps - 2);
  });

  it('records every trade with its thesis', async () => {
    const { trades } = (await world.ask('GET', '/api/agents/me/trades', { key: bob.key })).body;
    expect(await purchases()).to.be.above(30);
    expect(new Set((trades as { thesis: string }[]).map(({ thesis }) => thesis))).to.deep.equal(new Set(['Once']));
  });

  it('buys once if two processes run the same trade at the same moment', async () => {
    const before = await supply();
    const runs = await Promise.all([1, 2, 3].map(() => trade({ TRADE_ID: 'together' })));
    expect(new Set(runs.map(({ stdout }) => stdout)).size).to.equal(1);
    expect(await supply()).to.equal(before + 1);
  });

  it('writes a private journal that holds each signed transaction', async () => {
    expect(statSync(journal).mode & 0o777).to.equal(0o600);
    for (const { attempts, state } of entries()) {
      expect(state).to.equal('recorded');
      expect(attempts[0]?.raw).to.match(/^0x02/);
    }
  });

  it('refuses a journal that another process uses', async () => {
    const path = join(freshDirectory(), 'busy.json');
    let release = () => {};
    let holding: Promise<void> | undefined;
    await new Promise<void>((locked) => {
      holding = fileJournal(path).exclusive(() => {
        locked();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      });
    });
    const error = await thrown(fileJournal(path, { busyMs: 200 }).exclusive(async () => 1));
    expect(error).to.include({ code: 'JOURNAL_BUSY' });
    release();
    await holding;
    expect(await fileJournal(path).exclusive(async () => 1)).to.equal(1);
  });

  it('buys once, also if its deadline passes before it runs again', async () => {
    let shift = 0;
    const pass = () => {
      world.clock.advance(700_000);
      shift += 700_000;
    };
    // The steps before the signature do not depend on the deadline.
    expect(await killEach(steps - 14, () => ({ CLOCK_SHIFT: String(shift) }), pass)).to.be.within(steps - 1, steps + 1);
    const renewed = entries().filter(({ attempts }) => attempts.length === 2);
    expect(renewed.length).to.be.above(0);
    for (const { attempts } of renewed) {
      expect(new Set(attempts.map(({ raw }) => Transaction.from(raw).nonce)).size).to.equal(1);
    }
  });
});
