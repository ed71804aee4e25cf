import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FunctionFragment, Interface } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { withBuySlippage, withSellSlippage } from '../../../src/core/pricing/rules.js';
import { errorTable } from '../../../src/errors.js';
import { chapterIds } from '../../../src/faces/rest/docs/chapters.js';
import { endpoints } from '../../../src/faces/rest/endpoints.js';
import { errorsOf } from '../../../src/faces/rest/openapi/failures.js';
import { limitsOf } from '../../../src/faces/rest/openapi/limits.js';
import { type Declared, remoteCaches, serviceCaches } from '../../../src/freshness.js';
import { useWorld } from '../../support/world.js';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const committed = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));

describe('the API documents', () => {
  const world = useWorld();

  it('carry the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(committed.info.version).to.equal(version);
  });

  it('serve the committed OpenAPI document with the URL, chain and contract of the service', async () => {
    const { status, body } = await world.ask('GET', '/openapi.json');
    expect(status).to.equal(200);
    expect(body.servers).to.deep.equal([{ url: world.deps.publicUrl }]);
    const examples = JSON.stringify(committed.paths).replaceAll(committed.servers[0].url, world.deps.publicUrl);
    const paths = JSON.stringify(body.paths).replaceAll(committed.servers[0].url, world.deps.publicUrl);
    expect(JSON.parse(paths)).to.deep.equal(JSON.parse(examples));
    expect(body.components).to.deep.equal(committed.components);
    const { market } = world.deps;
    for (const fact of [String(market.chainId), market.contract, market.rpcUrl]) {
      expect((body.info as { description: string }).description).to.contain(fact);
    }
  });

  it('serve a page without external resources', async () => {
    const { status, headers, body } = await world.ask('GET', '/docs');
    const text = String(body.text);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).to.match(/^default-src 'self'/);
    expect(text).not.to.match(/<script|<link|<img|src=|style=|onclick/);
    const links = [...text.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '');
    for (const link of links) expect(link).to.match(/^(#|\/openapi\.json$)/);
    for (const link of links.filter((target) => target.startsWith('#'))) {
      expect(text).to.contain(`id="${link.slice(1)}"`);
    }
  });

  it('show every operation, the contract and the text to sign', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    for (const [path, item] of Object.entries(committed.paths as Record<string, Record<string, unknown>>)) {
      for (const method of Object.keys(item)) expect(text).to.contain(`<code>${method.toUpperCase()} ${path}</code>`);
    }
    const { market, publicUrl } = world.deps;
    for (const fact of [String(market.chainId), market.contract, market.rpcUrl, publicUrl]) {
      expect(text).to.contain(`<code>${fact}</code>`);
    }
    expect(text).to.contain(
      `Curvet agent registration\nService: ${publicUrl}\nChain ID: ${market.chainId}\nWallet: 0x`,
    );
    expect(text).not.to.match(/undefined|\[object/);
  });

  it('start with the sections of the guide in order and end with the operations', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    const sections = [...text.matchAll(/<section id="([^"]*)"><h2>/g)].map((match) => match[1]);
    expect(sections.slice(0, chapterIds.length)).to.deep.equal(chapterIds);
    expect(sections.at(-1)).to.equal('operations');
  });

  it('use each HTML id once', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([]);
  });

  it('link to every operation', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    for (const item of Object.values(committed.paths as Record<string, Record<string, { operationId: string }>>)) {
      for (const { operationId } of Object.values(item)) {
        expect(text).to.contain(`<a href="#${operationId}">`);
        expect(text).to.contain(`id="${operationId}"`);
      }
    }
  });

  it('list every error of an endpoint and every window of a rate limit', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    const declared = endpoints(world.deps.config);
    for (const code of new Set(declared.flatMap((one) => errorsOf(one, world.deps.config)))) {
      const message = errorTable[code][1].replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
      expect(text, code).to.contain(`<td>${errorTable[code][0]}</td>\n<td><code>${message}</code></td>`);
    }
    for (const { name, max, seconds } of declared.flatMap(limitsOf)) {
      expect(text).to.match(new RegExp(`<td><code>${name}</code></td>\\s*<td>${max} per ${seconds} s per`));
    }
  });

  it('list every cache with its maximum age', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    const caches = { ...serviceCaches, ...remoteCaches };
    const expected = Object.values<Declared>(caches).reduce((count, { large = [] }) => count + 1 + large.length, 0);
    const [, section = ''] = /<section id="freshness">([\s\S]*?)<\/section>/.exec(text) ?? [];
    expect([...section.matchAll(/<tr>/g)]).to.have.lengthOf(expected + 1);
    for (const { description } of Object.values(caches)) {
      expect(section).to.contain(`<td>${description.replace(/`(.*?)`/g, '<code>$1</code>')}</td>`);
    }
    expect(section).to.match(/from 1,000,000 rows<\/td>\s*<td>30 s<\/td>/);
    expect(section).to.match(/from 1,000 traded agents<\/td>\s*<td>2 s; 10 s while a new value is loaded<\/td>/);
  });

  it('describe the contract calls with the signatures of the ABI', async () => {
    const text = String((await world.ask('GET', '/docs')).body.text);
    const abi = new Interface(ticketMarketAbi);
    const shown = [...text.matchAll(/<td><code>(\w+\([^<]*\)[^<]*)<\/code><\/td>/g)].map((match) => match[1] ?? '');
    expect(shown).to.have.length.of.at.least(4);
    for (const signature of shown) {
      const described = FunctionFragment.from(`function ${signature}`);
      const actual = abi.getFunction(described.selector);
      expect(actual, signature).not.to.equal(null);
      expect(described.payable, signature).to.equal(actual?.payable);
    }
  });

  it('state the slippage arithmetic that computes the bounds of a quote', () => {
    for (const total of [1n, 19n, 12_345n, 4_312_000_000_000_001n]) {
      expect(withBuySlippage(total, 500n)).to.equal((total * 10_500n + 9_999n) / 10_000n);
      expect(withSellSlippage(total, 500n)).to.equal((total * 9_500n) / 10_000n);
    }
  });

  it('show the example of a sale next to that of a buy', async () => {
    const { examples } = committed.paths['/api/tickets/quote'].get.responses['200'].content['application/json'];
    expect(Object.keys(examples)).to.deep.equal(['a-purchase', 'a-sale']);
    expect(examples['a-sale'].value).to.include({ action: 'sell', minPayout: '0.0000684', ticketBalance: 1 });
    const text = String((await world.ask('GET', '/docs')).body.text);
    expect(text).to.contain('<p>A sale:</p>').and.to.contain('&quot;minPayout&quot;: &quot;0.0000684&quot;');
  });

  it('state which fields are nullable or immutable and how to clear a text', async () => {
    const fields = committed.paths['/api/agents/me'].patch.requestBody.content['application/json'].schema.properties;
    for (const name of ['name', 'walletAddress', 'agentId', 'apiKey']) {
      expect(fields[name].not, name).to.deep.equal({});
      expect(fields[name].description, name).to.match(/never changes/i);
    }
    for (const name of ['description', 'bio', 'avatarUrl']) {
      expect(fields[name].type, name).to.deep.equal(['string', 'null']);
      expect(fields[name].description, name).to.match(/clears the field/);
    }
    expect(fields.referredBy.type).to.equal('string');
    for (const [method, path] of [
      ['get', '/api/agents/{address}/trades'],
      ['get', '/api/agents/me/trades'],
      ['post', '/api/tickets/buy'],
      ['post', '/api/tickets/sell'],
    ] as const) {
      const { responses } = committed.paths[path][method];
      const { properties } = responses[method === 'get' ? '200' : '201'].content['application/json'].schema;
      const { $ref } = properties.trade ?? properties.trades.items;
      expect($ref, path).to.equal('#/components/schemas/Trade');
      const { realizedPnlWei } = committed.components.schemas.Trade.properties;
      expect(realizedPnlWei.type, path).to.deep.equal(['string', 'null']);
      expect(realizedPnlWei.description, path).to.match(/negative for a loss/i);
    }
  });

  it('give each operation a unique id', () => {
    const ids = Object.values(committed.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (item) => Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

describe('the API documents of a service on an external chain', () => {
  const world = useWorld({
    RPC_URL: 'http://127.0.0.1:1/secret-key',
    CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
    SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
  });

  it('contain no development endpoints and no RPC URL', async () => {
    const { body } = await world.ask('GET', '/openapi.json');
    const text = JSON.stringify(body) + String((await world.ask('GET', '/docs')).body.text);
    expect(text).not.to.match(/\/dev\/|secret-key|RPC [`<]/);
    expect(text).not.to.contain(world.deps.market.rpcUrl);
  });
});
