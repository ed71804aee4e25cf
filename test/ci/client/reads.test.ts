import { expect } from 'chai';
import { Curvet, type CurvetOptions } from '../../../client/src/curvet.js';
import { syncFromHint } from '../../../src/index/ingest.js';
import { patientClock } from '../../support/client/scripted.js';
import { thrown } from '../../support/client/traders.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import { addListedAgent, addTrade } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

describe('the client on a service with rate limits', () => {
  const world = useWorld();

  it('knows the tightest rate limit of the last answer', async () => {
    const curvet = new Curvet({ baseUrl: world.url, clock: patientClock, retries: 0 });
    expect(curvet.rateLimit).to.equal(undefined);
    await curvet.agents.list().page();
    // An address may read the list of agents 10 times in a minute, and send 20 requests in all.
    const { reset, ...first } = curvet.rateLimit ?? {};
    expect(first).to.deep.equal({ name: 'agents', limit: 10, remaining: 9 });
    expect(reset).to.be.within(1, 60);
    await curvet.agents.availability('Someone');
    expect(curvet.rateLimit).to.include({ name: 'global', limit: 20, remaining: 18 });
    for (let left = 8; left >= 0; left--) {
      await curvet.agents.list().page();
      expect(curvet.rateLimit).to.include({ name: 'agents', remaining: left });
    }
    expect(await thrown(curvet.agents.list().page())).to.include({ code: 'RATE_LIMITED' });
    expect(curvet.rateLimit).to.include({ name: 'agents', remaining: 0 });
  });
});

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
    // Ada and the 25 listed agents.
    expect(names).to.have.length(26);
    expect(new Set(names).size).to.equal(26);
    expect((await curvet.agents.list({ limit: 10 }).page()).pagination).to.include({ total: 26, totalPages: 3 });
    expect(await curvet.agents.list({ limit: 10 }).take(12)).to.have.length(12);
  });

  it('ends a list of trades from a service of 0.2.0, which gives no total and no older trades', async () => {
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const url = new URL(String(input));
      url.searchParams.delete('before');
      const { total: _, ...answer } = (await (await globalThis.fetch(url, init)).json()) as Record<string, unknown>;
      return Response.json(answer);
    };
    const { wallet, key } = await newAgent(world);
    // A page has 50 trades, so the last trade is on a second page. The high block numbers make them the newest trades.
    for (let i = 0; i < 51; i++) await addTrade(world, { trader: wallet, agent: wallet, blockNumber: 9_000_000 + i });
    const present = { ...service, apiKey: key };
    for (const [options, query, count] of [
      [present, {}, 51],
      [{ ...present, fetch }, {}, 50],
      [{ ...present, fetch }, { limit: 20 }, 50],
    ] as const) {
      const ids = await Array.fromAsync(new Curvet(options).agents.trades('me', query), ({ id }) => id);
      expect([ids.length, new Set(ids).size]).to.deep.equal([count, count]);
    }
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

  it('delivers what happens after a position that was read before a list', async () => {
    const { live } = new Curvet(service);
    // The position lies 20 seconds back, because an answer could lack newer events. Events before it are not delivered again.
    world.clock.advance(20_000);
    await curvet.feed.post('just before the position was read');
    const after = await live.position();
    await curvet.feed.post('between the list and its events');
    const texts = [];
    for await (const { event } of live.feed({ after })) if (texts.push(event?.text) === 2) break;
    expect(texts).to.deep.equal(['just before the position was read', 'between the list and its events']);
  });

  it('throws when the position cannot be read, or the key is missing', async () => {
    const away = new Curvet({ ...service, baseUrl: 'http://127.0.0.1:1', retries: 1 });
    expect(await thrown(away.live.position())).to.include({ code: 'CONNECTION' });
    expect(await thrown(new Curvet(service).live.notifications().next())).to.include({ code: 'MISSING_KEY' });
  });

  it('delivers trades, events and own notifications with the ids that REST shows', async () => {
    const bob = await newAgent(world);
    const done = new AbortController();
    const { signal } = done;
    const { started } = world.deps.subscriptions;
    const { trades, feed, notifications } = curvet.live;
    const first = Promise.all([trades, feed, notifications].map((live) => live({ signal }).next()));
    await eventually(() => world.deps.subscriptions.started === started + 3, 'a stream is not open');
    await ada.trader.buy(ada.wallet, 1);
    await syncFromHint(world.deps);
    const { agents } = new Curvet({ ...service, apiKey: bob.key });
    for (let i = 0; i < 2; i++) expect(await agents.follow(ada.wallet)).to.include({ following: true, followerCount: 1 });
    expect(await Array.fromAsync(agents.following(), ({ id }) => id)).to.deep.equal([ada.wallet]);
    const shown = [
      await curvet.agents.trades(ada.wallet).take(1),
      await curvet.feed.list({ type: 'BOUGHT' }).take(1),
      await curvet.me.notifications().take(1),
    ];
    expect((await first).map((each) => each.value?.id)).to.deep.equal(shown.map(([each]) => each?.id));
    expect(shown[2]?.[0]).to.include({ type: 'NEW_FOLLOWER' });
    done.abort();
  });
});
