// CI: it cuts the live events of a client, which takes seconds.
import { expect } from 'chai';
import { Curvet, type CurvetOptions, NotFoundError } from '../../client/src/curvet.js';
import { syncFromHint } from '../../src/index/ingest.js';
import { newAgent, type TestAgent } from '../support/market/agents.js';
import { addListedAgent } from '../support/market/rows.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { patientClock } from './support/scripted.js';
import { clockOf, thrown } from './support/traders.js';

/**
 * A fetch whose streams the test can cut. After `cut`, requests wait until `mend`. `opened` counts the streams that the service
 * has accepted, and `processed` the chunks of the last one that the client has processed: it asks for the next chunk after that.
 */
function cuttable() {
  let cut = () => {};
  let mended = Promise.withResolvers<void>();
  mended.resolve();
  let [opened, asked] = [0, 0];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    await mended.promise;
    const response = await globalThis.fetch(input, init);
    const reader = response.body?.getReader();
    opened++;
    asked = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          cut = () => {
            mended = Promise.withResolvers();
            controller.error(new Error('cut'));
          };
        },
        async pull(controller) {
          asked++;
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) controller.close();
          else controller.enqueue(value as Uint8Array);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  };
  return { fetch, cut: () => cut(), mend: () => mended.resolve(), opened: () => opened, processed: () => asked - 1 };
}

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
    const error = await thrown(curvet.agents.get('nobody_here'));
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

  // test/clients/apollo.test.ts breaks the stream after an event, too.
  it('resumes live events after a break before the first event, without a loss or a duplicate', async () => {
    const line = cuttable();
    const { live } = new Curvet({ baseUrl: world.url, fetch: line.fetch, clock: clockOf(world) });
    const texts: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const { event } of live.feed()) if (event?.type === 'STATUS' && texts.push(event.text) === 2) break;
    })();
    // The first chunk is the position of the stream.
    await eventually(() => line.processed() === 1, 'the stream has no position');
    line.cut();
    await postAs('during the break');
    line.mend();
    await eventually(() => line.opened() === 2);
    await postAs('after the break');
    await reading;
    expect(texts).to.deep.equal(['during the break', 'after the break']);
  });

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

  it('throws when the position cannot be read, the events after it are forgotten, or the key is missing', async () => {
    const away = new Curvet({ ...service, baseUrl: 'http://127.0.0.1:1', retries: 1 });
    expect(await thrown(away.live.position())).to.include({ code: 'CONNECTION' });
    const forgotten = curvet.live.trades({ after: '999999999' }).next();
    expect(await thrown(forgotten)).to.include({ code: 'EVENTS_FORGOTTEN', status: 410 });
    expect(await thrown(new Curvet(service).live.notifications().next())).to.include({ code: 'MISSING_KEY' });
  });

  it('delivers trades, events and own notifications with the ids that REST shows', async () => {
    const bob = await newAgent(world);
    const done = new AbortController();
    const lines = [cuttable(), cuttable(), cuttable()] as const;
    const { signal } = done;
    const [trades, feed, own] = lines.map(({ fetch }) => new Curvet({ ...service, apiKey: ada.key, fetch }).live);
    const [trade, event, told] = [trades?.trades({ signal }), feed?.feed({ signal }), own?.notifications({ signal })];
    const first = Promise.all([trade?.next(), event?.next(), told?.next()]);
    // The service answers after it has subscribed the client.
    for (const line of lines) await eventually(() => line.opened() === 1, 'the stream is not open');
    await ada.trader.buy(ada.wallet, 1);
    await syncFromHint(world.deps);
    await new Curvet({ ...service, apiKey: bob.key }).agents.follow(ada.wallet);
    const shown = [
      await curvet.agents.trades(ada.wallet).take(1),
      await curvet.feed.list({ type: 'BOUGHT' }).take(1),
      await curvet.me.notifications().take(1),
    ];
    expect((await first).map((each) => each?.value?.id)).to.deep.equal(shown.map(([each]) => each?.id));
    expect(shown[2]?.[0]).to.include({ type: 'NEW_FOLLOWER' });
    done.abort();
  });
});
