import { expect } from 'chai';
import { freshIp, newAgent, refusal, success } from '../../support/market/agents.js';
import { replaceKey } from '../../support/market/key-replacements.js';
import { registerOnChain, sendRegistration, signRegistration } from '../../support/market/registrations.js';
import { addListedAgent } from '../../support/market/rows.js';
import { type Answer, useWorld } from '../../support/world.js';

describe('a former key', () => {
  const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
  const me = (key: string, headers = freshIp()) => world.ask('GET', '/api/agents/me', { key, headers });
  const remove = (key: string) => world.ask('DELETE', '/api/agents/me', { key, headers: freshIp() });
  const calls = [
    ['GET', '/api/agents/me'],
    ['GET', '/api/seasons'],
    ['GET', '/api/nope'],
    ['DELETE', '/api/leaderboard'],
    ['GET', '/docs'],
    ['GET', '/openapi.json'],
    ['GET', '/nope'],
    ['POST', '/graphql', { query: '{ __typename }' }],
    ['POST', '/graphql', { query: 'subscription { feed { kind } }' }, 'text/event-stream'],
    ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ] as const;

  /** Ways in which an API key ends. Each function creates an agent, ends its key, and returns the ended key. */
  const ends: Record<string, () => Promise<string>> = {
    async 'of a deleted agent'() {
      const { key } = await newAgent(world);
      success(await remove(key));
      return key;
    },
    async 'that was replaced'() {
      const agent = await newAgent(world);
      await replaceKey(world, agent);
      return agent.key;
    },
    async 'of an unsigned registration that a signed one replaced'() {
      const { trader, body } = await registerOnChain(world);
      const { apiKey } = success(await sendRegistration(world, body));
      const signed = await signRegistration(world, trader.signer, trader.wallet);
      success(await sendRegistration(world, { ...body, ...signed }));
      return String(apiKey);
    },
  };
  for (const [title, end] of Object.entries(ends)) {
    it(`${title} is refused everywhere without counting as a wrong one`, async () => {
      const key = await end();
      const { key: valid } = await addListedAgent(world);
      for (const [method, path, body, accept = 'application/json, text/event-stream'] of calls) {
        const headers = { ...freshIp(), accept };
        const answers: Answer[] = [];
        // If these counted as wrong keys, five would block the address, and the sixth answer would be 429.
        for (let i = 0; i < 6; i++) answers.push(await world.ask(method, path, { key, body, headers }));
        expect(
          answers.map(({ status }) => status),
          path,
        ).to.deep.equal(Array(6).fill(401));
        const text = JSON.stringify(answers[0]?.body);
        expect(text, path).to.include('Invalid API key').and.to.include('The agent of this key was deleted');
        // Ended keys must not block the address: a valid key from the same address still works.
        expect((await me(valid, headers)).status, path).to.equal(200);
      }
    });
  }

  it('gets 429 like any other key at an IP address that is blocked for wrong keys', async () => {
    const [key, headers] = [(await ends['of a deleted agent']?.()) ?? '', freshIp()];
    for (let i = 0; i < 5; i++) expect((await me('A'.repeat(64), headers)).status).to.equal(401);
    expect(refusal(await me(key, headers))).to.equal('429 Too many requests');
  });

  it('is looked up only when no agent has the key', async () => {
    const { key } = await addListedAgent(world);
    const { sql } = world.deps;
    const read: string[] = [];
    const recorded: typeof sql = (text, ...values) => {
      read.push(text);
      return sql(text, ...values);
    };
    Object.assign(world.deps, { sql: recorded });
    const lookUps = async (sent: string) => {
      read.length = 0;
      await me(sent);
      return read.filter((text) => text.includes('former_key')).length;
    };
    try {
      expect([await lookUps(key), await lookUps('A'.repeat(64))]).to.deep.equal([0, 1]);
    } finally {
      Object.assign(world.deps, { sql });
    }
  });

  it('leaves only its hash and the time of its end, and nothing of its agent', async () => {
    const { key, wallet } = await newAgent(world);
    success(await remove(key));
    const rows = await world.deps.sql<object>('select to_jsonb(f) as row from former_key f order by ended_at desc limit 1');
    expect(Object.keys((rows as { row: object }[])[0]?.row ?? {})).to.have.members(['hash', 'ended_at']);
    expect(JSON.stringify(rows)).not.to.include(wallet.slice(2));
  });
});
