import { expect } from 'chai';
import { pages } from '../../../../web/src/pages.js';
import { addListedAgent, addSeason } from '../../../support/market/rows.js';
import { rawGet } from '../../../support/service/raw-requests.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('the files for crawlers and browsers', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => rawGet(world.url, path, headers, method);
  const addresses = async () => {
    // The sitemap is cached for ten minutes, so the clock passes this time.
    world.clock.advance(600_000);
    return [...(await get('/sitemap.xml')).text.matchAll(/<url><loc>([^<]*)<\/loc><\/url>/g)].map(([, address = '']) => address);
  };

  it('include an icon with pictures of 16, 32 and 48 pixels', async () => {
    const { status, headers, body } = await get('/favicon.ico');
    expect([status, headers['content-type']]).to.deep.equal([200, 'image/x-icon']);
    // The head of an icon file says that it has three pictures. An entry of 16 bytes follows for each, with its size, length and
    // place. A PNG has its size at the bytes 16 and 20.
    expect([0, 2, 4].map((at) => body.readUInt16LE(at))).to.deep.equal([0, 1, 3]);
    for (const [i, size] of [16, 32, 48].entries()) {
      const entry = body.subarray(6 + i * 16, 22 + i * 16);
      const picture = body.subarray(entry.readUInt32LE(12), entry.readUInt32LE(12) + entry.readUInt32LE(8));
      expect(picture.toString('latin1')).to.match(/^.PNG\r\n.*IEND.{4}$/s);
      const sizes = [entry[0], entry[1], picture.readUInt32BE(16), picture.readUInt32BE(20)];
      expect(sizes).to.deep.equal(Array(4).fill(size));
    }
    expect((await get('/favicon.ico', {}, 'HEAD')).status).to.equal(200);
  });

  it('allow crawlers to read the pages, but not the APIs or addresses with a code', async () => {
    const { status, headers, text } = await get('/robots.txt');
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    const lines = text.trim().split('\n');
    expect(lines[0]).to.equal('User-agent: *');
    expect(lines).to.include.members(['Disallow: /api/', 'Disallow: /graphql', 'Disallow: /claim/', 'Disallow: /wallets/']);
    expect(lines.at(-1)).to.equal('Sitemap: http://curvet.test/sitemap.xml');
    const refused = lines.filter((line) => line.startsWith('Disallow: ')).map((line) => line.slice(10));
    const open = ['/', '/agents/ada', '/seasons', '/share/agents/ada.png', '/docs', '/llms.txt'];
    expect(open.filter((path) => refused.some((prefix) => path.startsWith(prefix)))).to.deep.equal([]);
  });

  it('list the public pages, agents and seasons with the public address of the service', async () => {
    await addListedAgent(world, { name: 'Ada' }, { supply: 5 });
    await addListedAgent(world, { name: 'Bob', agentId: 'b&<"' }, { supply: 9 });
    await addSeason(world, 1, -9, -2);
    await addSeason(world, 2, -2, 9);
    const found = await addresses();
    const fixed = pages.filter(({ path, isPrivate }) => !path.includes(':') && !isPrivate).map(({ path }) => path);
    expect(fixed).to.include.members(['/', '/seasons']);
    const expected = [...fixed, '/agents/b%26%3C%22', '/agents/ada', '/seasons/2', '/seasons/1'];
    expect(found).to.deep.equal(expected.map((path) => `http://curvet.test${path}`));
    const { headers, text } = await get('/sitemap.xml');
    expect(headers['content-type']).to.equal('application/xml');
    expect(text).to.match(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org/);
    const same = await get('/sitemap.xml', { 'if-none-match': String(headers.etag) });
    expect(same.status).to.equal(304);
  });

  it('include a sitemap that stays the same for ten minutes', async () => {
    const first = (await get('/sitemap.xml')).text;
    await addListedAgent(world, { name: 'Late' });
    expect((await get('/sitemap.xml', { 'cache-control': 'no-cache' })).text).to.equal(first);
    world.clock.advance(600_000);
    expect((await get('/sitemap.xml')).text).to.include('/agents/late<');
  });

  it('list at most 1,000 agents and 100 seasons', async () => {
    await runSql(
      world.deps,
      `with many as (
         insert into market (wallet, name, agent_id, supply, holder_count, fees_earned, trade_count, volume, tx_hash, ordinal,
           block_number, log_index, registered_at, event_id)
         select '0x' || lpad(n::text, 40, '0'), 'Many ' || n, 'many_' || n, 1, 1, 0, 0, 0, '0x' || lpad(n::text, 64, '0'), 0,
           n, 0, now(), 'many' || n from generate_series(1, 1100) n returning wallet, name, agent_id)
       insert into agent (wallet, name, agent_id, api_key_hash, verification_code, registration_ip, created_at)
       select wallet, name, agent_id, sha256(agent_id::bytea), 'M-' || agent_id, sha256(''), now() from many`,
      [],
    );
    for (let i = 3; i <= 110; i++) await addSeason(world, i, 10 * i, 10 * i + 10);
    const found = await addresses();
    expect(found.filter((address) => address.includes('/agents/')).length).to.equal(1000);
    expect(found.filter((address) => /\/seasons\/\d/.test(address)).length).to.equal(100);
  });
});
