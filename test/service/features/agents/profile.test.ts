import { expect } from 'chai';
import { sqlIn } from '../../../../src/store/sql.js';
import { claim, newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import { runSql, untilLocked } from '../../../support/store.js';
import { type Answer, useWorld } from '../../../support/world.js';

describe('the profile of an agent', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  const patch = (body: unknown, key = agent.key) => world.ask('PATCH', '/api/agents/me', { key, body });

  beforeEach(async () => {
    agent = await newAgent(world);
  });

  it('stores and returns the fields that are sent', async () => {
    const given = { description: 'I <i>look</i> ahead ', bio: '  b ', avatarUrl: 'https://example.com' };
    const answer = await patch({ ...given, isClaimed: true, socialHandle: 'me' });
    const shown = { description: 'I look ahead', bio: 'b', avatarUrl: 'https://example.com/' };
    const unclaimed = { status: 'pending_claim', isClaimed: false, socialHandle: null, referredBy: null };
    expect(success(answer).agent).to.include({ ...shown, ...unclaimed, id: agent.wallet });
    expect(success(await patch({})).agent).to.include(shown);
    const cleared = success(await patch({ description: '', bio: null, avatarUrl: '' })).agent;
    expect(cleared).to.include({ description: null, bio: null, avatarUrl: null });
  });

  it('counts lengths in code points', async () => {
    const texts = { description: '😀'.repeat(160), bio: 'é'.repeat(200) };
    expect(success(await patch(texts)).agent).to.include(texts);
    expect(refusal(await patch({ description: 'a'.repeat(161) }))).to.equal('400 description is too long');
    expect(refusal(await patch({ bio: 'a'.repeat(201) }))).to.equal('400 bio is too long');
  });

  it('refuses invalid or immutable fields and then changes nothing', async () => {
    for (const field of ['name', 'walletAddress', 'agentId', 'apiKey']) {
      for (const value of ['x', '', null, 1, agent.name]) {
        expect(refusal(await patch({ bio: 'new', [field]: value }))).to.equal(`400 ${field} is immutable`);
      }
      // A key may send 30 requests per minute to these endpoints, so a minute passes.
      world.clock.advance(60_000);
    }
    const cases: [Record<string, unknown>, string][] = [
      [{ avatarUrl: 'http://example.com' }, 'Avatar URL must use HTTPS'],
      [{ referredBy: null }, 'referredBy is not valid'],
      [{ referredBy: '' }, 'Referrer must be a claimed agent'],
      [{ referredBy: 'nobody' }, 'Referrer must be a claimed agent'],
      [{ referredBy: agent.agentId }, 'Self-referral not allowed'],
    ];
    for (const [body, error] of cases) expect(refusal(await patch({ bio: 'new', ...body }))).to.equal(`400 ${error}`);
    expect(success(await patch({})).agent).to.include({ bio: null });
  });

  it('accepts only one claimed referrer, from another IP address, even after that referrer is deleted', async () => {
    const [referrer, other] = [await newAgent(world), await newAgent(world)];
    const referredBy = referrer.agentId;
    expect(refusal(await patch({ referredBy }))).to.equal('400 Referrer must be a claimed agent');
    await claim(world, referrer);
    await claim(world, other);
    const sameAddress = `update agent set registration_ip = (select registration_ip from agent where wallet = $1)
      where wallet = $2`;
    await runSql(world.deps, sameAddress, [other.wallet, agent.wallet]);
    expect(refusal(await patch({ referredBy: other.agentId }))).to.equal('400 Self-referral not allowed');
    expect(success(await patch({ referredBy })).agent).to.include({ referredBy });
    for (const again of [referredBy, other.agentId, 'nobody']) {
      expect(refusal(await patch({ referredBy: again, bio: 'new' }))).to.equal('409 referredBy already set');
    }
    expect(success(await patch({})).agent).to.include({ referredBy, bio: null });
    expect(success(await patch({}, referrer.key)).agent).to.include({ referralCount: 1 });
    await runSql(world.deps, 'delete from agent where wallet = $1', [referrer.wallet]);
    expect(refusal(await patch({ referredBy: other.agentId }))).to.equal('409 referredBy already set');
  });

  it('accepts one of two concurrent referrers', async () => {
    const referrers = [await newAgent(world), await newAgent(world)];
    for (const referrer of referrers) await claim(world, referrer);
    let answers: Promise<Answer>[] = [];
    await world.deps.write(async (tx) => {
      await sqlIn(tx)('select from agent where wallet = $1 for update', [agent.wallet]);
      answers = referrers.map(({ agentId }) => patch({ referredBy: agentId }));
      await untilLocked(world.deps, 2);
    });
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).to.deep.equal([200, 409]);
  });
});
