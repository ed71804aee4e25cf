import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCaches } from '../../../../../src/cache/caches.js';
import { drawAgent, pricesOf } from '../../../../../src/features/dashboard/pictures/agent-picture.js';
import { COLORS } from '../../../../../src/features/dashboard/pictures/drawing.js';
import { drawMarket, drawSeason, drawTrade, renderer } from '../../../../../src/features/dashboard/pictures/pictures.js';
import { askAs, freshIp, success, tradeOnChain } from '../../../../support/market/agents.js';
import { type Market, populate } from '../../../../support/market/market.js';
import { addListedAgent } from '../../../../support/market/rows.js';
import { counting, withParts } from '../../../../support/parts.js';
import { drawHex } from '../../../../support/seed.js';
import { readPng } from '../../../../support/service/png.js';
import { root } from '../../../../support/service/process.js';
import { type RawReply, rawGet } from '../../../../support/service/raw-requests.js';
import { runSql } from '../../../../support/store.js';
import { manualTimes, testTimes } from '../../../../support/times.js';
import { useWorld } from '../../../../support/world.js';

const MAX_BYTES = 120_000;
const caches = () => openCaches(() => 0, { count: 0 });
const newRenderer = (times = testTimes) => renderer({ caches: caches(), times });

const agent = { name: 'Scout', agentId: 'scout', supply: 12, holderCount: 3, priceChange24h: 0 };
const trade = {
  sale: false,
  amount: 1,
  price: 1_234_567_890_123_456_789n,
  time: new Date('2026-01-15T12:34:56Z'),
  agent: `0x${'ab'.repeat(20)}`,
  agentName: 'Scout',
  trader: `0x12${'cd'.repeat(19)}`,
  traderName: 'Planner',
};
const season = { number: 2, state: '3 days left', ranks: [{ rank: 1, name: 'Scout', points: 4.25 }] };

const hostile = [
  '<script>alert(1)</script>',
  '</text><image href="file:///etc/passwd"/>',
  '"&\'<&amp;&#0;]]>',
  '<!ENTITY x SYSTEM "file:///etc/passwd">&x;',
  'a\u202egnp.exe\u2066',
  'עברית العربية',
  '\u{1F600}\ud800\u0000\u0007',
  '@'.repeat(10_000),
];

describe('the drawings of pictures', () => {
  const render = newRenderer();

  it('show names as plain text, whatever they contain', async () => {
    for (const name of hostile) {
      const drawings = [
        drawAgent({ ...agent, name, agentId: name }, []),
        drawTrade({ ...trade, agentName: name, traderName: name }),
        drawSeason({ ...season, ranks: [{ rank: 1, name, points: 1 }] }),
        drawMarket([{ ...agent, name }]),
      ];
      for (const svg of drawings) {
        expect(svg).to.match(/^[\n -~·…−]+$/);
        expect(svg.length).to.be.below(4000);
        expect([...new Set(svg.match(/<\/?\w+/g))].sort().join()).to.match(/^(<\/?(circle|g|path|rect|svg|text),?)+$/);
        expect(svg).to.not.match(/href|url\(|<!|<\?|@import|style/);
      }
      expect(readPng((await render(drawings[0] ?? '')).bytes).width).to.equal(1200);
    }
    expect(drawAgent({ ...agent, name: '???' }, [])).to.include('>???</text>');
    expect(drawAgent({ ...agent, name: 'R&D <b>' }, [])).to.include('>R&amp;D &lt;b&gt;</text>');
  });

  it('show exact amounts, changes of the price, holders, ranks, points, and addresses of wallets without a profile', () => {
    const unnamed = { ...trade, sale: true, amount: 2, traderName: null };
    for (const [drawing, ...parts] of [
      [drawAgent({ ...agent, supply: 123_457 }, []), '>304832.61698 ETH<'],
      [drawAgent(agent, []), '>scout · 3 holders · 12 tickets<'],
      [drawAgent({ ...agent, priceChange24h: 12.5 }, []), '>+12.50 %<', COLORS.up],
      [drawAgent({ ...agent, priceChange24h: -1234 }, []), '>−1,234.00 %<', COLORS.down],
      [drawTrade(trade), '>1.234567890123456789 ETH<', '>Planner<', '>2026-01-15 12:34 UTC<'],
      [drawTrade(unnamed), '>0x12cd…cdcd<', '>sold 2 tickets of<', '>Scout<'],
      [drawMarket([{ ...agent, supply: 12, priceChange24h: 12.5 }]), '>Agent ticket market<', '>Scout<', ' ETH · +12.50 %<'],
      [drawMarket([]), '>Software agents buy and sell tickets in each other.<'],
      [drawSeason(season), '>Season 2<', '>3 days left<', '>Scout<', '>4.25 points<'],
      [drawSeason({ ...season, ranks: [] }), '>No points yet<'],
    ]) {
      for (const part of parts) expect(drawing).to.include(part);
    }
  });

  it('have the price at the end of each four hours of seven days, or the curve without a trade in them', () => {
    const now = new Date('2026-01-15T13:00:00Z');
    const row = (time: string, open: bigint, close: bigint) => ({ time: new Date(time), open, close });
    const old = row('2026-01-08T12:00:00Z', 1n, 2n);
    expect(pricesOf([old], now)).to.deep.equal([]);
    const prices = pricesOf([old, row('2026-01-08T16:00:00Z', 2n, 5n), row('2026-01-15T12:00:00Z', 5n, 4n)], now);
    // The price at the beginning of the seven days, and at the end of each of the 42 periods of four hours.
    expect(prices).to.deep.equal([2n, ...Array(41).fill(5n), 4n]);
    for (const part of ['>Price, last 7 days</text>', 'd="M64 516L89.5 396L', 'L1136 436"'])
      expect(drawAgent(agent, prices)).to.include(part);
    expect(drawAgent(agent, [])).to.include('>Price by number of tickets</text>').and.include('cx="600"');
  });

  it('have the colors of the dashboard', () => {
    const tokens = readFileSync(join(root, 'web/src/styles/tokens.css'), 'utf8');
    for (const color of Object.values(COLORS)) expect(tokens, color).to.include(`: ${color};`);
  });

  it('take at most 120 KB, also with the longest texts', async () => {
    const prices = Array.from({ length: 43 }, (_, i) => BigInt(1 + ((i * i * 7919) % 1000)));
    const name = '@'.repeat(15);
    const max = 2 ** 31 - 1;
    const ranks = [1, 2, 3, 4, 5].map((rank) => ({ rank, name, points: 99_999_999_999.99 }));
    for (const svg of [
      drawAgent({ name, agentId: name, supply: max, holderCount: max, priceChange24h: -9_876_543_210.12 }, prices),
      drawTrade({ ...trade, sale: true, price: 2n ** 100n, agentName: name, traderName: name }),
      drawSeason({ number: max, state: 'Starts on 2026-08-28', ranks }),
    ]) {
      expect((await render(svg)).bytes.length).to.be.within(5000, MAX_BYTES);
    }
  });
});

describe('the renderer', () => {
  const drawing = (content: string) => drawSeason({ ...season, state: 'x' }).replace('</svg>', `${content}</svg>`);

  it('reads no file and no address that a drawing names', async () => {
    const file = join(tmpdir(), `${drawHex(8)}.svg`);
    const red = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="900" height="900" fill="red"/></svg>';
    writeFileSync(file, red);
    const render = newRenderer();
    try {
      const { etag } = await render(drawing(''));
      const inside = `data:image/svg+xml,${encodeURIComponent(red)}`;
      expect((await render(drawing(`<image href="${inside}" width="900" height="900"/>`))).etag).to.not.equal(etag);
      for (const place of [file, `file://${file}`, 'http://127.0.0.1:9/x.png'])
        expect((await render(drawing(`<image href="${place}" width="900" height="900"/>`))).etag).to.equal(etag);
    } finally {
      rmSync(file);
    }
  });

  it('refuses more than 40 waiting pictures, and works again after them', async () => {
    const render = newRenderer();
    const small = (i: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${i + 1}" height="1"/>`;
    const all = await Promise.allSettled(Array.from({ length: 42 }, (_, i) => render(small(i))));
    const refused = all.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code);
    expect(refused).to.deep.equal(['PICTURES_BUSY', 'PICTURES_BUSY']);
    expect(readPng((await render(small(41))).bytes)).to.include({ width: 42, height: 1 });
  });

  it('does not cache a failure, and goes on after it', async () => {
    const own = caches();
    const render = renderer({ caches: own, times: testTimes });
    const results = await Promise.allSettled([render('no drawing'), render(drawing(''))]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(own.pictures.stats.entries).to.equal(1);
  });

  it('ends a thread that takes too long', async () => {
    const times = manualTimes();
    const render = newRenderer(times);
    const started = new Promise((resolve) => process.once('worker', resolve));
    const picture = render(drawing('')).catch((error: unknown) => String(error));
    await started;
    times.advance(times.picture);
    expect(await picture).to.equal('AppError: Too many pictures');
  });
});

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

  it('are PNGs of 1,200 x 630 pixels and at most 120 KB, for crawlers to keep for a minute', async () => {
    for (const path of paths()) {
      const { status, headers, body } = await get(path);
      expect([status, path]).to.deep.equal([200, path]);
      expect(headers).to.include({ 'content-type': 'image/png', 'cache-control': 'public, max-age=60' });
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
      expect([same.status, same.text, same.headers['cache-control']]).to.deep.equal([304, '', 'public, max-age=60']);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.text, Number(head.headers['content-length'])]).to.deep.equal([200, '', body.length]);
      expect((await get(path, {}, 'POST')).status).to.equal(405);
    }
  });

  it('change at once with the price, and the ranks of a season', async () => {
    const [agent = '', , season = ''] = paths();
    const etag = async (path: string) => (await get(path)).headers.etag;
    const [old, older] = [await etag(agent), await etag(season)];
    const bought = await tradeOnChain(market.eve, 'buy', market.ada, 1);
    await askAs(world, market.eve, 'POST', '/api/tickets/buy', bought);
    await runSql(world.deps, 'update agent_season_points set total_points = 77 where season = 2 and rank = 1', []);
    expect(await etag(agent)).to.not.equal(old);
    expect(await etag(season)).to.not.equal(older);
  });

  it('answer 404 in the usual body for what does not exist', async () => {
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
