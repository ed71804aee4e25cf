// Server: transactions run at the same time on PostgreSQL only.

import { expect } from 'chai';
import { scoreNow } from '../../../src/features/seasons/score.js';
import { claim, freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { sendRegistration } from '../../support/market/registrations.js';
import { replacing } from '../../support/parts.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const DAY_MS = 86_400_000;

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

    it('cannot claim a later registration of the wallet with the same code', async () => {
      const url = await claim(world, agent, 'real_owner', agent.key);
      await remove();
      const stranger = await registerAgain();
      for (const key of [undefined, stranger]) {
        expect(refusal(await verify(url, key))).to.equal('409 Post already used');
      }
      expect(await socialHandle(agent.wallet)).to.equal(null);
      await claim(world, agent, 'new_owner', stranger);
      expect(await socialHandle(agent.wallet)).to.equal('new_owner');
    });

    it('cannot claim a later registration after its claim was dropped or replaced either', async () => {
      const first = await claim(world, agent, 'real_owner');
      const second = await claim(world, agent, 'real_owner', agent.key);
      success(await drop(agent.key));
      await remove();
      const stranger = await registerAgain();
      for (const url of [first, second]) {
        expect(refusal(await verify(url, stranger))).to.equal('409 Post already used');
      }
      expect(await socialHandle(agent.wallet)).to.equal(null);
    });

    it('cannot claim the agent of another wallet that receives the expired code', async () => {
      const url = await claim(world, agent, 'real_owner', agent.key);
      success(await drop(agent.key));
      await remove();
      world.clock.advance(30 * DAY_MS);
      const [free] = await world.deps.sql('select from issued_code where code = $1 and free_from <= $2', [
        agent.code,
        world.clock.now().toISOString(),
      ]);
      expect(free).not.to.equal(undefined);
      // A registration draws an expired code at random. The test assigns it directly.
      const heir = await newAgent(world);
      await runSql(world.deps, 'update issued_code set wallet = $1, free_from = null where code = $2', [
        heir.wallet,
        agent.code,
      ]);
      await runSql(world.deps, 'update agent set verification_code = $1 where wallet = $2', [agent.code, heir.wallet]);
      expect(refusal(await verify(url, heir.key))).to.equal('409 Post already used');
      expect(await socialHandle(heir.wallet)).to.equal(null);
      await claim(world, { code: agent.code }, 'heir', heir.key);
    });

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

    it('can still be used after a failed verification', async () => {
      const other = await newAgent(world);
      const url = String(await world.deps.dev?.publish('owner', `Mine: ${agent.code}`));
      expect(refusal(await verify(url, undefined, other.code))).to.equal('422 Verification code not found in tweet');
      success(await verify(url));
      const late = String(await world.deps.dev?.publish('late', `Mine: ${agent.code}`));
      expect(refusal(await verify(late))).to.equal('409 Agent already claimed');
      const [row] = await world.deps.sql('select from used_post where post_id = $1', [late.split('/').pop()]);
      expect(row).to.equal(undefined);
    });
  });
});
