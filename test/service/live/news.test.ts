import { expect } from 'chai';
import { catchUp } from '../../../src/index/ingest.js';
import { reconcile } from '../../../src/index/reorg.js';
import { announce, lockLiveCursor, sweepEvents } from '../../../src/live/announce.js';
import { liveBounds, liveEvents, settledSequence } from '../../../src/live/log.js';
import { sqlIn } from '../../../src/store/sql.js';
import { eventId, registrationKey, tradeKey } from '../../../src/values/trade.js';
import { serverUrl } from '../../support/database.js';
import { askAs, claim, newAgent, tradeOnChain, writePost } from '../../support/market/agents.js';
import { addAgent, randomWallet } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import { seed, seeded } from '../../support/seed.js';
import { runSql, untilLocked } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

/** Stores the record of a trade directly, also before the index knows the trade. Over the API, this can only happen in a race. */
const RECORD = 'insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, 0, $2, $3, $4)';

describe('live events', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const index = async () => expect(await catchUp(world.deps, await world.deps.chain.blockNumber())).to.equal(true);

  let last = 0;
  /**
   * The live events since the last call, as texts with topic, subject, agent and supply, such as `trade <id> <wallet> 4`. `no`
   * before the topic marks a removal. The sequence numbers must have no gaps.
   */
  const news = async (): Promise<string[]> => {
    const events = await liveEvents(world.deps, last, 1000);
    expect(events.map(({ sequence }) => sequence)).to.deep.equal(events.map((_, i) => last + 1 + i));
    last += events.length;
    return events.map(({ topic, removed, subject, agent, supply }) =>
      [removed ? 'no' : '', topic, subject ?? '', agent, supply ?? ''].filter(Boolean).join(' '),
    );
  };
  /** Announces a post as if it was announced some hours ago. */
  const tell = (hours = 0) => {
    const at = new Date(world.clock.now().getTime() - hours * 3_600_000);
    return world.deps.write((tx) => announce(tx, [{ topic: 'post', subject: 'x', agent: randomWallet() }], at));
  };
  const registration = (wallet: string) => eventId(registrationKey(wallet));

  it('announce a registration once, whether its profile or its index entry comes first', async () => {
    const early = await newTrader(world.chain);
    await early.register('Early');
    await index();
    expect(await news()).to.deep.equal([]);
    // The wallet has registered on the chain, so `newAgent` must not do it again.
    await newAgent(world, { trader: { ...early, register: async () => null as never }, name: 'Early' });
    expect(await news()).to.deep.equal([`registration ${registration(early.wallet)} ${early.wallet} 1`]);
    const { wallet, register } = await newTrader(world.chain);
    await register('Later');
    await addAgent(world, { wallet, name: 'Later' });
    await index();
    expect(await news()).to.deep.equal([`registration ${registration(wallet)} ${wallet} 1`]);
  });

  it('announce trades, posts and notifications of each agent', async () => {
    const [agent, trader] = [await newAgent(world), await newAgent(world)];
    await index();
    await news();
    const bought = await trader.trader.buy(agent.wallet, 3);
    const sold = await trader.trader.sell(agent.wallet, 1);
    const own = await agent.trader.buy(agent.wallet, 1);
    await index();
    const notices = await world.deps.sql<{ id: number }>('select id from notification order by id');
    const ids = notices.slice(-2).map(({ id }) => id);
    const trade = (hash: string) => eventId(tradeKey(hash, 0));
    const told = await news();
    expect(told.filter((line) => line.startsWith('trade'))).to.deep.equal([
      `trade ${trade(bought.hash)} ${agent.wallet} 4`,
      `trade ${trade(sold.hash)} ${agent.wallet} 3`,
      `trade ${trade(own.hash)} ${agent.wallet} 4`,
    ]);
    expect(told.filter((line) => !line.startsWith('trade'))).to.deep.equal(ids.map((id) => `notification ${id} ${agent.wallet}`));
    const id = await writePost(world, agent, 'Hello there.');
    // Only the first like causes a notification: neither its repetition nor another like after it was withdrawn.
    for (const liked of [true, true, false, true]) await askAs(world, trader, 'POST', `/api/feed/${id}/like`, { liked });
    const [like] = await world.deps.sql<{ id: number }>("select id from notification where type = 'POST_LIKED'");
    expect(await news()).to.deep.equal([`post ${id} ${agent.wallet}`, `notification ${like?.id} ${agent.wallet}`]);
  });

  it("announce the removal of the last day's feed events when an agent is deleted", async () => {
    const agent = await newAgent(world);
    await index();
    await writePost(world, agent, 'Yesterday.');
    world.clock.advance(25 * 3_600_000);
    const today = await writePost(world, agent, 'Today.');
    await news();
    await askAs(world, agent, 'DELETE', `/api/agents/${agent.wallet}`);
    expect(await news()).to.deep.equal([`no feed ${today} ${agent.wallet}`, `no profile ${agent.wallet}`]);
  });

  it('retract what a reorg undid, send the valid price and announce the new trade', async () => {
    const [agent, trader] = [await newAgent(world), await newTrader(world.chain)];
    await trader.buy(agent.wallet, 2);
    await index();
    await claim(world, agent);
    await news();
    const { hash } = await trader.buy(agent.wallet, 5);
    const late = await newTrader(world.chain);
    await late.register('Late');
    await addAgent(world, { wallet: late.wallet, name: 'Late' });
    await index();
    const [trade, registered, notice] = await news();
    expect(trade).to.equal(`trade ${eventId(tradeKey(hash, 0))} ${agent.wallet} 8`);
    // Replaces the last two blocks, with the trade and the registration of `Late`, by empty ones. 'gone': a block that the chain
    // does not have was replaced, and is not just late.
    await world.chain.provider.send('anvil_reorg', [2, []]);
    await world.chain.provider.send('anvil_mine', ['0x3']);
    await reconcile(world.deps, 'gone');
    expect(await news()).to.deep.equal(
      // A removal has no supply.
      [`no ${trade}`, `no ${registered}`, `no ${notice}`].map((line) => line.replace(/ \d$/, '')).concat(`price ${agent.wallet} 3`),
    );
    const again = await trader.buy(agent.wallet, 5);
    await index();
    expect((await news())[0]).to.equal(`trade ${eventId(tradeKey(again.hash, 0))} ${agent.wallet} 8`);
  });

  it('announce the reason of a trade once, when both are known', async () => {
    const [agent, trader] = [await newAgent(world), await newAgent(world)];
    await index();
    await news();
    const about = async () => (await news()).filter((line) => !line.includes('notification'));
    const [first, second, third] = [
      await tradeOnChain(trader, 'buy', agent, 1),
      await tradeOnChain(trader, 'buy', agent, 1),
      await tradeOnChain(trader, 'buy', agent, 1),
    ];
    const id = ({ txHash }: { txHash: string }) => eventId(tradeKey(txHash, 0));
    const trades = (supplies: number[]) =>
      [first, second, third].map((trade, i) => `trade ${id(trade)} ${agent.wallet} ${supplies[i]}`);
    // The records of two trades were stored before the index had read the trades: one with a reason, one without.
    for (const [{ txHash }, thesis] of [
      [first, 'early'],
      [second, null],
    ] as const) {
      await runSql(world.deps, RECORD, [txHash, trader.wallet, thesis, world.clock.now().toISOString()]);
    }
    await index();
    expect(await about()).to.deep.equal([...trades([2, 3, 4]), `thesis ${id(first)} ${agent.wallet}`]);
    await askAs(world, trader, 'POST', '/api/tickets/buy', { ...third, thesis: 'late' });
    expect(await about()).to.deep.equal([`thesis ${id(third)} ${agent.wallet}`]);
    // Replaces the block of the third trade by an empty one.
    await world.chain.provider.send('anvil_reorg', [1, []]);
    await world.chain.provider.send('anvil_mine', ['0x2']);
    await reconcile(world.deps, 'gone');
    expect(await about()).to.deep.equal([
      `no trade ${id(third)} ${agent.wallet}`,
      `no thesis ${id(third)} ${agent.wallet}`,
      `price ${agent.wallet} 3`,
    ]);
  });

  it('announce a reason that is recorded while the index reads its trade', async function () {
    if (serverUrl === undefined) this.skip();
    const [agent, trader] = [await newAgent(world), await newAgent(world)];
    await index();
    await news();
    const { txHash } = await tradeOnChain(trader, 'buy', agent, 1);
    let indexing: Promise<unknown> | undefined;
    await world.deps.write(async (tx) => {
      const values = [txHash, trader.wallet, 'now', world.clock.now().toISOString()];
      await sqlIn(tx)(RECORD, values);
      // This transaction has the lock that the index needs for its announcements. So the index reads the trade while the record is
      // not yet committed, and looks for the record only when it is.
      await lockLiveCursor(tx);
      indexing = index();
      await untilLocked(world.deps);
    });
    await indexing;
    expect(await news()).to.include(`thesis ${eventId(tradeKey(txHash, 0))} ${agent.wallet}`);
  });

  it('are stored for a day, without gaps', async () => {
    await runSql(world.deps, 'delete from live_event');
    const before = await liveBounds(world.deps);
    expect(before).to.deep.equal({ forgotten: last, last });
    // The third event comes from a replica whose clock is behind, so it is older than the event before it.
    for (const hours of [25, 23, 24.5, 1, 0]) await tell(hours);
    expect(await liveBounds(world.deps)).to.deep.equal({ forgotten: last + 1, last: last + 5 });
    await sweepEvents(world.deps);
    expect(await liveBounds(world.deps)).to.deep.equal({ forgotten: last + 3, last: last + 5 });
    expect((await liveEvents(world.deps, 0, 10)).map(({ sequence }) => sequence)).to.deep.equal([last + 4, last + 5]);
    last += 5;
  });

  it('are settled after 20 seconds, or earlier if they are forgotten', async () => {
    // Number of events since the beginning of this test that every list must show by now, so that a list and the events after it
    // lack nothing.
    const settled = async () => (await settledSequence(world.deps)) - last;
    world.clock.advance(20_000);
    await tell();
    world.clock.advance(19_000);
    await tell();
    expect(await settled(), 'no event is settled').to.equal(0);
    world.clock.advance(1_000);
    expect(await settled(), 'the first is').to.equal(1);
    world.clock.advance(19_000);
    expect(await settled(), 'both are').to.equal(2);
    world.clock.advance(25 * 3_600_000);
    await tell();
    expect(await settled(), 'both are forgotten').to.equal(2);
    await runSql(world.deps, 'delete from live_event');
    expect(await settled(), 'all are forgotten').to.equal(3);
    last += 3;
  });

  it('are numbered in the order of commits, without gaps, under concurrent writes and rollbacks', async function () {
    // The embedded database runs one transaction at a time, so nothing is concurrent there.
    if (serverUrl === undefined) this.skip();
    const random = seeded(seed);
    const below = (end: number) => Math.floor(random() * end);
    // 300 transactions. Each announces 1 to 3 events between up to 6 empty statements, which mix the order of the commits.
    const plans = Array.from({ length: 300 }, () => ({ events: 1 + below(3), before: below(5), after: below(3) }));
    let written = 0;
    let done = false;
    const write = async (n: number, { events, before, after }: (typeof plans)[number]): Promise<void> => {
      const subjects = Array.from({ length: events }, (_, i) => `${n} ${i}`);
      const announced = subjects.map((subject) => ({ topic: 'post' as const, subject, agent: randomWallet() }));
      await world.deps.write(async (tx) => {
        for (let i = 0; i < before; i++) await tx.execute('select');
        await announce(tx, announced, world.clock.now());
        for (let i = 0; i < after; i++) await tx.execute('select');
        // Every fifth transaction is rolled back: 60 of 300.
        if (n % 5 === 0) throw new Error('on purpose');
      });
      written += events;
    };
    // The reader asks only for events after the last sequence number that it has seen.
    // So it would miss an event with a lower number.
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      while (!done || (await liveEvents(world.deps, seen.at(-1) ?? last, 1)).length > 0) {
        seen.push(...(await liveEvents(world.deps, seen.at(-1) ?? last, 7)).map(({ sequence }) => sequence));
      }
    };
    const reading = read();
    // 16 writers and the reader fit into the pool of 20 connections, so no writer waits for a connection.
    const numbered = plans.entries();
    const results: PromiseSettledResult<void>[] = [];
    const writer = async () => {
      for (const [n, plan] of numbered) results.push(...(await Promise.allSettled([write(n, plan)])));
    };
    await Promise.all(Array.from({ length: 16 }, writer));
    done = true;
    await reading;
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(60);
    expect(seen).to.deep.equal(Array.from({ length: written }, (_, i) => last + 1 + i));
  });
});
