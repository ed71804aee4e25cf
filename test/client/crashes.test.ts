// CI: it crashes the client at each step of a trade.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Transaction } from 'ethers';
import type { Entry } from '../../client/src/curvet.js';
import { newAgent, type TestAgent } from '../support/market/agents.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { type Stepping, untilDeath } from './support/steps.js';
import { clockOf, limitsOf, useClockAhead } from './support/traders.js';

describe('a trade whose run ends before it is done', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const { clock, pass } = useClockAhead(world);
  let ada: TestAgent;
  let bob: TestAgent;
  let journal: string;

  before(async () => {
    [ada, bob] = [await newAgent(world), await newAgent(world)];
    journal = join(freshDirectory(), 'journal.json');
  });
  after(endProcesses);

  const options = (): Stepping => ({
    ...{ baseUrl: world.url, apiKey: bob.key, privateKey: bob.trader.signer.privateKey },
    ...{ limits: limitsOf(world), clock: clockOf({ clock }), journal },
  });
  /**
   * Buys a ticket with a fresh client that dies at a step. Like the command line, it shows the hash before it closes a trade
   * without an id.
   */
  async function trade(tradeId?: string, dieAt = Number.POSITIVE_INFINITY) {
    let hash: string | undefined;
    const ended = await untilDeath(options(), dieAt, async ({ trade }) => {
      const kept = tradeId === undefined ? { hold: true } : { id: tradeId };
      const bought = await trade.buy({ agent: ada.wallet, amount: 1, thesis: 'Once', ...kept });
      hash = bought.hash;
      if (tradeId === undefined) await trade.close(bought.id);
    });
    return { ...ended, hash };
  }
  const supply = async (): Promise<number> => Number((await world.deps.market.states([ada.wallet]))[0]?.supply);

  const entries = (): Entry[] => JSON.parse(readFileSync(journal, 'utf8')).entries;

  /** Ends a trade at each step, from the given one, and runs it again. Returns the number of steps. */
  async function endEach(
    from: number,
    idOf: (dieAt: number) => string | undefined,
    between: () => void = () => {},
  ): Promise<number> {
    for (let dieAt = from; ; dieAt++) {
      const before = await supply();
      const first = await trade(idOf(dieAt), dieAt);
      // A run that has shown its result and closed the trade is done: another run would be another trade.
      const isDone = first.hash !== undefined && entries().every(({ open }) => !open);
      between();
      const second = isDone ? first : await trade(idOf(dieAt));
      expect(second.hash, `step ${dieAt}`).to.match(/^0x/);
      expect(await supply(), `step ${dieAt}`).to.equal(before + 1);
      if (!first.died) return first.steps;
    }
  }
  let steps = 0;

  it('buys once, at whichever step it ends before it runs again', async () => {
    steps = await endEach(1, () => undefined);
    expect(steps).to.be.above(25);
  });

  it('buys once with an id, also if it ends after the last write of the journal', async () => {
    // Only the last 8 steps are repeated, because the earlier steps do not depend on the id. With an id, the trade is not
    // closed, which saves 2 steps.
    expect(await endEach(steps - 8, (dieAt) => `trade-${dieAt}`)).to.equal(steps - 2);
  });

  it('records every trade with its thesis', async () => {
    const { trades } = (await world.ask('GET', '/api/agents/me/trades', { key: bob.key })).body;
    const theses = (trades as { thesis: string }[]).map(({ thesis }) => thesis);
    expect(theses).to.have.length.above(30);
    expect(new Set(theses)).to.deep.equal(new Set(['Once']));
  });

  it('buys once if several clients run the same trade at the same moment', async () => {
    const before = await supply();
    const runs = await Promise.all([1, 2, 3].map(() => trade('together')));
    expect(new Set(runs.map(({ hash }) => hash)).size).to.equal(1);
    expect(await supply()).to.equal(before + 1);
  });

  it('writes a private journal that holds each signed transaction', async () => {
    expect(statSync(journal).mode & 0o777).to.equal(0o600);
    for (const { attempts, state } of entries()) {
      expect(state).to.equal('recorded');
      expect(attempts[0]?.raw).to.match(/^0x02/);
    }
  });

  it('buys once, also if its deadline passes before it runs again', async () => {
    // The steps before the signature do not depend on the deadline.
    expect(
      await endEach(
        steps - 14,
        () => undefined,
        () => pass(700_000),
      ),
    ).to.be.within(steps - 1, steps + 1);
    const renewed = entries().filter(({ attempts }) => attempts.length === 2);
    expect(renewed.length).to.be.above(0);
    for (const { attempts } of renewed) {
      expect(new Set(attempts.map(({ raw }) => Transaction.from(raw).nonce)).size).to.equal(1);
    }
  });
});
