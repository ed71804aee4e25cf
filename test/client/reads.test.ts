// CI: it cuts the live events of a client, which takes seconds.
import { expect } from 'chai';
import { Curvet, type CurvetOptions, NotFoundError } from '../../client/src/curvet.js';
import { syncFromHint } from '../../src/index/hint.js';
import { newAgent, type TestAgent } from '../support/market/agents.js';
import { addListedAgent } from '../support/market/rows.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { cuttable } from './support/cuttable.js';
import { patientClock } from './support/scripted.js';
import { clockOf } from './support/traders.js';

describe('the client on the service', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let curvet: Curvet;
  let service: CurvetOptions;

  before(async () => {
    ada = await newAgent(world);
    for (let i = 0; i < 25; i++) await addListedAgent(world, { name: `Listed ${i}` });
    service = { baseUrl: world.url, clock: patientClock };
    curvet = new Curvet({ ...service, apiKey: ada.key });
  });

  it('iterates over all pages of a list', async () => {
    const names = await Array.fromAsync(curvet.agents.list({ limit: 10 }), ({ name }) => name);
    expect(names).to.have.length(26);
    expect(new Set(names).size).to.equal(26);
    expect((await curvet.agents.list({ limit: 10 }).page()).pagination).to.include({ total: 26, totalPages: 3 });
    expect(await curvet.agents.list({ limit: 10 }).take(12)).to.have.length(12);
  });

  it('pages through the feed by id', async () => {
    for (let i = 0; i < 3; i++) {
      await curvet.feed.post(`Post number ${i}`);
      world.clock.advance(1000);
    }
    const texts = await Array.fromAsync(curvet.feed.list({ limit: 2, type: 'STATUS' }), (event) =>
      event.type === 'STATUS' ? event.text : '',
    );
    expect(texts).to.deep.equal(['Post number 2', 'Post number 1', 'Post number 0']);
  });

  it('sets follows and likes, so that a repeated call changes nothing', async () => {
    const bob = await newAgent(world);
    for (let i = 0; i < 2; i++)
      expect(await curvet.agents.follow(bob.wallet)).to.include({ following: true, followerCount: 1 });
    expect(await Array.fromAsync(curvet.agents.following(), ({ id }) => id)).to.deep.equal([bob.wallet]);
    expect(await curvet.agents.unfollow(bob.wallet)).to.include({ following: false, followerCount: 0 });
  });

  it('throws the class and the code of an error', async () => {
    const error = await curvet.agents.get('nobody_here').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(NotFoundError);
    expect(error).to.include({ code: 'AGENT_NOT_FOUND', status: 404, name: 'NotFoundError' });
    expect((error as NotFoundError).requestId).to.match(/^[0-9a-f-]{36}$/);
    expect((error as NotFoundError).hint).to.not.equal('');
  });

  /** The posts are of different agents, because an agent may post only a few times. */
  async function postAs(text: string): Promise<void> {
    const { key } = await newAgent(world);
    await new Curvet({ ...service, apiKey: key }).feed.post(text);
  }

  for (const cutAt of ['before the first event', 'after the first event']) {
    it(`resumes live events after a break ${cutAt}, without a loss or a duplicate`, async () => {
      const line = cuttable();
      const live = new Curvet({ baseUrl: world.url, fetch: line.fetch, clock: clockOf(world) }).live;
      const done = new AbortController();
      const texts: (string | undefined)[] = [];
      const reading = (async () => {
        for await (const { event } of live.feed({ signal: done.signal })) {
          if (event?.type === 'STATUS') texts.push(event.text);
          if (texts.length === 3) done.abort();
        }
      })();
      // The first chunk is the position of the stream.
      await eventually(() => line.processed() === 1, 'the stream has no position');
      if (cutAt.startsWith('after')) {
        await postAs(`first ${cutAt}`);
        await eventually(() => texts.length === 1);
      }
      line.cut();
      if (cutAt.startsWith('before')) await postAs(`first ${cutAt}`);
      await postAs(`second ${cutAt}`);
      await eventually(() => line.opened() === 2);
      await postAs(`third ${cutAt}`);
      await reading;
      expect(texts).to.deep.equal([`first ${cutAt}`, `second ${cutAt}`, `third ${cutAt}`]);
    });
  }

  it('delivers what happens after a position that was read before a list', async () => {
    const { live } = new Curvet(service);
    // Older events are not delivered again. An answer could lack the newer ones.
    world.clock.advance(20_000);
    await curvet.feed.post('just before the position was read');
    const after = await live.position();
    await curvet.feed.post('between the list and its events');
    const texts = [];
    for await (const { event } of live.feed({ after })) if (texts.push(event?.text) === 2) break;
    expect(texts).to.deep.equal(['just before the position was read', 'between the list and its events']);
  });

  it('throws when the position cannot be read', async () => {
    const { live } = new Curvet({ ...service, baseUrl: 'http://127.0.0.1:1', retries: 1 });
    expect(await live.position().catch((error: unknown) => error)).to.include({ code: 'CONNECTION' });
  });

  it('throws when the events after a position are forgotten, or the key is missing', async () => {
    const forgotten = curvet.live.trades({ after: '999999999' }).next();
    expect(await forgotten.catch((error: unknown) => error)).to.include({ code: 'EVENTS_FORGOTTEN', status: 410 });
    const keyless = new Curvet(service).live.notifications().next();
    expect(await keyless.catch((error: unknown) => error)).to.include({ code: 'MISSING_KEY' });
  });

  it('delivers notifications of the own agent, with the id that REST shows', async () => {
    const done = new AbortController();
    const line = cuttable();
    const own = new Curvet({ ...service, apiKey: ada.key, fetch: line.fetch });
    const first = own.live.notifications({ signal: done.signal }).next();
    // The service answers after it has subscribed the client.
    await eventually(() => line.opened() === 1, 'the stream is not open');
    const { key } = await newAgent(world);
    await new Curvet({ ...service, apiKey: key }).agents.follow(ada.wallet);
    const { value } = await first;
    expect(value?.notification).to.include({ type: 'NEW_FOLLOWER' });
    const [listed] = await own.me.notifications().take(1);
    expect(value?.id).to.equal(listed?.id);
    done.abort();
  });

  it('delivers trades and events with the ids that REST shows', async () => {
    const done = new AbortController();
    const lines = [cuttable(), cuttable()] as const;
    const [trades, feed] = lines.map(({ fetch }) => new Curvet({ ...service, fetch }).live);
    const [trade, event] = [trades?.trades({ signal: done.signal }).next(), feed?.feed({ signal: done.signal }).next()];
    for (const line of lines) await eventually(() => line.opened() === 1, 'the stream is not open');
    await ada.trader.buy(ada.wallet, 1);
    await syncFromHint(world.deps);
    const [listed] = await curvet.agents.trades(ada.wallet).take(1);
    const [shown] = await curvet.feed.list({ type: 'BOUGHT' }).take(1);
    expect((await trade)?.value?.id).to.equal(listed?.id);
    expect((await event)?.value?.id).to.equal(shown?.id);
    done.abort();
  });
});
