import { expect } from 'chai';
import { freshIp, newAgent } from '../support/market/agents.js';
import { useWorld } from '../support/world.js';

describe('the document of the claim page', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  it('is not listed and not stored, and is the same for every code', async () => {
    const { code } = await newAgent(world);
    const open = (of: string, method = 'GET') => world.ask(method, `/claim/${of}`, { headers: freshIp() });
    const { status, headers, body } = await open(code);
    expect([status, headers.get('cache-control'), headers.get('x-robots-tag')]).to.deep.equal([
      200,
      'no-store',
      'noindex',
    ]);
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(body.text).to.not.include(code);
    expect((await open('CURVET-0000')).body.text).to.equal(body.text);
    const post = await open(code, 'POST');
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect((await open(code, 'HEAD')).body.text).to.equal('');
  });
});
