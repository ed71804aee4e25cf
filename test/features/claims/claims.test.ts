// Server: transactions run at the same time on PostgreSQL only.

import { expect } from 'chai';
import { scoreNow } from '../../../src/features/seasons/score.js';
import { claim, freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { replacing } from '../../support/parts.js';
import { useWorld } from '../../support/world.js';

describe('social claims with and without the API key', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await newAgent(world);
  });

  const publish = (handle: string) => world.deps.dev?.publish(handle, `Code: ${agent.code}`) as Promise<string>;
  const verify = (tweetUrl: string, key?: string) =>
    world.ask('POST', '/api/agents/verify', {
      headers: freshIp(),
      body: { verificationCode: agent.code, tweetUrl },
      ...(key === undefined ? {} : { key }),
    });
  const drop = (key: string) => world.ask('DELETE', '/api/agents/me/claim', { headers: freshIp(), key });
  const row = async () => {
    const [found] = await world.deps.sql<{
      handle: string | null;
      at: Date | null;
      post: string | null;
      final: boolean;
    }>(
      `select social_handle as handle, claimed_at as at, claim_post_id as post, claim_final as final
       from agent where wallet = $1`,
      [agent.wallet],
    );
    return found as NonNullable<typeof found>;
  };

  it('allows the key to replace a claim made without it, but not the reverse', async () => {
    await claim(world, agent, 'stranger');
    const before = await row();
    expect(before).to.include({ handle: 'stranger', final: false });
    world.clock.advance(60_000);
    const ownPost = await publish('owner');
    expect(refusal(await verify(ownPost))).to.equal('409 Agent already claimed');
    expect(success(await verify(ownPost, agent.key)).agent).to.include({ isClaimed: true, socialHandle: 'owner' });
    const after = await row();
    expect(after).to.include({ handle: 'owner', final: true });
    expect(after.post).not.to.equal(before.post);
    // The claim time does not change, so a season that ends in between still counts the agent as verified.
    expect(after.at).to.deep.equal(before.at);
    for (const key of [undefined, agent.key]) {
      expect(refusal(await verify(await publish('stranger'), key))).to.equal('409 Agent already claimed');
    }
    expect(await row()).to.deep.equal(after);
  });

  it('makes a claim final when the key verifies the same post again', async () => {
    const url = await claim(world, agent, 'owner');
    success(await verify(url, agent.key));
    expect(await row()).to.include({ handle: 'owner', final: true });
  });

  it('keeps the claim with the key when a claim without it runs concurrently', async () => {
    for (let round = 0; round < 3; round++) {
      agent = await newAgent(world);
      const [strangerPost, ownPost] = [await publish('stranger'), await publish('owner')];
      const [without, withKey] = await Promise.all([verify(strangerPost), verify(ownPost, agent.key)]);
      expect([200, 409]).to.include(without.status);
      expect(withKey.status).to.equal(200);
      expect(await row()).to.include({ handle: 'owner', final: true });
    }
  });

  it('does not apply a claim to the next profile of the wallet when the first is deleted during the check', async () => {
    const { posts } = world.deps;
    const url = await publish('owner');
    const body = { name: agent.name, walletAddress: agent.wallet };
    const slow = {
      async read(address: string) {
        success(await world.ask('DELETE', `/api/agents/${agent.wallet}`, { key: agent.key, headers: freshIp() }));
        world.clock.advance(1);
        success(await world.ask('POST', '/api/agents', { body, headers: freshIp() }));
        return posts.read(address);
      },
    };
    expect(refusal(await replacing(world, { posts: slow }, () => verify(url, agent.key)))).to.equal(
      '404 Verification code not found',
    );
    expect(await row()).to.include({ handle: null, final: false });
  });

  describe('DELETE /api/agents/me/claim', () => {
    it('drops a claim made with or without the key and releases the post', async () => {
      for (const key of [undefined, agent.key]) {
        const url = await publish('owner');
        success(await verify(url, key));
        const answer = await drop(agent.key);
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({
          success: true,
          agent: {
            name: agent.name,
            agentId: agent.agentId,
            walletAddress: agent.wallet,
            isClaimed: false,
            status: 'pending_claim',
            socialHandle: null,
          },
        });
        expect(await row()).to.deep.equal({ handle: null, at: null, post: null, final: false });
        success(await verify(url, agent.key));
        success(await drop(agent.key));
      }
    });

    it('shows the unclaimed status in the profile, the lists and the feed', async () => {
      await claim(world, agent, 'stranger');
      success(await drop(agent.key));
      const status = await world.ask('GET', '/api/agents/status', { key: agent.key });
      expect(status.body).to.include({ status: 'pending_claim', isClaimed: false });
      const get = async (path: string) => success(await world.ask('GET', path, { headers: freshIp() }));
      expect((await get(`/api/agents/${agent.wallet}`)).agent).to.include({ isClaimed: false, socialHandle: null });
      const listed = await get(`/api/agents?agentId=${agent.agentId}&verified=true`);
      expect(listed.agents).to.deep.equal([]);
      const { feed } = await get(`/api/feed?agentAddress=${agent.wallet}`);
      for (const event of feed as { isClaimed: boolean }[]) expect(event.isClaimed).to.equal(false);
      expect((feed as unknown[]).length).to.be.above(0);
    });

    it('changes nothing without a claim', async () => {
      expect(success(await drop(agent.key)).agent).to.include({ status: 'pending_claim' });
    });

    it('removes the verified bonus of the active season', async () => {
      const bonus = async () => {
        world.clock.advance(1000);
        await scoreNow(world.deps);
        const [points] = await world.deps.sql<{ bonus: number }>(
          'select verified_bonus as bonus from agent_season_points where agent = $1 order by season desc limit 1',
          [agent.wallet],
        );
        return points?.bonus;
      };
      expect(await bonus()).to.equal(0);
      await claim(world, agent, 'stranger');
      expect(await bonus()).to.be.above(0);
      success(await drop(agent.key));
      expect(await bonus()).to.equal(0);
    });
  });
});
