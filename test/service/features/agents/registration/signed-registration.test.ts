import { expect } from 'chai';
import { askAs, claim, follow, newAgent, refusal, success, writePost } from '../../../../support/market/agents.js';
import type { Signed } from '../../../../support/market/key-replacements.js';
import { registerOnChain, sendRegistration, signRegistration } from '../../../../support/market/registrations.js';
import type { Trader } from '../../../../support/market/traders.js';
import { replacing } from '../../../../support/parts.js';
import { useWorld } from '../../../../support/world.js';

describe('a signed registration', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const sign = ({ signer, wallet }: Trader, signed?: Signed) => signRegistration(world, signer, wallet, signed);
  /** Registers a wallet at the service with a signature of the wallet. */
  const registerSigned = async (trader: Trader, body: object) =>
    success(await sendRegistration(world, { ...body, ...(await sign(trader)) }));
  const counts = (wallet: string) =>
    world.deps.sql('select follower_count as followers, following_count as following, referred_by from agent where wallet = $1', [
      wallet,
    ]);

  it('replaces an unsigned agent together with its follows, reactions and referrals', async () => {
    const { trader, body } = await registerOnChain(world);
    const stranger = success(await sendRegistration(world, { ...body, description: 'Not mine' }));
    const [key, code] = [String(stranger.apiKey), String(stranger.verificationCode)];
    await claim(world, { code });
    const referred = await newAgent(world, { referredBy: body.name.toLowerCase().replace(' ', '_') });
    await follow(world, { key }, referred);
    await follow(world, referred, trader);
    await askAs(world, { key }, 'POST', `/api/feed/${await writePost(world, referred, 'gm')}/like`);

    const owner = await registerSigned(trader, { ...body, description: 'Mine' });
    expect(owner.apiKey).not.to.equal(key);
    expect(owner.verificationCode).not.to.equal(code);
    const status = (key: unknown) => world.ask('GET', '/api/agents/status', { key: String(key) });
    expect(refusal(await status(key))).to.equal('401 Invalid API key');
    expect((await status(owner.apiKey)).body.status).to.equal('pending_claim');
    const info = await world.ask('GET', `/api/agents/claim-info?code=${code}`);
    expect(refusal(info)).to.equal('404 Verification code not found');
    for (const { wallet } of [trader, referred]) {
      expect(await counts(wallet)).to.deep.equal([{ followers: 0, following: 0, referred_by: null }]);
    }
    const [row] = await world.deps.sql('select description, signed from agent where wallet = $1', [trader.wallet]);
    expect(row).to.deep.equal({ description: 'Mine', signed: true });
    const likes = 'select like_count as n from agent_activity where agent = $1';
    expect(await world.deps.sql(likes, [referred.wallet])).to.deep.equal([{ n: 0 }]);

    const again = { ...body, ...(await sign(trader)) };
    expect(refusal(await sendRegistration(world, again))).to.equal('409 Agent already exists');
    expect(refusal(await sendRegistration(world, body))).to.equal('409 Agent already exists');
  });

  describe('of a wallet', () => {
    const REQUIRED = '400 Missing required field: signature';
    const remove = (wallet: string, key: unknown) => world.ask('DELETE', `/api/agents/${wallet}`, { key: String(key) });

    it('makes the service refuse unsigned ones forever, even after a deletion, with the reason', async () => {
      const { trader, body } = await registerOnChain(world);
      for (let round = 0; round < 2; round++) {
        world.clock.advance(1);
        const { apiKey } = await registerSigned(trader, body);
        expect(refusal(await sendRegistration(world, body))).to.equal('409 Agent already exists');
        success(await remove(trader.wallet, apiKey));
        const answer = await sendRegistration(world, body);
        expect(refusal(answer)).to.equal(REQUIRED);
        expect(answer.body.hint).to.include('this wallet has registered with a signature before');
        expect(answer.body.hint).to.include('/docs#signed');
        world.clock.advance(40 * 86_400_000);
        expect(refusal(await sendRegistration(world, body))).to.equal(REQUIRED);
      }
    });

    it('makes the service refuse an unsigned one that started earlier', async () => {
      const { trader, body } = await registerOnChain(world);
      const { chain } = world.deps;
      // While the unsigned registration waits for the chain, the owner registers with a signature, and deletes the agent.
      const signedMeanwhile = async (wallet: string) => {
        Object.assign(world.deps, { chain });
        const { apiKey } = await registerSigned(trader, body);
        success(await remove(wallet, apiKey));
        return chain.agent(wallet);
      };
      const parts = { chain: { ...chain, agent: signedMeanwhile } };
      expect(refusal(await replacing(world, parts, () => sendRegistration(world, body)))).to.equal(REQUIRED);
      expect(await counts(trader.wallet)).to.deep.equal([]);
    });
  });

  it('is recommended if the wallet is registered without a signature, but not if with one', async () => {
    const { trader, body } = await registerOnChain(world);
    success(await sendRegistration(world, body));
    const { hint } = (await sendRegistration(world, body)).body;
    expect(hint).to.include('register with the signature of the wallet').and.include('/docs#signed');
    await registerSigned(trader, body);
    for (const signature of [{}, await sign(trader)]) {
      const answer = await sendRegistration(world, { ...body, ...signature });
      expect(refusal(answer)).to.equal('409 Agent already exists');
      expect(answer.body.hint).to.match(/no other registration replaces it\. Use the API key/);
    }
  });

  it('replaces the agent once in two concurrent requests', async () => {
    for (let round = 0; round < 3; round++) {
      const { trader, body } = await registerOnChain(world);
      success(await sendRegistration(world, body));
      const signed = { ...body, ...(await sign(trader)) };
      const answers = await Promise.all([sendRegistration(world, signed), sendRegistration(world, signed)]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    }
  });
});

describe('registration where the operator requires a signature', () => {
  const world = useWorld({ RATE_LIMITS: 'off', REGISTRATION_SIGNATURE: 'required' });

  it('fails without a signature, and succeeds with one', async () => {
    const { trader, body } = await registerOnChain(world);
    const answer = await sendRegistration(world, body);
    expect(refusal(answer)).to.equal('400 Missing required field: signature');
    expect(answer.body.hint).to.include('this service requires it');
    const signed = { ...body, ...(await signRegistration(world, trader.signer, trader.wallet)) };
    expect((await sendRegistration(world, signed)).status).to.equal(201);
  });
});
