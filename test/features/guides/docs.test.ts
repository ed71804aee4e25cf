import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorTable } from '../../../src/errors.js';
import { chapterIds } from '../../../src/features/guides/guides.js';
import { endpoints } from '../../../src/features.js';
import { type Declared, remoteCaches, serviceCaches } from '../../../src/freshness.js';
import { errorsOf } from '../../../src/server/openapi/failures.js';
import { limitsOf } from '../../../src/server/openapi/limits.js';
import { refusal, success } from '../../support/market/agents.js';
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
    const body = success(await world.ask('GET', '/openapi.json'));
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

  const docs = async () => String((await world.ask('GET', '/docs')).body.text);
  /** Fragments that headings name, in the order of the document. */
  const fragmentsIn = (text: string) => [...text.matchAll(/^##+ .* \{#([\w-]+)\}$/gm)].map(([, id = '']) => id);
  const operations = Object.entries(committed.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, item]) => Object.entries(item).map(([method, { operationId: id }]) => ({ method, path, id })),
  );

  it('serve Markdown without HTML, whose links lead to its headings', async () => {
    const { status, headers, body } = await world.ask('GET', '/docs');
    const text = String(body.text);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(headers.get('content-security-policy')).to.match(/^default-src 'self'/);
    const prose = text.replace(/^```[\s\S]*?^```$|`[^`\n]*`|\\</gm, '');
    expect(prose).not.to.match(/<\w|<\/|&\w+;|undefined|\[object|\{\{/);
    const links = [...prose.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
    expect(links).to.include('#retries');
    expect(fragmentsIn(text)).to.include.members(links.map((target) => target.replace(/^#/, '')));
  });

  it('show every operation with its id, and no other, the contract and the text to sign', async () => {
    const text = await docs();
    const headings = operations.map(({ method, path, id }) => `### ${method.toUpperCase()} ${path} {#${id}}`);
    expect(text.match(/^### [A-Z]+ \/.*$/gm)).to.have.members(headings);
    const { market, publicUrl } = world.deps;
    const facts = [publicUrl, market.contract, market.rpcUrl].map((fact) => `\`${fact}\``);
    for (const fact of [...facts, `chain ID ${market.chainId}`]) expect(text.split('\n## ')[0]).to.contain(fact);
    expect(text).to.contain(
      `Curvet agent registration\nService: ${publicUrl}\nChain ID: ${market.chainId}\nWallet: 0x`,
    );
  });

  it('start with the chapters in order, end with the operations, and use each fragment once', async () => {
    const text = await docs();
    const fragments = fragmentsIn(text);
    expect(fragments.slice(0, chapterIds.length)).to.deep.equal(chapterIds);
    expect(new Set(fragments).size).to.equal(fragments.length);
    expect(text.match(/^## .*$/gm)?.at(-1)).to.equal('## Operations');
  });

  it('list every error of an endpoint and every window of a rate limit', async () => {
    const text = await docs();
    const declared = endpoints(world.deps.config);
    for (const code of new Set(declared.flatMap((one) => errorsOf(one, world.deps.config)))) {
      expect(text, code).to.contain(`\n| ${errorTable[code][0]} | \`${errorTable[code][1]}\` | `);
    }
    for (const { name, max, seconds } of declared.flatMap(limitsOf)) {
      expect(text).to.contain(`\n| \`${name}\` | ${max} per ${seconds} s per`);
    }
  });

  it('list every cache with its maximum age', async () => {
    const caches = { ...serviceCaches, ...remoteCaches };
    const expected = Object.values<Declared>(caches).reduce((count, { large = [] }) => count + 1 + large.length, 0);
    const [, section = ''] = /\{#freshness\}\n([\s\S]*?)^## /m.exec(await docs()) ?? [];
    expect(section.match(/^\| /gm)).to.have.lengthOf(expected + 2);
    for (const { description } of Object.values(caches)) expect(section).to.contain(`\n| ${description} | `);
    expect(section).to.contain('from 1,000,000 rows | 30 s | ');
    expect(section).to.contain('from 2,000 trades | 1 s; 2 s while a new value is loaded | ');
  });
});

describe('a service on an external chain', () => {
  const world = useWorld({
    EMBEDDED: '1',
    RPC_URL: 'http://127.0.0.1:1/secret-key',
    CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
    SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
  });

  it('has no development endpoints', async () => {
    for (const path of ['/dev/faucet', '/dev/posts', '/dev/rpc']) {
      expect(refusal(await world.ask('POST', path, { body: {} }))).to.equal('404 Not found');
    }
  });

  it('has documents without development endpoints and RPC URL', async () => {
    const { body } = await world.ask('GET', '/openapi.json');
    const text = JSON.stringify(body) + String((await world.ask('GET', '/docs')).body.text);
    expect(text).not.to.match(/\/dev\/|secret-key|RPC [`<]/);
    expect(text).not.to.contain(world.deps.market.rpcUrl);
  });
});
