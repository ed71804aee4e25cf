import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import { type Declared, remoteCaches, serviceCaches } from '../../../../src/cache/caches.js';
import { VERSION } from '../../../../src/config/config.js';
import { errorTable } from '../../../../src/errors/errors.js';
import { endpoints, pathLimits, tags, toolsFor } from '../../../../src/features/features.js';
import { serveDocuments } from '../../../../src/features/guides/documents.js';
import { chapterIds } from '../../../../src/features/guides/guides.js';
import { errorsOf } from '../../../../src/server/openapi/failures.js';
import { limitsOf } from '../../../../src/server/openapi/limits.js';
import { outsideLimit } from '../../../../src/server/rate-limits.js';
import { freshIp, refusal, success } from '../../../support/market/agents.js';
import type { Json } from '../../../support/service/graphql.js';
import { frontMatter } from '../../../support/service/guides.js';
import { listen } from '../../../support/service/listen.js';
import { root } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

const committed = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
const MARKDOWN = 'text/markdown; charset=utf-8';
const documents: Readonly<Record<string, string>> = {
  '/skill.md': MARKDOWN,
  '/heartbeat.md': MARKDOWN,
  '/llms.txt': 'text/plain; charset=utf-8',
  '/.well-known/agent-skills/index.json': 'application/json; charset=utf-8',
  '/.well-known/agent-registration.json': 'application/json; charset=utf-8',
  '/.well-known/api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
};

describe('the documents of the service', () => {
  const origin = 'https://app.example';
  const world = useWorld({ CORS_ORIGINS: origin, TRUST_PROXY: '1' });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(world.url + path, { method, headers: { ...freshIp(), ...headers }, redirect: 'manual' });
  const json = async (path: string) => JSON.parse(await (await get(path)).text());
  /** Requests a link of a document, which must lead to this service, and checks the status of the answer. */
  async function follow(link: string, accept = '*/*', status = 200): Promise<Response> {
    expect(link.startsWith(`${world.deps.publicUrl}/`), link).to.equal(true);
    const answer = await get(link.slice(world.deps.publicUrl.length), { accept });
    expect([link, answer.status]).to.deep.equal([link, status]);
    return answer;
  }

  for (const [path, type] of Object.entries(documents)) {
    it(`are served with type, limits and CORS: ${path}`, async () => {
      const answer = await get(path, { origin });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal(type);
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
      expect(answer.headers.get('access-control-allow-origin')).to.equal(origin);
      expect(answer.headers.get('ratelimit-policy')).to.equal('"outside";q=300;w=60');
      const text = await answer.text();
      expect(text).to.contain(world.deps.publicUrl);
      expect((await get(path, {}, 'POST')).status).to.equal(405);
    });
  }

  it('give the digest of each guide, over the bytes that are served', async () => {
    const index = await json('/.well-known/agent-skills/index.json');
    expect(index.$schema).to.equal('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    expect(index.skills.map(({ name }: Json) => name)).to.deep.equal(['curvet', 'curvet-heartbeat']);
    for (const { name, type, description, url, digest } of index.skills) {
      const text = await (await follow(url)).text();
      expect([type, digest]).to.deep.equal(['skill-md', `sha256:${hash('sha256', text)}`]);
      expect(frontMatter(text)).to.include({ name, description });
    }
  });

  it('list the APIs as a link set whose links work, and link to it', async () => {
    const catalogue = '/.well-known/api-catalog';
    const link = `<${world.deps.publicUrl}${catalogue}>; rel="api-catalog"`;
    expect((await get(catalogue, {}, 'HEAD')).headers.get('link')).to.equal(link);
    const [catalog, ...apis] = (await json(catalogue)).linkset;
    expect(catalog.item).to.deep.equal(apis.map(({ anchor }: Json) => ({ href: anchor })));
    const links: Json[] = apis.flatMap(({ anchor, ...relations }: Json) => Object.values(relations).flat());
    expect(links).to.have.length.of.at.least(6);
    for (const { href, type } of links) {
      expect((await follow(href, type)).headers.get('content-type')).to.match(new RegExp(`^${type}`));
    }
  });

  it('list the guides in the form of llms.txt, with links that work', async () => {
    const text = await (await get('/llms.txt')).text();
    expect(text).to.match(/^# Curvet\n\n> [^\n]+\n\n[^#]+\n\n## Guides\n/);
    expect(text.match(/^## .*$/gm)).to.deep.equal(['## Guides', '## Reference', '## Optional']);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url = '']) => url);
    expect(links).to.have.lengthOf(text.match(/^- /gm)?.length ?? 0);
    for (const url of links) await follow(url);
  });

  it('are Markdown at /docs, but redirect clients that prefer HTML to the page for developers', async () => {
    for (const [accept, prefersPage] of [
      ['text/markdown', false],
      ['text/markdown, text/html;q=0.9, */*;q=0.5', false],
      ['text/html;q=0.5, text/markdown', false],
      ['*/*', false],
      ['application/json', false],
      ['text/html, text/markdown;q=0.9', true],
      ['text/html,application/xhtml+xml,*/*;q=0.8', true],
    ] as const) {
      const { status, headers } = await get('/docs', { accept });
      expect([accept, status, headers.get('location')]).to.deep.equal(
        prefersPage ? [accept, 302, '/developers'] : [accept, 200, null],
      );
      if (!prefersPage) expect(headers.get('content-type')).to.equal(MARKDOWN);
      expect(headers.get('vary'))
        .to.match(/\bAccept(,|$)/)
        .and.include('Origin');
      expect(headers.get('cache-control')).to.equal('public, max-age=300');
    }
  });

  it('have the same Markdown at /docs.md, also for browsers, and at /docs without a dashboard', async () => {
    const markdown = await (await get('/docs')).text();
    const headers = { accept: 'text/html' };
    const page = await get('/docs.md', headers);
    expect(page.headers.get('content-type')).to.equal(MARKDOWN);
    expect(page.headers.get('vary')).to.equal('Origin, Accept-Encoding');
    expect(await page.text()).to.equal(markdown);
    const router = new Router();
    const { config } = world.deps;
    serveDocuments(world.deps, router, { endpoints: endpoints(config), tools: toolsFor(config), tags }, []);
    const server = createServer(new Koa().use(router.routes()).callback());
    const answer = await fetch(`${await listen(server)}/docs`, { redirect: 'manual', headers });
    expect([answer.status, await answer.text()]).to.deep.equal([200, markdown]);
    server.closeAllConnections();
    server.close();
  });

  it('begin with GET /api, which names the service and links to guide, APIs and state without a key', async () => {
    const { success: isSuccess, name, version, url, ...links } = await json('/api');
    expect([isSuccess, name, version, url]).to.deep.equal([true, 'Curvet', VERSION, world.deps.publicUrl]);
    expect(links).to.have.all.keys('guide', 'docs', 'openapi', 'graphql', 'mcp', 'liveEvents', 'status');
    // GraphQL and MCP only take POST, so they refuse this GET.
    const refused: Record<string, number> = { graphql: 400, mcp: 405 };
    for (const [what, link] of Object.entries<string>(links)) await follow(link, '*/*', refused[what]);
    const { item } = (await json('/.well-known/api-catalog')).linkset[0];
    expect(item.map(({ href }: Json) => href)).to.include(`${world.deps.publicUrl}/api`);
  });

  const ask = async (query: string) => success(await world.ask('GET', `/api/skill-version${query}`, { headers: freshIp() }));

  it('list at GET /api/skill-version the changes since a version, or all changes without one', async () => {
    const url = `${world.deps.publicUrl}/skill.md`;
    for (const path of ['/skill.md', '/heartbeat.md']) {
      const { version } = frontMatter(await (await get(path)).text()).metadata;
      const expected = { success: true, version, changed: false, changes: [], url };
      expect(await ask(`?current=${version}`)).to.deep.equal(expected);
    }
    const { version: present, changes } = await ask('');
    expect(changes).to.have.length.of.at.least(1);
    // The same number with another fingerprint: the text is the same, but a fact of the service differs.
    const other = await ask(`?current=${String(present).split('-')[0]}-00000000`);
    const changed = ['The chain, the contract, a URL or a setting of the service changed.'];
    expect(other).to.deep.include({ version: present, changed: true, changes: changed });
  });

  it('refuse an invalid version at GET /api/skill-version', async () => {
    for (const wrong of ['0-5d41402a', '1', '1-5d41402A', '1-5d41402a+', 'latest']) {
      expect(refusal(await world.ask('GET', `/api/skill-version?current=${wrong}`, { headers: freshIp() }))).to.equal(
        '400 Invalid query parameter: current',
      );
    }
  });

  it('name the version of the package in OpenAPI', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(committed.info.version).to.equal(version);
  });

  it('include the committed OpenAPI document with the URL, chain and contract of the service', async () => {
    const body = success(await world.ask('GET', '/openapi.json'));
    expect(body.servers).to.deep.equal([{ url: world.deps.publicUrl }]);
    const examples = JSON.stringify(committed.paths).replaceAll(committed.servers[0].url, world.deps.publicUrl);
    const paths = JSON.stringify(body.paths).replaceAll(committed.servers[0].url, world.deps.publicUrl);
    expect(JSON.parse(paths)).to.deep.equal(JSON.parse(examples));
    expect(body.components).to.deep.equal(committed.components);
    const { chain } = world.deps;
    for (const fact of [String(chain.chainId), chain.contract, chain.rpcUrl]) {
      expect((body.info as { description: string }).description).to.contain(fact);
    }
  });

  const docs = async () => String((await world.ask('GET', '/docs')).body.text);
  /** The ids that the headings name, in the order of the document. */
  const fragmentsIn = (text: string) => [...text.matchAll(/^##+ .* \{#([\w-]+)\}$/gm)].map(([, id = '']) => id);
  const operations = Object.entries(committed.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, item]) => Object.entries(item).map(([method, { operationId: id }]) => ({ method, path, id })),
  );

  it('are Markdown without HTML at /docs, with links that lead to headings', async () => {
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

  it('show at /docs exactly the declared operations with their ids, the contract and the text to sign', async () => {
    const text = await docs();
    const headings = operations.map(({ method, path, id }) => `### ${method.toUpperCase()} ${path} {#${id}}`);
    expect(text.match(/^### [A-Z]+ \/.*$/gm)).to.have.members(headings);
    const { chain, publicUrl } = world.deps;
    const facts = [publicUrl, chain.contract, chain.rpcUrl].map((fact) => `\`${fact}\``);
    for (const fact of [...facts, `chain ID ${chain.chainId}`]) expect(text.split('\n## ')[0]).to.contain(fact);
    expect(text).to.contain(`Curvet agent registration\nService: ${publicUrl}\nChain ID: ${chain.chainId}\nWallet: 0x`);
  });

  it('start at /docs with the chapters in order, end with the operations, and use each fragment once', async () => {
    const text = await docs();
    const fragments = fragmentsIn(text);
    expect(fragments.slice(0, chapterIds.length)).to.deep.equal(chapterIds);
    expect(new Set(fragments).size).to.equal(fragments.length);
    expect(text.match(/^## .*$/gm)?.at(-1)).to.equal('## Operations');
  });

  it('list at /docs every error of an endpoint and every window of a rate limit', async () => {
    const text = await docs();
    const declared = endpoints(world.deps.config);
    for (const code of new Set(declared.flatMap((one) => errorsOf(one, world.deps.config)))) {
      expect(text, code).to.contain(`\n| ${errorTable[code][0]} | \`${errorTable[code][1]}\` | `);
    }
    const maxima = Object.entries(pathLimits).map(([start, { max }]) => [start, max]);
    expect(maxima).to.deep.equal([
      ['/assets/', 3000],
      ['/share/', 20],
      ['/dev/', 300],
    ]);
    const outside = [outsideLimit, ...Object.values(pathLimits)];
    for (const { name, max, seconds } of [...declared.flatMap(limitsOf), ...outside]) {
      expect(text).to.contain(`\n| \`${name}\` | ${max} per ${seconds} s per`);
    }
  });

  it('list at /docs every cache, and its age for large data', async () => {
    const caches = { ...serviceCaches, ...remoteCaches };
    const expected = Object.values<Declared>(caches).reduce((count, { large = [] }) => count + 1 + large.length, 0);
    const [, section = ''] = /\{#freshness\}\n([\s\S]*?)^## /m.exec(await docs()) ?? [];
    // The table also has a head, and the line below it.
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

  it('mentions neither development endpoints nor its RPC URL in its documents', async () => {
    const { body } = await world.ask('GET', '/openapi.json');
    const text = JSON.stringify(body) + String((await world.ask('GET', '/docs')).body.text);
    expect(text).not.to.match(/\/dev\/|secret-key|RPC [`<]/);
    expect(text).not.to.contain(world.deps.chain.rpcUrl);
  });
});
