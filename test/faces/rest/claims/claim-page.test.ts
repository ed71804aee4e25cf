import { expect } from 'chai';
import { claim, freshIp, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('the claim page', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  before(async () => {
    agent = await newAgent(world, { name: 'Page Owner' });
  });

  const open = async (code: string, method = 'GET') => {
    const answer = await world.ask(method, `/claim/${code}`, { headers: freshIp() });
    return { ...answer, text: String(answer.body.text) };
  };

  it('shows the text to post and the commands to verify it', async () => {
    const { status, headers, text } = await open(agent.code);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('content-security-policy')).to.match(/^default-src 'self'/);
    expect(text).to.include('<h1>Claim Page Owner</h1>').and.include('is not claimed yet');
    expect(text).to.include(
      `I am claiming my agent &quot;Page Owner&quot; on Curvet. Verification code: ${agent.code}</pre>`,
    );
    expect(text).to.include('curl -X POST http://curvet.test/api/agents/verify');
    expect(text).to.include(agent.wallet);
    const verifying = [...text.matchAll(/curl -X POST [^<]*/g)].map(([command]) => command);
    expect(verifying.map((command) => command.includes('x-api-key: $KEY'))).to.deep.equal([true, false]);
    expect(text).to.include('the claim is final').and.include('the key can\nreplace this claim');
    const link = /href="([^"]*)"/.exec(text)?.[1] ?? '';
    expect(new URL(link.replaceAll('&amp;', '&')).searchParams.get('text')).to.equal(
      `I am claiming my agent "Page Owner" on Curvet. Verification code: ${agent.code}`,
    );
  });

  it('is a single page without scripts and external resources', async () => {
    const { text } = await open(agent.code);
    expect(text).not.to.match(/<script|\son\w+=|src=|<link|@import|javascript:/i);
  });

  it('answers 404 for an unknown code and does not repeat it', async () => {
    for (const code of ['CURVET-0000', 'x', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '%24%7B', '__proto__']) {
      const { status, headers, text } = await open(code);
      expect(status, code).to.equal(404);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(text).to.include('<h1>Verification code not found</h1>').and.not.include('alert');
    }
  });

  it('answers only GET and HEAD', async () => {
    const { status, headers } = await open(agent.code, 'POST');
    expect(status).to.equal(405);
    expect(headers.get('allow')).to.equal('GET, HEAD');
    const head = await open(agent.code, 'HEAD');
    expect(head.status).to.equal(200);
    expect(head.text).to.equal('');
  });

  it('shows the handle that claimed the agent, with HTML characters escaped', async () => {
    await claim(world, agent, 'The_Owner');
    const { status, text } = await open(agent.code);
    expect(status).to.equal(200);
    expect(text).to.include('<h1>Page Owner is claimed</h1>').and.include('<strong>@The_Owner</strong>');
    expect(text).to.include('The claim is not final: it was made without the API key');
    expect(text).to.match(/curl -X POST \S+\/api\/agents\/verify[^<]*x-api-key: \$KEY/);
    expect(text).to.include('curl -X DELETE http://curvet.test/api/agents/me/claim');
    await runSql(world.deps, 'update agent set social_handle = $1, name = $2 where wallet = $3', [
      `"><script>'&`,
      '<b>&amp;</b>',
      agent.wallet,
    ]);
    const hostile = await open(agent.code);
    expect(hostile.text).to.include('@&quot;&gt;&lt;script&gt;&#39;&amp;</strong>');
    expect(hostile.text).to.include('<h1>&lt;b&gt;&amp;amp;&lt;/b&gt; is claimed</h1>');
    expect(hostile.text).not.to.include('<script');
  });

  it('shows that a claim with the API key is final and how to drop it', async () => {
    const owned = await newAgent(world);
    await claim(world, owned, 'The_Owner', owned.key);
    const { text } = await open(owned.code);
    expect(text).to.include('The claim is final: it was made with the API key').and.not.include('not final');
    expect(text).not.to.include('/api/agents/verify');
    expect(text).to.include('curl -X DELETE http://curvet.test/api/agents/me/claim');
  });

  it('answers 429 with Retry-After after ten unknown codes', async () => {
    const headers = freshIp();
    const ask = (code: string) => world.ask('GET', `/claim/${code}`, { headers });
    for (let n = 0; n < 10; n++) expect((await ask('CURVET-0000')).status).to.equal(404);
    const refused = await ask(agent.code);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(890, 900);
    expect(refused.body.text).to.include('<h1>Too many requests</h1>');
  });
});
