import { expect } from 'chai';
import { askAs, freshIp, success, tradeOnChain } from '../../../../support/market/agents.js';
import { type Market, populate } from '../../../../support/market/market.js';
import { addListedAgent } from '../../../../support/market/rows.js';
import { counting, withParts } from '../../../../support/parts.js';
import { readPng } from '../../../../support/service/png.js';
import { type RawReply, rawGet } from '../../../../support/service/raw-requests.js';
import { runSql } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

const MAX_BYTES = 120_000;

describe('the pictures to share', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let market: Market;
  let event: string;
  let rendered = 0;
  const count = () => void rendered++;
  before(async () => {
    // Starts the worker thread of the test clock now, so that `count` does not count it.
    world.clock.advance(1000);
    market = await populate(world);
    const { feed } = success(await world.ask('GET', '/api/feed?type=BOUGHT', { headers: freshIp() }));
    event = (feed as { id: string }[])[0]?.id ?? '';
    process.on('worker', count);
  });
  after(() => process.off('worker', count));

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawReply> =>
    rawGet(world.url, path, { ...freshIp(), ...headers }, method);
  const paths = () => [
    `/share/agents/${market.ada.agentId}.png`,
    `/share/trades/${event}.png`,
    '/share/seasons/2.png',
    '/share/market.png',
  ];

  it('load the renderer only when the first of them is asked for', async () => {
    await withParts(world, {}, async (other) => {
      expect((await rawGet(other.url, '/share/agents/nobody.png', freshIp())).status).to.equal(404);
      expect(rendered).to.equal(0);
      expect((await rawGet(other.url, '/share/seasons/1.png', freshIp())).status).to.equal(200);
      expect(rendered).to.equal(1);
    });
  });

  /** The picture of a trade may show a thesis, which the operator can hide. */
  const cacheControl = (path: string) => (path.includes('/trades/') ? 'public, no-cache' : 'public, max-age=60');

  it('are PNGs of 1,200 x 630 pixels and at most 120 KB, for crawlers to keep for a minute if they show no thesis', async () => {
    for (const path of paths()) {
      const { status, headers, body } = await get(path);
      expect([status, path]).to.deep.equal([200, path]);
      expect(headers).to.include({ 'content-type': 'image/png', 'cache-control': cacheControl(path) });
      const { width, height, colorAt } = readPng(body);
      expect([width, height, body.length > 5000, body.length <= MAX_BYTES]).to.deep.equal([1200, 630, true, true]);
      expect(colorAt(600, 20), path).to.equal('#0b0e14');
    }
  });

  it('are read and rendered once for concurrent requests, and rendered again only when they change', async () => {
    await addListedAgent(world, { name: 'Crowd' });
    await counting(world, async ({ url }, statements) => {
      const before = rendered;
      const read = (headers = {}) => rawGet(url, '/share/agents/crowd.png', { ...freshIp(), ...headers });
      const crowd = await Promise.all(Array.from({ length: 5 }, () => read()));
      expect(new Set(crowd.map(({ status, headers }) => `${status} ${headers.etag}`)).size).to.equal(1);
      expect([statements(), rendered - before]).to.deep.equal([4, 1]);
      await read({ 'cache-control': 'no-cache' });
      expect(statements()).to.equal(4);
      world.clock.advance(1000);
      await read();
      expect([statements(), rendered - before]).to.deep.equal([7, 1]);
    });
  });

  it('answer 304 to their ETag, and HEAD without a body', async () => {
    for (const path of paths()) {
      const { headers, body } = await get(path);
      expect(headers.etag).to.match(/^"[\w-]+"$/);
      const same = await get(path, { 'if-none-match': String(headers.etag) });
      expect([same.status, same.text, same.headers['cache-control']]).to.deep.equal([304, '', cacheControl(path)]);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.text, Number(head.headers['content-length'])]).to.deep.equal([200, '', body.length]);
      expect((await get(path, {}, 'POST')).status).to.equal(405);
    }
  });

  it('change at once with the price of the agent or the ranks of the season', async () => {
    const [agent = '', , season = ''] = paths();
    const etag = async (path: string) => (await get(path)).headers.etag;
    const [old, older] = [await etag(agent), await etag(season)];
    const bought = await tradeOnChain(market.eve, 'buy', market.ada, 1);
    await askAs(world, market.eve, 'POST', '/api/tickets/buy', bought);
    await runSql(world.deps, 'update agent_season_points set total_points = 77 where season = 2 and rank = 1', []);
    expect(await etag(agent)).to.not.equal(old);
    expect(await etag(season)).to.not.equal(older);
  });

  it('answer 404 with the usual error in JSON for what does not exist', async () => {
    const unknown = {
      'Agent not found': ['agents/nobody', 'agents/%3Cscript%3E', 'agents/%00'],
      'Not found': ['trades/abcdefghijklmnopqrstuv', 'trades/%F0%9F%98%80'],
      'Season not found': ['seasons/9', 'seasons/02', 'seasons/99999999999999999999'],
    };
    for (const [error, missing] of Object.entries(unknown)) {
      for (const path of missing) {
        const { status, text } = await get(`/share/${path}.png`);
        expect([path, status, JSON.parse(text).error]).to.deep.equal([path, 404, error]);
      }
    }
    for (const path of ['/share/agents/nobody.svg', '/share/wallets/ada.png', '/share/'])
      expect((await get(path)).status, path).to.equal(404);
  });

  it('count in a limit of their own', async () => {
    const headers = freshIp();
    for (let i = 0; i < 20; i++) expect((await get('/share/agents/nobody.png', headers)).status).to.equal(404);
    const refused = await get(paths()[0] ?? '', headers);
    expect(refused.status).to.equal(429);
    expect(String(refused.headers['ratelimit-policy'])).to.match(/^"share";q=20;w=60/);
    expect((await get('/licenses.txt', headers)).status).to.equal(200);
  });
});
