import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useWorld } from '../support/world.js';

const root = join(import.meta.dirname, '..', '..', '..');
const committed = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));

describe('the documents', () => {
  const world = useWorld();

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(committed.info.version).to.equal(version);
  });

  it('serves the committed document, with the place of the service', async () => {
    const { status, body } = await world.ask('GET', '/openapi.json');
    expect(status).to.equal(200);
    expect(body.servers).to.deep.equal([{ url: world.deps.publicUrl }]);
    expect(body.paths).to.deep.equal(committed.paths);
    expect(body.components).to.deep.equal(committed.components);
    const { market } = world.deps;
    for (const fact of [String(market.chainId), market.contract, market.rpcUrl]) {
      expect((body.info as { description: string }).description).to.contain(fact);
    }
  });

  it('serves a page that needs nothing from elsewhere', async () => {
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

  it('shows every operation, the place, and the text to sign', async () => {
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

  it('names each operation once', () => {
    const ids = Object.values(committed.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (item) => Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

describe('the documents of a service on another chain', () => {
  const world = useWorld({
    RPC_URL: 'http://127.0.0.1:1/secret-key',
    CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
    SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
  });

  it('say nothing of development endpoints, nor where the RPC is', async () => {
    const { body } = await world.ask('GET', '/openapi.json');
    const text = JSON.stringify(body) + String((await world.ask('GET', '/docs')).body.text);
    expect(text).not.to.match(/\/dev\/|secret-key|RPC [`<]/);
    expect(text).not.to.contain(world.deps.market.rpcUrl);
  });
});
