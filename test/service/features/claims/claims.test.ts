import { expect } from 'chai';
import { claim, freshIp, newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import { sendRegistration } from '../../../support/market/registrations.js';
import { replacing } from '../../../support/parts.js';
import { useWorld } from '../../../support/world.js';

describe('social claims with and without the API key', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await newAgent(world);
  });

  const publish = (handle: string, text = agent.code) => world.deps.dev?.publish(handle, text) as Promise<string>;
  const verify = (tweetUrl: string, key?: string, verificationCode = agent.code) =>
    world.ask('POST', '/api/agents/verify', { headers: freshIp(), body: { verificationCode, tweetUrl }, key });
  const drop = (key: string) => world.ask('DELETE', '/api/agents/me/claim', { headers: freshIp(), key });
  const row = async () => {
    const rows = await world.deps.sql<{ handle: string | null; at: Date | null; post: string | null; final: boolean }>(
      `select social_handle as handle, claimed_at as at, claim_post_id as post, claim_final as final
       from agent where wallet = $1`,
      [agent.wallet],
    );
    return rows[0] as (typeof rows)[0];
  };
  const remove = async () => success(await world.ask('DELETE', '/api/agents/me', { key: agent.key, headers: freshIp() }));
  /** Registers the wallet again without a signature, as anyone may. Returns the new key. */
  const registerAgain = async () => {
    world.clock.advance(1);
    const { apiKey, verificationCode } = success(await sendRegistration(world, { name: agent.name, walletAddress: agent.wallet }));
    expect(verificationCode).to.equal(agent.code);
    return String(apiKey);
  };

  it('are replaced only if they were made without the key, and only by one with it', async () => {
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

  it('become final when the key verifies the same post again', async () => {
    const url = await claim(world, agent, 'owner');
    success(await verify(url, agent.key));
    expect(await row()).to.include({ handle: 'owner', final: true });
  });

  it('end as the one with the key when both run concurrently', async () => {
    for (let round = 0; round < 3; round++) {
      agent = await newAgent(world);
      const [strangerPost, ownPost] = [await publish('stranger'), await publish('owner')];
      const [without, withKey] = await Promise.all([verify(strangerPost), verify(ownPost, agent.key)]);
      expect([200, 409]).to.include(without.status);
      expect(withKey.status).to.equal(200);
      expect(await row()).to.include({ handle: 'owner', final: true });
    }
  });

  it('do not apply to a new profile of the wallet that is made during the check', async () => {
    const { posts } = world.deps;
    const url = await publish('owner');
    const slow = {
      async read(address: string) {
        await remove();
        await registerAgain();
        return posts.read(address);
      },
    };
    expect(refusal(await replacing(world, { posts: slow }, () => verify(url, agent.key)))).to.equal(
      '404 Verification code not found',
    );
    expect(await row()).to.include({ handle: null, final: false });
  });

  it('can be dropped with the key, which releases their post', async () => {
    const { name, agentId, wallet: walletAddress } = agent;
    const pending = { name, agentId, walletAddress, isClaimed: false, status: 'pending_claim', socialHandle: null };
    for (const key of [undefined, agent.key]) {
      const url = await publish('owner');
      success(await verify(url, key));
      // The second call finds no claim to drop, and answers the same.
      for (let i = 0; i < 2; i++) expect(success(await drop(agent.key))).to.deep.equal({ success: true, agent: pending });
      expect(await row()).to.deep.equal({ handle: null, at: null, post: null, final: false });
      success(await verify(url, agent.key));
      success(await drop(agent.key));
    }
  });

  for (const end of ['stands', 'is dropped']) {
    it(`refuse the posts of an earlier registration of the wallet, even if its last claim ${end}`, async () => {
      const urls = [await claim(world, agent, 'real_owner'), await claim(world, agent, 'real_owner', agent.key)];
      if (end === 'is dropped') success(await drop(agent.key));
      await remove();
      const stranger = await registerAgain();
      for (const url of urls) {
        for (const key of [undefined, stranger]) expect(refusal(await verify(url, key))).to.equal('409 Post already used');
      }
      expect((await row()).handle).to.equal(null);
      await claim(world, agent, 'new_owner', stranger);
    });
  }

  it('accept a used post again after they were dropped, but only for the same agent', async () => {
    const other = await newAgent(world);
    const url = await publish('owner', `${agent.code} ${other.code}`);
    success(await verify(url));
    success(await drop(agent.key));
    expect(refusal(await verify(url, other.key, other.code))).to.equal('409 Post already used');
    success(await verify(url, agent.key));
    expect((await row()).handle).to.equal('owner');
  });
});
