import { expect } from 'chai';
import { readConfig } from '../../../../../src/config/config.js';
import { claim, freshIp, newAgent, refusal, success } from '../../../../support/market/agents.js';
import { replaceKey, type Signed, sendReplacement, signReplacement } from '../../../../support/market/key-replacements.js';
import { registerOnChain, sendRegistration, signRegistration } from '../../../../support/market/registrations.js';
import { newTrader } from '../../../../support/market/traders.js';
import { withParts } from '../../../../support/parts.js';
import { drawUuid } from '../../../../support/seed.js';
import { type Answer, useWorld } from '../../../../support/world.js';

const INVALID = '422 Key replacement signature is not valid';
const DAY = 86_400_000;

describe('POST /api/agents/key', () => {
  const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
  const send = (body: unknown) => sendReplacement(world, body);
  const sign = (agent: Parameters<typeof replaceKey>[1], signed?: Signed) =>
    signReplacement(world, agent.trader.signer, agent.wallet, signed);
  const me = (key: string) => world.ask('GET', '/api/agents/me', { key, headers: freshIp() });
  const isValid = async (key: unknown) => (await me(String(key))).status === 200;
  const remove = (key: string) => world.ask('DELETE', '/api/agents/me', { key, headers: freshIp() });
  const keysOf = (answers: readonly Answer[]) =>
    answers.filter(({ status }) => status === 200).map(({ body }) => String(body.apiKey));

  it('replaces the key, changes nothing else of the agent, and notifies it each time', async () => {
    const agent = await newAgent(world, { description: 'I look ahead.' });
    await claim(world, agent);
    const row = () => world.deps.sql("select to_jsonb(a) - 'api_key_hash' as row from agent a where wallet = $1", [agent.wallet]);
    const before = await row();
    const answer = await send(await sign(agent));
    const { apiKey } = success(answer);
    const { name, agentId, wallet: walletAddress } = agent;
    expect(answer.body).to.deep.equal({ success: true, name, agentId, walletAddress, apiKey });
    expect(apiKey).to.match(/^[A-Za-z0-9_-]{64}$/);
    expect(refusal(await me(agent.key))).to.equal('401 Invalid API key');
    expect((await me(String(apiKey))).body.agent).to.include({ name, description: 'I look ahead.', isClaimed: true });
    expect(await row()).to.deep.equal(before);
    // A second replacement soon after the first causes another notification, because it may come from a thief.
    const key = await replaceKey(world, agent);
    const told = success(await world.ask('GET', '/api/notifications', { key })).notifications as object[];
    expect(told).to.have.length(2);
    const message = 'Your API key was replaced with a signature of your wallet';
    for (const notice of told) expect(notice).to.include({ type: 'KEY_REPLACED', message, read: false });
  });

  it('returns the new key with no-store, and writes it neither to the log nor to the database', async () => {
    const agent = await newAgent(world);
    const answer = await send(await sign(agent));
    const key = String(success(answer).apiKey);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.get('etag')).to.equal(null);
    await send(await sign(agent, { nonce: 'short' }));
    expect(JSON.stringify(world.logged)).not.to.include(key).and.not.to.include(agent.key);
    const tables = await world.deps.sql<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of tables) {
      const rows = await world.deps.sql(`select from ${name} t where t::text like $1`, [`%${key}%`]);
      expect(rows, name).to.deep.equal([]);
    }
  });

  it('accepts each nonce of a wallet once, also after a deletion', async () => {
    const [agent, other] = [await newAgent(world), await newAgent(world)];
    const nonce = drawUuid();
    const body = await sign(agent, { nonce });
    const key = String(success(await send(body)).apiKey);
    expect(refusal(await send(body))).to.equal('409 Nonce already used');
    world.clock.advance(1);
    expect(refusal(await send(await sign(agent, { nonce })))).to.equal('409 Nonce already used');
    success(await send(await sign(other, { nonce })));
    success(await remove(key));
    const again = { name: agent.name, walletAddress: agent.wallet };
    const { apiKey } = success(await sendRegistration(world, again));
    expect(refusal(await send(body))).to.equal('409 Nonce already used');
    expect(await isValid(apiKey)).to.equal(true);
  });

  it('replaces the key of a wallet at most 3 times in 24 hours, not counting refused requests', async () => {
    const [agent, other] = [await newAgent(world), await newAgent(world)];
    const stranger = await newTrader(world.chain);
    for (let i = 0; i < 4; i++) {
      expect(refusal(await send(await signReplacement(world, stranger.signer, agent.wallet)))).to.equal(INVALID);
    }
    for (let i = 0; i < 3; i++) {
      world.clock.advance(60_000);
      await replaceKey(world, agent);
    }
    const answer = await send(await sign(agent));
    expect(refusal(answer)).to.equal('429 Too many requests');
    expect(answer.body.hint).to.match(/^The limit of 3 key replacements per 24 hours per wallet is reached\./);
    // The first replacement was two minutes ago.
    expect(answer.headers.get('retry-after')).to.equal(String(DAY / 1000 - 120));
    success(await send(await sign(other)));
    world.clock.advance(DAY - 120_000);
    success(await send(await sign(agent)));
    expect(refusal(await send(await sign(agent)))).to.equal('429 Too many requests');
    const count = 'select count(*)::int as n from key_replacement where wallet = $1';
    expect(await world.deps.sql(count, [agent.wallet])).to.deep.equal([{ n: 3 }]);
  });

  it('succeeds once for equal concurrent requests, 3 times in all, and leaves one valid key', async () => {
    const agent = await newAgent(world);
    const body = await sign(agent);
    const equal = await Promise.all(Array.from({ length: 5 }, () => send(body)));
    expect(equal.map(refusal).sort().slice(1)).to.deep.equal(Array(4).fill('409 Nonce already used'));
    expect(await isValid(keysOf(equal)[0])).to.equal(true);
    const bodies = await Promise.all(Array.from({ length: 5 }, () => sign(agent)));
    const others = await Promise.all(bodies.map(send));
    // The wallet has already used one of its three replacements.
    expect(keysOf(others)).to.have.length(2);
    expect(others.filter(({ status }) => status === 429)).to.have.length(3);
    const valid = await Promise.all([agent.key, ...keysOf([...equal, ...others])].map(isValid));
    expect([valid[0], valid.filter(Boolean).length]).to.deep.equal([false, 1]);
  });

  it('does not succeed together with a concurrent deletion by the old key', async () => {
    // Either request can come first, so several rounds are likely to have both orders.
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

  it('stops a deletion that the old key has already authenticated', async () => {
    const agent = await newAgent(world);
    const { write } = world.deps;
    let key = '';
    // Replaces the key when the deletion is authenticated, right before its transaction.
    const late: typeof write = async (...args) => {
      Object.assign(world.deps, { write });
      key = await replaceKey(world, agent);
      return write(...args);
    };
    Object.assign(world.deps, { write: late });
    expect(refusal(await remove(agent.key))).to.equal('401 Invalid API key');
    expect(await isValid(key)).to.equal(true);
  });

  it('is recommended to a wallet whose signed registration is refused', async () => {
    const { trader, body } = await registerOnChain(world);
    const register = async () => {
      world.clock.advance(1);
      return sendRegistration(world, { ...body, ...(await signRegistration(world, trader.signer, trader.wallet)) });
    };
    success(await register());
    const answer = await register();
    expect(refusal(answer)).to.equal('409 Agent already exists');
    expect(answer.body.hint).to.include('POST /api/agents/key').and.to.include('/docs#signed');
  });

  it('neither exists nor is documented at a service that does not replace keys', async () => {
    const agent = await newAgent(world);
    const config = readConfig({ TRUST_PROXY: '1' });
    await withParts(world, { config }, async (other) => {
      const body = await signReplacement(other, agent.trader.signer, agent.wallet);
      const answer = await sendReplacement(other, body);
      const unknown = await other.ask('POST', '/api/agents/nothing', { body, headers: freshIp() });
      expect([answer.status, answer.body]).to.deep.equal([unknown.status, unknown.body]);
      for (const path of ['/openapi.json', '/docs']) {
        const { status, body } = await other.ask('GET', path, { headers: freshIp() });
        expect([path, status]).to.deep.equal([path, 200]);
        expect(JSON.stringify(body), path)
          .to.match(/register/i)
          .and.not.match(/agents\/key|key-replacements|replaceKey/i);
      }
      expect((await other.ask('GET', '/api/agents/me', { key: agent.key })).status).to.equal(200);
    });
  });
});
