import { expect } from 'chai';
import { registrationMessage } from '../../src/core/agents/signature.js';
import { claim, freshIp, freshName, newAgent, refusal, success } from '../support/agents.js';
import { CHAIN_ID } from '../support/chain.js';
import { newTrader, type Trader } from '../support/traders.js';
import { useWorld, type World } from '../support/world.js';

const post = (world: World, body: unknown) => world.ask('POST', '/api/agents', { body, headers: freshIp() });

async function onChain(world: World) {
  const trader = await newTrader(world.chain);
  const name = freshName();
  await trader.register(name);
  return { trader, body: { name, walletAddress: trader.wallet } };
}

/** What the owner of a wallet adds to its registration. */
async function signature({ signer, wallet }: Trader, time: Date, service = 'http://curvet.test') {
  const message = registrationMessage({ service, chainId: CHAIN_ID, wallet, time });
  return { signature: await signer.signMessage(message), signedAt: time.toISOString() };
}

describe('registration with a signature', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const sign = (trader: Trader) => signature(trader, world.clock.now());
  const counts = (wallet: string) =>
    world.deps.sql(
      'select follower_count as followers, following_count as following, referred_by from agent where wallet = $1',
      [wallet],
    );

  it('refuses a signature that is not the wallet’s, is too old, or comes without its time', async () => {
    const { trader, body } = await onChain(world);
    const stranger = await newTrader(world.chain);
    const now = world.clock.now();
    const good = await sign(trader);
    const old = await signature(trader, new Date(now.getTime() - 601_000));
    const refused = [
      { ...body, ...good, signedAt: new Date(now.getTime() - 1).toISOString() },
      { ...body, ...(await sign(stranger)) },
      { ...body, ...(await signature(trader, now, 'https://elsewhere.example')) },
      { ...body, ...old },
      { ...body, ...good, signature: 'nonsense' },
      { ...body, ...good, signature: '' },
    ];
    for (const request of refused) {
      expect(refusal(await post(world, request))).to.equal('422 Registration signature is not valid');
    }
    const untimed = { ...body, signature: good.signature };
    expect(refusal(await post(world, untimed))).to.equal('400 Missing required field: signedAt');
    expect((await post(world, { ...body, ...good })).status).to.equal(201);
  });

  it('takes a message once: after a deletion it does not register the wallet again', async () => {
    const { trader, body } = await onChain(world);
    const signed = { ...body, ...(await sign(trader)) };
    const { apiKey } = success(await post(world, signed));
    success(await world.ask('DELETE', `/api/agents/${trader.wallet}`, { key: String(apiKey), headers: freshIp() }));
    expect(refusal(await post(world, signed))).to.equal('422 Registration signature is not valid');
    world.clock.advance(1);
    expect((await post(world, { ...body, ...(await sign(trader)) })).status).to.equal(201);
  });

  it('accepts the time in another time zone', async () => {
    const { trader, body } = await onChain(world);
    const { signature: text, signedAt } = await sign(trader);
    const shifted = new Date(new Date(signedAt).getTime() + 7_200_000).toISOString().replace('Z', '+02:00');
    expect((await post(world, { ...body, signature: text, signedAt: shifted })).status).to.equal(201);
  });

  it('replaces what a stranger registered, and all that came to belong to it', async () => {
    const { trader, body } = await onChain(world);
    const stranger = success(await post(world, { ...body, description: 'Not mine' }));
    const [key, code] = [String(stranger.apiKey), String(stranger.verificationCode)];
    await claim(world, { code });
    const [a, b] = [
      await newAgent(world),
      await newAgent(world, { referredBy: body.name.toLowerCase().replace(' ', '_') }),
    ];
    const follow = async (who: string, targetAddress: string) =>
      success(await world.ask('POST', '/api/agents/follow', { key: who, body: { targetAddress } }));
    await follow(key, a.wallet);
    await follow(key, b.wallet);
    await follow(key, b.wallet);
    await follow(a.key, trader.wallet);
    await follow(b.key, a.wallet);
    const id = 'a-post-of-the-agent-a-';
    await world.deps.sql(
      `insert into agent_activity (id, agent, text, like_count, repost_count, created_at) values ($1, $2, 'gm', 1, 1, $3)`,
      [id, a.wallet, world.clock.now()],
    );
    for (const kind of ['like', 'repost']) {
      await world.deps.sql('insert into reaction (post, actor, kind, created_at) values ($1, $2, $3, $4)', [
        id,
        trader.wallet,
        kind,
        world.clock.now(),
      ]);
    }

    const owner = success(await post(world, { ...body, ...(await sign(trader)), description: 'Mine' }));
    expect(owner.apiKey).not.to.equal(key);
    expect(owner.verificationCode).not.to.equal(code);
    expect(refusal(await world.ask('GET', '/api/agents/status', { key, headers: freshIp() }))).to.equal(
      '401 Invalid API key',
    );
    const status = await world.ask('GET', '/api/agents/status', { key: String(owner.apiKey) });
    expect(status.body.status).to.equal('pending_claim');
    const info = await world.ask('GET', `/api/agents/claim-info?code=${code}`, { headers: freshIp() });
    expect(refusal(info)).to.equal('404 Verification code not found');

    expect(await counts(trader.wallet)).to.deep.equal([{ followers: 0, following: 0, referred_by: null }]);
    expect(await counts(a.wallet)).to.deep.equal([{ followers: 1, following: 0, referred_by: null }]);
    expect(await counts(b.wallet)).to.deep.equal([{ followers: 0, following: 1, referred_by: null }]);
    const [row] = await world.deps.sql('select description, signed from agent where wallet = $1', [trader.wallet]);
    expect(row).to.deep.equal({ description: 'Mine', signed: true });
    const [likes] = await world.deps.sql(
      'select like_count as n, repost_count as m from agent_activity where id = $1',
      [id],
    );
    expect(likes).to.deep.equal({ n: 0, m: 0 });

    const again = { ...body, ...(await sign(trader)) };
    expect(refusal(await post(world, again))).to.equal('409 Agent already exists');
    expect(refusal(await post(world, body))).to.equal('409 Agent already exists');
  });

  it('replaces once of two at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const { trader, body } = await onChain(world);
      success(await post(world, body));
      const signed = { ...body, ...(await sign(trader)) };
      const answers = await Promise.all([post(world, signed), post(world, signed)]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    }
  });
});

describe('registration where the operator requires a signature', () => {
  const world = useWorld({ TRUST_PROXY: '1', REGISTRATION_SIGNATURE: 'required' });

  it('refuses one without', async () => {
    const { trader, body } = await onChain(world);
    expect(refusal(await post(world, body))).to.equal('400 Missing required field: signature');
    const signed = { ...body, ...(await signature(trader, world.clock.now())) };
    expect((await post(world, signed)).status).to.equal(201);
  });
});
