import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type HDNodeWallet, Transaction } from 'ethers';
import { Curvet, type Entry, type Journal, type JournalFile } from '../../../client/src/curvet.js';
import { fileJournal } from '../../../client/src/node.js';
import { clockOf, limitsOf, useClockAhead, useNamedWorld } from '../../support/client/traders.js';
import { freshName, newAgent, type TestAgent } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { endProcesses, eventually, freshDirectory } from '../../support/service/process.js';

// The steps of a client are numbered from 1. There is one before and one after each request, signature and write of the journal.

type Runner = { readonly signer: HDNodeWallet; readonly apiKey?: string; readonly path: string };

class Death extends Error {}

describe('a client that repeats a trade or registration', () => {
  const world = useNamedWorld();
  const { clock, pass } = useClockAhead(world);
  let ada: TestAgent;
  let bob: TestAgent;
  let journal: string;

  before(async () => {
    [ada, bob] = [await newAgent(world), await newAgent(world)];
    journal = join(freshDirectory(), 'journal.json');
  });
  after(endProcesses);

  /**
   * Runs `work` with a client that dies at the step `dieAt`: nothing of the client runs after it, and the lock of its journal ends,
   * as the system ends the lock of a dead process. Returns the number of steps, and whether the client died.
   */
  async function untilDeath(
    { path, signer, apiKey }: Runner,
    dieAt: number,
    work: (curvet: Curvet) => Promise<unknown>,
  ): Promise<{ readonly steps: number; readonly died: boolean }> {
    let steps = 0;
    const dead = Promise.withResolvers<never>();
    const reach = async (): Promise<void> => {
      steps++;
      if (steps < dieAt) return;
      dead.reject(new Death());
      await new Promise(() => {});
    };
    const around = async <T>(act: () => Promise<T>): Promise<T> => {
      await reach();
      const done = await act();
      await reach();
      return done;
    };
    const file = fileJournal(path);
    let unlocked: Promise<unknown> = Promise.resolve();
    const journal: Journal = {
      exclusive(work) {
        const stepped = (inner: JournalFile) => work({ ...inner, write: (entries) => around(() => inner.write(entries)) });
        const run = file.exclusive((inner) => Promise.race([stepped(inner), dead.promise]));
        unlocked = run.catch(() => undefined);
        return run;
      },
    };
    // The chain answers before it mines. The client would then poll, and the number of its steps would depend on the machine.
    const fetchMined: typeof fetch = async (input, init) => {
      const answer = await around(() => globalThis.fetch(input, init));
      const { result } = String(init?.body).includes('eth_sendRawTransaction') ? await answer.clone().json() : {};
      if (result) await eventually(async () => (await world.chain.provider.getTransactionReceipt(result)) !== null);
      return answer;
    };
    const curvet = new Curvet({
      clock: clockOf({ clock }),
      baseUrl: world.url,
      apiKey,
      limits: limitsOf(world),
      journal,
      fetch: fetchMined,
      signer: {
        address: signer.address,
        signTransaction: (transaction) => around(() => signer.signTransaction(transaction)),
        signMessage: (message: string) => around(() => signer.signMessage(message)),
      },
    });
    try {
      await Promise.race([work(curvet), dead.promise]);
      return { steps, died: false };
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      await unlocked;
      return { steps, died: true };
    }
  }

  /**
   * Buys a ticket with a new client that dies at the step `dieAt`. Like the command line, it shows the hash before it closes a
   * trade that has no id.
   */
  async function trade(tradeId?: string, dieAt = Number.POSITIVE_INFINITY) {
    let hash: string | undefined;
    const runner = { signer: bob.trader.signer, apiKey: bob.key, path: journal };
    const ended = await untilDeath(runner, dieAt, async ({ trade }) => {
      const kept = tradeId === undefined ? { hold: true } : { id: tradeId };
      const bought = await trade.buy({ agent: ada.wallet, amount: 1, thesis: 'Once', confidence: 80, ...kept });
      hash = bought.hash;
      if (tradeId === undefined) await trade.close(bought.id);
    });
    return { ...ended, hash };
  }
  const supply = async (): Promise<number> => Number((await world.deps.chain.states([ada.wallet]))[0]?.supply);

  const entries = (): Entry[] => JSON.parse(readFileSync(journal, 'utf8')).entries;

  /** Ends a trade at each step from `from` on, and runs it again. Expects one purchase each time. Returns the number of steps. */
  async function endEach(from: number, more: { readonly named?: true; between?(): void } = {}): Promise<number> {
    for (let dieAt = from; ; dieAt++) {
      const before = await supply();
      const id = more.named && `trade-${dieAt}`;
      const first = await trade(id, dieAt);
      // A run that has shown its result and closed the trade is done. Another run would be another trade, so there is none.
      const isDone = first.hash !== undefined && entries().every(({ open }) => !open);
      more.between?.();
      const second = isDone ? first : await trade(id);
      expect(second.hash, `step ${dieAt}`).to.match(/^0x/);
      expect(await supply(), `step ${dieAt}`).to.equal(before + 1);
      if (!first.died) return first.steps;
    }
  }
  let steps = 0;

  it('buys once, at whichever step its first run ends', async () => {
    steps = await endEach(1);
    // If the steps were not counted, the test would crash the client too rarely.
    expect(steps).to.be.above(25);
  });

  it('buys once with an id, also if its first run ends after the last write of the journal', async () => {
    // Only the last 8 steps are repeated, because the earlier steps do not depend on the id. With an id, the trade is not
    // closed, which saves 2 steps.
    expect(await endEach(steps - 8, { named: true })).to.equal(steps - 2);
  });

  it('records every trade with its thesis and its confidence', async () => {
    const listed = async (list: string) => (await world.ask('GET', `/api/agents/me/${list}?limit=50`, { key: bob.key })).body[list];
    const theses = (await listed('theses')) as { thesis: string; confidence: number }[];
    expect(theses)
      .to.have.length.above(30)
      .and.have.length(((await listed('trades')) as object[]).length);
    expect(new Set(theses.map(({ thesis, confidence }) => `${thesis} ${confidence}`))).to.deep.equal(new Set(['Once 80']));
  });

  it('buys once if other clients run the same trade at the same moment', async () => {
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

  it('buys once, also if the deadline passes between the two runs', async () => {
    // Only the last 14 steps are repeated, because the steps before the signature do not depend on the deadline.
    const count = await endEach(steps - 14, { between: () => pass(700_000) });
    expect(count).to.equal(steps);
    const renewed = entries().filter(({ attempts }) => attempts.length === 2);
    expect(renewed.length).to.be.above(0);
    for (const { attempts } of renewed) {
      expect(new Set(attempts.map(({ raw }) => Transaction.from(raw).nonce)).size).to.equal(1);
    }
  });

  it('gets an API key that works, at whichever step the first run of its registration ends', async () => {
    const directory = freshDirectory();
    for (let dieAt = 1; ; dieAt++) {
      const name = freshName();
      const runner = { signer: (await newTrader(world.chain)).signer, path: join(directory, `${dieAt}.json`) };
      let key = '';
      const register = async (curvet: Curvet) => {
        const { id, apiKey } = await curvet.register({ name, hold: true });
        key = apiKey;
        await curvet.trade.close(id);
      };
      const { died, steps: count } = await untilDeath(runner, dieAt, register);
      if (key === '') await untilDeath(runner, Number.POSITIVE_INFINITY, register);
      const { status, body } = await world.ask('GET', '/api/agents/me', { key });
      expect(status, `step ${dieAt}`).to.equal(200);
      expect(body.agent).to.have.property('name', name);
      if (died) continue;
      expect(count).to.be.above(25);
      const { entries } = JSON.parse(readFileSync(runner.path, 'utf8')) as { entries: Entry[] };
      // After the registration, the journal contains neither the API key nor the request that would return it again.
      expect(entries.map(({ state, open, request, result }) => ({ state, open, request, result }))).to.deep.equal([
        { state: 'recorded', open: false, request: undefined, result: undefined },
      ]);
      return;
    }
  });
});
