import { expect } from 'chai';
import { freshIp, newAgent } from '../../support/market/agents.js';
import { type Answer, useWorld } from '../../support/world.js';

const policy = ({ headers }: Answer) => headers.get('ratelimit-policy');
const standing = ({ headers }: Answer) => headers.get('ratelimit');

describe('the rate limit of a read', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  it('counts answered requests, but not invalid requests or unknown targets', async () => {
    const headers = freshIp();
    const { wallet } = await newAgent(world);
    const ask = (path: string) => world.ask('GET', path, { headers });
    for (const path of ['/api/price', '/api/price?agent=bad', `/api/price?agent=${wallet}&amount=0`]) {
      const answer = await ask(path);
      expect([answer.status, policy(answer)]).to.deep.equal([400, '"global";q=20;w=60']);
    }
    for (let i = 0; i < 3; i++) expect((await ask('/api/agents/nobody_here/pnl')).status).to.equal(404);
    for (let i = 0; i < 2; i++) expect((await ask(`/api/agents/${wallet}/pnl`)).status).to.equal(200);
    const refused = await ask(`/api/agents/${wallet}/pnl`);
    expect([refused.status, policy(refused)]).to.deep.equal([429, '"global";q=20;w=60, "pnl";q=2;w=60']);
    expect(standing(await ask('/api/seasons'))).to.match(/^"global";r=11;/);
  });

  it('holds for concurrent requests', async () => {
    const headers = freshIp();
    const { wallet } = await newAgent(world);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.ask('GET', `/api/agents/${wallet}/pnl`, { headers })),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(2);
  });
});
