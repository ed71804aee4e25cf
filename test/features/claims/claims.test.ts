// Server: transactions run at the same time on PostgreSQL only.

import { expect } from 'chai';
import { claim, freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { sendRegistration } from '../../support/market/registrations.js';
import { replacing } from '../../support/parts.js';
import { useWorld } from '../../support/world.js';

describe('social claims with and without the API key', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await newAgent(world);
  });

  const publish = (handle: string) => world.deps.dev?.publish(handle, `Code: ${agent.code}`) as Promise<string>;
  const verify = (tweetUrl: string, key?: string, verificationCode = agent.code) =>
    world.ask('POST', '/api/agents/verify', { headers: freshIp(), body: { verificationCode, tweetUrl }, key });
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
      const { name, agentId, wallet: walletAddress } = agent;
      const pending = { name, agentId, walletAddress, isClaimed: false, status: 'pending_claim', socialHandle: null };
      for (const key of [undefined, agent.key]) {
        const url = await publish('owner');
        success(await verify(url, key));
        // The second call has no claim to drop.
        for (let i = 0; i < 2; i++)
          expect(success(await drop(agent.key))).to.deep.equal({ success: true, agent: pending });
        expect(await row()).to.deep.equal({ handle: null, at: null, post: null, final: false });
        success(await verify(url, agent.key));
        success(await drop(agent.key));
      }
    });
  });

  describe('by a post that has claimed an agent', () => {
    const remove = async () =>
      success(await world.ask('DELETE', `/api/agents/${agent.wallet}`, { headers: freshIp(), key: agent.key }));
    /** Registers the wallet again without a signature, as anyone may. Returns the new key. */
    const registerAgain = async () => {
      world.clock.advance(1);
      const body = { name: agent.name, walletAddress: agent.wallet };
      const answer = success(await sendRegistration(world, body));
      expect(answer.verificationCode).to.equal(agent.code);
      return (answer.agent as { apiKey: string }).apiKey;
    };
    const socialHandle = async (wallet: string) =>
      (
        success(await world.ask('GET', `/api/agents/${wallet}`, { headers: freshIp() })).agent as {
          socialHandle: string | null;
        }
      ).socialHandle;

    for (const end of ['stands', 'is dropped']) {
      it(`cannot claim a later registration of the wallet with the same code, if its claim is replaced or ${end}`, async () => {
        const urls = [await claim(world, agent, 'real_owner'), await claim(world, agent, 'real_owner', agent.key)];
        if (end === 'is dropped') success(await drop(agent.key));
        await remove();
        const stranger = await registerAgain();
        for (const url of urls) {
          for (const key of [undefined, stranger])
            expect(refusal(await verify(url, key))).to.equal('409 Post already used');
        }
        expect(await socialHandle(agent.wallet)).to.equal(null);
        await claim(world, agent, 'new_owner', stranger);
      });
    }

    it('can claim the same registration again after the claim was dropped, but no other agent', async () => {
      const other = await newAgent(world);
      const text = `Both: ${agent.code} ${other.code}`;
      const url = String(await world.deps.dev?.publish('owner', text));
      success(await verify(url));
      success(await drop(agent.key));
      expect(refusal(await verify(url, other.key, other.code))).to.equal('409 Post already used');
      success(await verify(url, agent.key));
      expect(await socialHandle(agent.wallet)).to.equal('owner');
    });
  });
});
