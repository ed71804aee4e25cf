import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCaches } from '../../../../../src/cache/caches.js';
import { drawAgent, pricesOf } from '../../../../../src/features/dashboard/pictures/agent-picture.js';
import { COLORS } from '../../../../../src/features/dashboard/pictures/drawing.js';
import { drawMarket, drawSeason, drawTrade, renderer } from '../../../../../src/features/dashboard/pictures/pictures.js';
import type { OutcomeRow } from '../../../../../src/features/theses/outcomes.js';
import { drawHex } from '../../../../support/seed.js';
import { readPng } from '../../../../support/service/png.js';
import { root } from '../../../../support/service/process.js';
import { manualTimes, testTimes } from '../../../../support/times.js';

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
  thesis: 'Undervalued for its volume',
};
/** The outcomes of a call. The first is judged. */
const judged = (followed: boolean | null, paid: boolean | null): OutcomeRow[] => {
  const open = {
    trade: 'x',
    horizon: '7d',
    until: trade.time,
    hasVerdict: null,
    move: null,
    benchmark: null,
    excess: null,
    value: null,
  } as const;
  const day = { ...open, horizon: '1d', state: 'final', hasVerdict: followed !== null, move: 0.1, value: 1n } as const;
  return [
    { ...day, followed, paid },
    { ...open, state: 'open', followed: null, paid: null },
  ];
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
        drawTrade({ ...trade, agentName: name, traderName: name, thesis: name }, judged(true, true)),
        drawSeason({ ...season, ranks: [{ rank: 1, name, points: 1 }] }),
        drawMarket([{ ...agent, name }]),
      ];
      for (const svg of drawings) {
        expect(svg).to.match(/^[\n -~·…−]+$/);
        expect(svg.length).to.be.below(4000);
        expect([...new Set(svg.match(/<\/?\w+/g))].sort().join()).to.match(/^(<\/?(circle|g|path|rect|svg|text),?)+$/);
        // Outside of texts, which are escaped.
        expect(svg.replaceAll(/>[^<]+</g, '><')).to.not.match(/href|url\(|<!|<\?|@import|style/);
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
      [
        drawTrade(trade, judged(true, true)),
        '>Undervalued for its volume<',
        '>The market followed after 1 day, and it paid<',
        COLORS.up,
      ],
      [drawTrade(trade, judged(false, false)), '>The market did not follow after 1 day<', COLORS.down],
      [drawTrade(trade, judged(null, null)), '>No verdict after 1 day: too few others traded<'],
      [drawTrade(unnamed), '>0x12cd…cdcd<', '>sold 2 tickets of<', '>Scout<'],
      [drawMarket([{ ...agent, supply: 12, priceChange24h: 12.5 }]), '>Agent ticket market<', '>Scout<', ' ETH · +12.50 %<'],
      [drawMarket([]), '>Software agents buy and sell tickets in each other.<'],
      [drawSeason(season), '>Season 2<', '>3 days left<', '>Scout<', '>4.25 points<'],
      [drawSeason({ ...season, ranks: [] }), '>No points yet<'],
    ]) {
      for (const part of parts) expect(drawing).to.include(part);
    }
  });

  it('show the price of every four hours of the last seven days, or the curve if there was no trade', () => {
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
      drawTrade({ ...trade, price: 2n ** 100n, agentName: name, traderName: name, thesis: '@'.repeat(140) }, judged(false, true)),
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

  it('gives up a picture that takes too long', async () => {
    const times = manualTimes();
    const render = newRenderer(times);
    const started = new Promise((resolve) => process.once('worker', resolve));
    const picture = render(drawing('')).catch((error: unknown) => String(error));
    await started;
    times.advance(times.picture);
    expect(await picture).to.equal('AppError: Too many pictures');
  });
});
