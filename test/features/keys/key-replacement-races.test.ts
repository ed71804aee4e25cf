// Server: transactions run at the same time on PostgreSQL only.
import { expect } from 'chai';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { replaceKey, sendReplacement, signReplacement } from '../../support/market/key-replacements.js';
import { type Answer, useWorld } from '../../support/world.js';

describe('concurrent replacements of a key', () => {
  const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
  const send = (body: unknown) => sendReplacement(world, body);
  const sign = ({ trader, wallet }: TestAgent) => signReplacement(world, trader.signer, wallet);
  const isValid = async (key: unknown) =>
    (await world.ask('GET', '/api/agents/me', { key: String(key), headers: freshIp() })).status === 200;
  const remove = (key: string) => world.ask('DELETE', '/api/agents/me', { key, headers: freshIp() });
  const keysOf = (answers: readonly Answer[]) =>
    answers.filter(({ status }) => status === 200).map(({ body }) => String(body.apiKey));

  it('succeed once for equal requests, and 3 times for others, and leave one valid key', async () => {
    const agent = await newAgent(world);
    const body = await sign(agent);
    const equal = await Promise.all(Array.from({ length: 5 }, () => send(body)));
    expect(equal.map(refusal).sort().slice(1)).to.deep.equal(Array(4).fill('409 Nonce already used'));
    expect(await isValid(keysOf(equal)[0])).to.equal(true);
    const bodies = await Promise.all(Array.from({ length: 5 }, () => sign(agent)));
    const others = await Promise.all(bodies.map(send));
    expect(keysOf(others)).to.have.length(2);
    expect(others.filter(({ status }) => status === 429)).to.have.length(3);
    const valid = await Promise.all([agent.key, ...keysOf([...equal, ...others])].map(isValid));
    expect([valid[0], valid.filter(Boolean).length]).to.deep.equal([false, 1]);
  });

  it('and a deletion with the old key do not both succeed', async () => {
    for (let round = 0; round < 6; round++) {
      const agent = await newAgent(world);
      const body = await sign(agent);
      const [replaced, deleted] = await Promise.all([send(body), remove(agent.key)]);
      if (deleted.status === 200) expect(refusal(replaced)).to.equal('404 Agent not found');
      else {
        expect(refusal(deleted)).to.equal('401 Invalid API key');
        expect(await isValid(success(replaced).apiKey)).to.equal(true);
      }
    }
  });

  it('refuse a deletion that was authenticated before', async () => {
    const agent = await newAgent(world);
    const { write } = world.deps;
    let key = '';
    const late: typeof write = async (...args) => {
      Object.assign(world.deps, { write });
      key = await replaceKey(world, agent);
      return write(...args);
    };
    Object.assign(world.deps, { write: late });
    expect(refusal(await remove(agent.key))).to.equal('401 Invalid API key');
    expect(await isValid(key)).to.equal(true);
  });
});
