import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import { dashboardSizes } from '../../../scripts/dashboard-sizes.js';
import { openCaches } from '../../../src/cache/caches.js';
import { serveDashboard } from '../../../src/features/dashboard/dashboard.js';
import { pages } from '../../../web/src/pages.js';
import { addAgent } from '../../support/market/rows.js';
import { listen } from '../../support/service/listen.js';
import { root } from '../../support/service/process.js';
import { rawGet } from '../../support/service/raw-requests.js';
import { useWorld } from '../../support/world.js';

const built = join(root, 'dist', 'dashboard');
const { assets } = JSON.parse(readFileSync(join(built, 'files.json'), 'utf8')) as { assets: string[] };
const KILOBYTE = 1024;

describe('the dashboard over HTTP', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => rawGet(world.url, path, headers, method);

  for (const { path, isPrivate } of pages) {
    const example = path.replace(/:\w+/g, 'anything');
    it(`has a page at ${example} with a title, security headers, and no inline script or style`, async () => {
      const { status, headers, body } = await get(example);
      expect(status).to.equal(/^\/(agents|seasons)\/anything/.test(example) ? 404 : 200);
      const secret = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'same-origin' };
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'DENY',
        ...(isPrivate ? secret : { 'cache-control': 'no-cache' }),
      });
      const html = String(body);
      expect(html).to.match(/<title>[^<]+ · Curvet<\/title>/);
      const code = html.replace(/<script type="application\/json" id="first-answer">[^<]*<\/script>/, '');
      expect(code).to.not.match(/<style|style=|<script(?![^>]* src=)[^>]*>|\son\w+=/);
      expect(headers['content-security-policy'])
        .to.match(/^default-src 'self';/)
        .and.not.include('unsafe');
    });
  }

  it('serves the same claim page for every code', async () => {
    await addAgent(world, { verificationCode: 'CURVET-7K2Q' });
    expect((await get('/claim/CURVET-7K2Q')).text).to.equal((await get('/claim/CURVET-0000')).text);
  });

  it('names only files that it serves', async () => {
    const html = String((await get('/')).body);
    const named = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(named.filter((path) => path.startsWith('/assets/')).length).to.be.at.least(3);
    for (const path of named) expect((await get(path)).status, path).to.equal(200);
  });

  it('serves its files compressed, and lets clients keep them for a year', async () => {
    for (const file of assets) {
      expect(file).to.match(/-[\w-]{8}\.(js|css|svg|woff2)$/);
      const plain = await get(`/${file}`);
      expect(plain.headers, file).to.include({ 'cache-control': 'public, max-age=31536000, immutable' });
      expect(plain.body.equals(readFileSync(join(built, file))), file).to.equal(true);
      for (const [encoding, unpack] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await get(`/${file}`, { 'accept-encoding': encoding });
        expect(packed.headers, file).to.include({ 'content-encoding': encoding });
        expect(unpack(packed.body).equals(plain.body), file).to.equal(true);
        // The format of a font is compressed already, so another compression may not make it smaller.
        if (!file.endsWith('.woff2')) expect(packed.body.length, file).to.be.below(plain.body.length);
      }
    }
  });

  it('serves the licenses of the packages in its scripts', async () => {
    const { headers, body } = await get('/licenses.txt');
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    const preact = ['preact 1', 'MIT'];
    const chart = ['lightweight-charts', 'Copyright (c) 2026 TradingView, Inc.', 'Apache License'];
    const testWallet = ['@noble/secp256k1 3.2.0 (MIT)', '@noble/hashes 2.4.0 (MIT)'];
    for (const text of [...preact, ...chart, ...testWallet]) expect(String(body)).to.include(text);
  });

  it('answers 404 to unknown paths and 405 to POST, and keeps its security policy out of /docs.md', async () => {
    expect((await get('/assets/unknown.js')).status).to.equal(404);
    expect((await get('/agents')).status).to.equal(404);
    expect((await get('/', {}, 'POST')).status).to.equal(405);
    expect((await get('/docs.md')).headers['content-security-policy']).to.equal("default-src 'self'; frame-ancestors 'none'");
  });
});

it('a service without a built dashboard answers 404, and says in one line how to build it', async () => {
  const router = new Router();
  serveDashboard(
    router,
    { publicUrl: '', caches: openCaches(Date.now, { count: 0 }) },
    async () => ({ json: '', isComplete: true }),
    pathToFileURL('/nowhere/'),
  );
  const server = createServer(new Koa().use(router.routes()).callback());
  const { status, headers, text } = await rawGet(await listen(server), '/');
  server.close();
  expect([status, headers['content-type']]).to.deep.equal([404, 'text/plain; charset=utf-8']);
  expect(text).to.match(/^The dashboard is not built: .*npm run build.*\n$/);
});

describe('the size of the dashboard', () => {
  const sizes = dashboardSizes();

  for (const { folder } of pages) {
    it(`is at most 45 KB of compressed script for the first view, 110 KB with all that follows: ${folder}`, () => {
      const { first = 0, all = 0 } = sizes[folder] ?? {};
      expect(first).to.be.within(5 * KILOBYTE, 45 * KILOBYTE);
      expect(all).to.be.within(first, 110 * KILOBYTE);
    });
  }

  it('grows only by the chart after the first view of an agent, and only by the watchlist after that of the market', () => {
    expect((sizes.agent?.all ?? 0) - (sizes.agent?.first ?? 0)).to.be.above(40 * KILOBYTE);
    expect((sizes.market?.all ?? 0) - (sizes.market?.first ?? 0)).to.be.within(1, 6 * KILOBYTE);
  });
});
