import { expect } from 'chai';
import { dashboardQueries } from '../../../../src/features/dashboard/dashboard.js';
import { costWindows } from '../../../../src/server/graphql/admit.js';
import { addHostileMarket, hostileName, hostileTexts } from '../../../support/browser/hostile-market.js';
import { freshIp } from '../../../support/market/agents.js';
import { withParts } from '../../../support/parts.js';
import { POINTS } from '../../../support/service/graphql.js';
import { rawGet } from '../../../support/service/raw-requests.js';
import { runSql } from '../../../support/store.js';
import { type Answer, useWorld } from '../../../support/world.js';

const PAGE = { accept: 'text/html' };
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
/** The Accept header that Java's HttpURLConnection sends by default. It names HTML first. */
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';

describe('the documents of the dashboard', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  before(() => addHostileMarket(world));

  const open = async (path: string, headers: Record<string, string> = freshIp(), url = world.url) => {
    const { status, headers: given, text: html } = await rawGet(url, path, { ...PAGE, ...headers });
    const [, json] = /<script type="application\/json" id="first-answer">([^<]*)<\/script><\/body>/.exec(html) ?? [];
    const meta = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1];
    const answers = json === undefined ? [] : JSON.parse(json);
    return { status, headers: given, html, meta, answers, first: answers[0] };
  };
  const used = ({ headers }: Answer) => POINTS - Number(/r=(\d+)/.exec(String(headers.get('ratelimit')))?.[1]);

  const pages = [
    ['/', 'Market', {}, '/'],
    ['/feed', 'Feed', { type: null, after: null }, '/feed'],
    ['/seasons', 'Seasons', {}, '/seasons'],
    ['/seasons/01', 'Season', { number: 1 }, '/seasons/1'],
    ['/agents/HOSTILE_0', 'Agent', { agentId: 'HOSTILE_0', chain: true }, '/agents/hostile_0'],
  ] as const;
  for (const [path, operation, variables, canonical] of pages) {
    it(`contain the answer of the first query, cost as much as it, and name their canonical address: ${path}`, async () => {
      const ip = freshIp();
      const { status, headers, html, meta, first } = await open(path, ip);
      expect([status, headers['cache-control']]).to.deep.equal([200, 'no-cache']);
      expect({ operation: first.operation, variables: first.variables }).to.deep.equal({ operation, variables });
      const query = dashboardQueries().find(
        (text) => text.startsWith(`query ${operation} `) || text.startsWith(`query ${operation}(`),
      );
      const asked = await world.ask('POST', '/graphql', { headers: ip, body: { query, variables } });
      expect(first.answer).to.deep.equal(asked.body);
      const alone = await world.ask('POST', '/graphql', { headers: freshIp(), body: { query, variables } });
      expect(used(asked), 'the page costs as much as the request').to.equal(2 * used(alone));
      expect(html).to.include(`<link rel="canonical" href="${world.deps.publicUrl}${canonical}">`);
      expect(meta('og:url')).to.equal(world.deps.publicUrl + canonical);
      expect(meta('og:title')).to.match(/^[^<]+ · Curvet$/);
      expect(meta('description')).to.equal(meta('og:description')).and.have.length.above(20);
    });
  }

  it('contain the newest answer, in the encoding that the browser accepts', async () => {
    const path = '/agents/hostile_2';
    const ofBrowser = { ...freshIp(), 'accept-encoding': 'br' };
    const packed = await open(path, ofBrowser);
    const plain = await open(path);
    expect([packed, plain].map(({ headers }) => headers['content-encoding'])).to.deep.equal(['br', undefined]);
    expect((await open(path)).headers.etag).to.equal(plain.headers.etag);
    const { bio } = plain.first.answer.data.agent;
    const change = (text: string) => runSql(world.deps, 'update agent set bio = $1 where agent_id = $2', [text, 'hostile_2']);
    await change('A new one');
    world.clock.advance(2000);
    const changed = await open(path);
    await change(bio);
    expect(changed.first.answer.data.agent.bio).to.equal('A new one');
    expect(changed.headers.etag).to.not.equal(plain.headers.etag);
  });

  it('describe the agent or the season in their head', async () => {
    const agent = await open('/agents/hostile_4');
    expect(agent.html).to.include('<title>&lt;/title&gt;&lt;svg on · Curvet</title>');
    expect(agent.meta('description')).to.match(
      /^A ticket costs 0\.0\d+ ETH \([+−]?[\d.,]+ % in 24 h\)\. 36 tickets, 7 holders\. &lt;\/title&gt;/,
    );
    expect(agent.meta('og:image')).to.equal(`${world.deps.publicUrl}/share/agents/hostile_4.png`);
    expect(agent.meta('twitter:card')).to.equal('summary_large_image');
    const season = await open('/seasons/1');
    expect(season.html).to.include('<title>Season 1 · Curvet</title>');
    expect(season.meta('description')).to.match(/^Season 1: 12 agents, from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\. /);
    expect(season.meta('og:image')).to.equal(`${world.deps.publicUrl}/share/seasons/1.png`);
    for (const path of ['/', '/feed']) {
      expect((await open(path)).meta('og:image')).to.equal(`${world.deps.publicUrl}/share/market.png`);
    }
  });

  for (const [i, text] of hostileTexts.entries()) {
    it(`contain hostile texts only as data: ${text}`, async () => {
      const { html, first } = await open(`/agents/hostile_${i}`);
      const { name, bio } = first.answer.data.agent;
      expect({ name, bio }).to.deep.equal({ name: hostileName(text), bio: text });
      expect(html.match(/<script/g)).to.have.length(3);
      expect(html).to.not.match(/<(?:img|svg)|javascript:[^<]*">\s*<a/);
    });
  }

  for (const path of ['/agents/nobody', '/agents/%00', '/seasons/9', '/seasons/0', '/seasons/first', '/seasons/99999999999']) {
    it(`have the status 404 and no answer for what does not exist: ${path}`, async () => {
      const { status, html, first } = await open(path);
      expect([status, first]).to.deep.equal([404, undefined]);
      expect(html).to.include('<div id="app">');
      const same = await open(path, { ...freshIp(), 'if-none-match': '*' });
      expect([same.status, same.headers.etag, same.html]).to.deep.equal([404, undefined, html]);
    });
  }

  it('contain no answer of a query with a filter or a chosen order', async () => {
    const { status, first } = await open('/feed?type=sold');
    expect([status, first]).to.deep.equal([200, undefined]);
    for (const path of ['/?sort=price', '/?list=all&sort=price', '/?list=some']) {
      const { answers } = await open(path);
      expect(answers.map(({ operation }: { operation: string }) => operation)).to.deep.equal(['Market']);
    }
  });

  it('contain the list of all agents, too, if the address names it', async () => {
    const { answers, html } = await open('/?list=all');
    expect(answers.map(({ operation }: { operation: string }) => operation)).to.deep.equal(['Market', 'AgentList']);
    const query = dashboardQueries().find((text) => text.startsWith('query AgentList('));
    const { body } = await world.ask('POST', '/graphql', { headers: freshIp(), body: { query } });
    expect([answers[1].variables, answers[1].answer]).to.deep.equal([{}, body]);
    expect(body.data).to.have.nested.property('agents.nodes[0].name', hostileName(hostileTexts[0] as string));
    expect(html).to.include(`<link rel="canonical" href="${world.deps.publicUrl}/">`);
  });

  it('are served without an answer if the IP address has used up its points', async () => {
    const ip = freshIp();
    const windows = costWindows(null, ip['x-forwarded-for']).map((window) => ({ ...window, cost: POINTS }));
    await world.deps.limits.take(windows, world.clock.now().getTime());
    const { status, first } = await open('/', ip);
    expect([status, first]).to.deep.equal([200, undefined]);
  });

  it('are served without an answer if the database does not answer', async () => {
    const sql = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    await withParts(world, { sql }, async ({ url }) => {
      const { status, html, first } = await open('/agents/hostile_2', freshIp(), url);
      expect([status, first]).to.deep.equal([200, undefined]);
      expect(html).to.include('<title>Agent · Curvet</title>');
    });
  });

  it('show browsers a page with 404 at unknown paths, where other clients get an error in JSON', async () => {
    const get = (accept: string, method = 'GET') => rawGet(world.url, '/nowhere', { accept, ...freshIp() }, method);
    const { status, headers, text } = await get(BROWSER);
    expect(status).to.equal(404);
    expect(headers).to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).to.match(/^default-src 'self'/);
    expect(headers.vary).to.include('Accept');
    expect(text).to.include('<title>Page not found · Curvet</title>');
    for (const other of [await get('*/*'), await get('application/json'), await get('text/html', 'POST')]) {
      expect([other.status, JSON.parse(other.text).success]).to.deep.equal([404, false]);
    }
    expect((await get('*/*')).headers.vary).to.equal('Origin, Accept');
  });
});

describe('an error below a path for programs', () => {
  const world = useWorld({
    TRUST_PROXY: '1',
    CRON_SECRET: 'secret-of-the-scheduler',
    WEBHOOK_SIGNING_KEY: 'key-of-the-provider',
  });

  for (const [method, path, status] of [
    ['POST', '/api', 405],
    ['GET', '/api/', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/agents/x/nothing', 404],
    ['HEAD', '/api/nothing', 404],
    ['GET', '/api/agents/nobody', 404],
    ['GET', '/api/agents?limit=0', 400],
    ['GET', '/api/tickets/buy', 405],
    ['GET', '/graphql/', 404],
    ['GET', '/graphql/none', 404],
    ['POST', '/graphql', 400],
    ['GET', '/mcp', 405],
    ['GET', '/mcp/x', 404],
    ['POST', '/mcp', 400],
    ['GET', '/internal', 404],
    ['GET', '/internal/x', 404],
    ['POST', '/internal/seasons', 401],
    ['GET', '/dev/none', 404],
    ['POST', '/dev/faucet', 400],
    ['GET', '/webhooks/none', 404],
    ['POST', '/webhooks/chain', 401],
  ] as const) {
    it(`is JSON whatever the client accepts: ${method} ${path} ${status}`, async () => {
      for (const accept of [BROWSER, JAVA, 'text/html', 'application/xhtml+xml', 'image/*', 'application/json', '*/*']) {
        const answer = await rawGet(world.url, path, { accept, ...freshIp() }, method);
        expect(answer.status, accept).to.equal(status);
        expect(answer.headers['content-type'], accept).to.match(/^application\/json(; charset=utf-8)?$/);
        if (method === 'HEAD') continue;
        expect(JSON.parse(answer.text), accept).to.have.any.keys('error', 'errors');
      }
    });
  }

  it('names Accept in Vary where the path shows the editor to browsers', async () => {
    for (const [given, status] of [
      [{}, 400],
      [{ 'x-api-key': 'wrong' }, 401],
    ] as const) {
      const headers = { accept: 'application/json', ...given, ...freshIp() };
      const refused = await rawGet(world.url, '/graphql', headers);
      expect([refused.status, refused.headers.vary]).to.deep.equal([status, 'Origin, X-Api-Key, Accept, GraphQL-Cost']);
    }
    const page = await rawGet(world.url, '/graphql', { accept: BROWSER, ...freshIp() });
    expect([page.status, page.headers.vary]).to.deep.equal([200, 'Origin, Accept, Accept-Encoding']);
  });
});
