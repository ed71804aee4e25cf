import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { assetOf } from '../../../../src/server/http/assets.js';
import { once } from '../../../../src/tasks.js';
import { rawGet } from '../../../support/service/raw-requests.js';
import { useWorld } from '../../../support/world.js';

describe('documents and assets', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => rawGet(world.url, path, headers, method);

  const html = { accept: 'text/html' };
  const files: readonly (readonly [path: string, headers: Record<string, string>, cacheControl: string])[] = [
    ['/docs', {}, 'public, max-age=300'],
    ['/docs.md', html, 'public, max-age=300'],
    ['/openapi.json', {}, 'public, max-age=300'],
    ['/skill.md', {}, 'public, max-age=300'],
    ['/graphql', html, 'no-cache'],
    ['/seasons', html, 'no-cache'],
    ['/graphql/graphiql.js', {}, 'public, no-cache'],
  ];

  for (const [path, headers, cacheControl] of files) {
    it(`have an ETag for each accepted encoding at ${path}, answer it with 304, and answer HEAD like GET`, async () => {
      const plain = await get(path, headers);
      expect(plain.status).to.equal(200);
      expect(plain.headers).to.not.have.property('content-encoding');
      const etags = [plain.headers.etag];
      for (const [accepted, encoding, decompress] of [
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['br;q=0.5, gzip', 'br', brotliDecompressSync],
        ['gzip, deflate', 'gzip', gunzipSync],
        ['br;q=0, *', 'gzip', gunzipSync],
      ] as const) {
        const reply = await get(path, { ...headers, 'accept-encoding': accepted });
        expect(reply.headers, accepted).to.include({
          'content-encoding': encoding,
          'cache-control': cacheControl,
          'content-length': String(reply.body.length),
          'content-type': plain.headers['content-type'],
        });
        expect(String(reply.headers.vary)).to.include('Accept-Encoding').and.include('Origin');
        expect(decompress(reply.body).equals(plain.body), accepted).to.equal(true);
        expect(reply.body.length).to.be.below(plain.body.length / 2);
        etags.push(reply.headers.etag);
      }
      // Three encodings: none, Brotli and gzip.
      expect(new Set(etags).size).to.equal(3);
      const asked = { ...headers, 'accept-encoding': 'br' };
      const { headers: first } = await get(path, asked);
      for (const names of [String(first.etag), `"other", W/${first.etag}`, '*']) {
        const again = await get(path, { ...asked, 'if-none-match': names });
        expect([again.status, again.body.length]).to.deep.equal([304, 0]);
        expect(again.headers).to.include({ etag: first.etag, 'cache-control': cacheControl });
      }
      expect((await get(path, { ...asked, 'if-none-match': '"other"' })).status).to.equal(200);
      const head = await get(path, asked, 'HEAD');
      expect([head.status, head.body.length]).to.deep.equal([200, 0]);
      for (const name of ['etag', 'cache-control', 'content-encoding', 'content-length', 'vary']) {
        expect(head.headers[name], name).to.equal(first[name]);
      }
    });
  }

  it('are immutable only under a URL that contains their hash', async () => {
    const page = String((await get('/graphql', html)).body);
    const [, path = ''] = /<script src="(\/graphql\/graphiql\.js\?v=[\w-]{22})">/.exec(page) ?? [];
    const script = await get(path, { 'accept-encoding': 'br' });
    expect(script.headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    expect(script.body.length).to.be.below(2_500_000);
    const other = await get(`${path.slice(0, -1)}~`, { 'accept-encoding': 'br' });
    expect([other.status, other.headers['cache-control']]).to.deep.equal([200, 'public, no-cache']);
  });

  it('are compressed without blocking the event loop', async () => {
    // Continues in a microtask, in which the next tick comes after all promises. In a macrotask it would come before them.
    await null;
    let isMade = false;
    const made = assetOf('text/plain', 'a line').then(() => {
      isMade = true;
    });
    // All promises that need no turn of the event loop settle before the next tick, so compression that blocked would be done now.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(isMade).to.equal(false);
    await made;
  });

  it('are built once for concurrent requests, and again after a failure', async () => {
    let made = 0;
    const get = once(async () => {
      if (++made === 1) throw new Error('the first one fails');
      return made;
    });
    expect((await Promise.allSettled([get(), get()])).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await Promise.all([get(), get(), get()])).to.deep.equal([2, 2, 2]);
  });
});
