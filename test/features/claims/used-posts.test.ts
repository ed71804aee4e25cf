import { expect } from 'chai';
import { claim, freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { sendRegistration } from '../../support/market/registrations.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const DAY_MS = 86_400_000;

describe('a post that has claimed an agent', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await newAgent(world);
  });

  const withKey = (key?: string) => ({ headers: freshIp(), ...(key === undefined ? {} : { key }) });
  const verify = (verificationCode: string, tweetUrl: string, key?: string) =>
    world.ask('POST', '/api/agents/verify', { ...withKey(key), body: { verificationCode, tweetUrl } });
  const drop = async () => success(await world.ask('DELETE', '/api/agents/me/claim', withKey(agent.key)));
  const remove = async () => success(await world.ask('DELETE', `/api/agents/${agent.wallet}`, withKey(agent.key)));
  /** Registers the wallet again without a signature, as anyone may. Returns the new key. */
  const registerAgain = async () => {
    world.clock.advance(1);
    const body = { name: agent.name, walletAddress: agent.wallet };
    const answer = success(await sendRegistration(world, body));
    expect(answer.verificationCode).to.equal(agent.code);
    return (answer.agent as { apiKey: string }).apiKey;
  };
  const socialHandle = async (wallet: string) =>
    (success(await world.ask('GET', `/api/agents/${wallet}`, withKey())).agent as { socialHandle: string | null })
      .socialHandle;

  it('cannot claim a later registration of the wallet with the same code', async () => {
    const url = await claim(world, agent, 'real_owner', agent.key);
    await remove();
    const stranger = await registerAgain();
    for (const key of [undefined, stranger]) {
      expect(refusal(await verify(agent.code, url, key))).to.equal('409 Post already used');
    }
    expect(await socialHandle(agent.wallet)).to.equal(null);
    await claim(world, agent, 'new_owner', stranger);
    expect(await socialHandle(agent.wallet)).to.equal('new_owner');
  });

  it('cannot claim a later registration after its claim was dropped or replaced either', async () => {
    const first = await claim(world, agent, 'real_owner');
    const second = await claim(world, agent, 'real_owner', agent.key);
    await drop();
    await remove();
    const stranger = await registerAgain();
    for (const url of [first, second]) {
      expect(refusal(await verify(agent.code, url, stranger))).to.equal('409 Post already used');
    }
    expect(await socialHandle(agent.wallet)).to.equal(null);
  });

  it('cannot claim the agent of another wallet that receives the expired code', async () => {
    const url = await claim(world, agent, 'real_owner', agent.key);
    await drop();
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
    expect(refusal(await verify(agent.code, url, heir.key))).to.equal('409 Post already used');
    expect(await socialHandle(heir.wallet)).to.equal(null);
    await claim(world, { code: agent.code }, 'heir', heir.key);
  });

  it('can claim the same registration again after the claim was dropped, but no other agent', async () => {
    const other = await newAgent(world);
    const text = `Both: ${agent.code} ${other.code}`;
    const url = String(await world.deps.dev?.publish('owner', text));
    success(await verify(agent.code, url));
    await drop();
    expect(refusal(await verify(other.code, url, other.key))).to.equal('409 Post already used');
    success(await verify(agent.code, url, agent.key));
    expect(await socialHandle(agent.wallet)).to.equal('owner');
  });

  it('can still be used after a failed verification', async () => {
    const other = await newAgent(world);
    const url = String(await world.deps.dev?.publish('owner', `Mine: ${agent.code}`));
    expect(refusal(await verify(other.code, url))).to.equal('422 Verification code not found in tweet');
    success(await verify(agent.code, url));
    const late = String(await world.deps.dev?.publish('late', `Mine: ${agent.code}`));
    expect(refusal(await verify(agent.code, late))).to.equal('409 Agent already claimed');
    const [row] = await world.deps.sql('select from used_post where post_id = $1', [late.split('/').pop()]);
    expect(row).to.equal(undefined);
  });
});
