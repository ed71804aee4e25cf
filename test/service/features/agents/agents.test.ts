import { expect } from 'chai';
import { indexAll } from '../../../support/chain/indexed.js';
import { claim, follow, freshIp, freshName, newAgent, refusal, success } from '../../../support/market/agents.js';
import { registerOnChain, sendRegistration } from '../../../support/market/registrations.js';
import { newTrader } from '../../../support/market/traders.js';
import { withoutChain } from '../../../support/parts.js';
import { data, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('POST /api/agents', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (body: unknown, headers = freshIp()) => sendRegistration(world, body, headers);
  const onChain = (name?: string) => registerOnChain(world, name);

  it('returns the API key, the verification code and the claim URL', async () => {
    const before = world.clock.now();
    const { trader } = await onChain('Night Owl_7');
    const given = { name: 'Night Owl_7', walletAddress: trader.signer.address, agentId: 'other' };
    const body = success(await post(given));
    const { apiKey, verificationCode, claimUrl } = body;
    const { createdAt } = body.agent as { createdAt: string };
    const agent = { name: 'Night Owl_7', agentId: 'night_owl_7', walletAddress: trader.wallet, apiKey };
    expect(body).to.deep.equal({
      success: true,
      agent: { ...agent, status: 'pending_claim', createdAt },
      apiKey,
      verificationCode,
      claimUrl,
      nextStep: 'verify',
    });
    expect(apiKey).to.match(/^[A-Za-z0-9_-]{64}$/);
    expect(verificationCode).to.match(/^CURVET-[A-Z0-9]{4}$/);
    expect(claimUrl).to.equal(`http://curvet.test/claim/${verificationCode}`);
    expect(new Date(createdAt).toISOString()).to.equal(createdAt);
    expect(new Date(createdAt).getTime()).to.be.within(before.getTime(), world.clock.now().getTime());
  });

  it('stores the given profile, but not the API key', async () => {
    const referrer = await newAgent(world);
    await claim(world, referrer);
    const given = { description: ' <b>Looks</b> ahead ', avatarUrl: 'https://EXAMPLE.com/a.png' };
    const agent = await newAgent(world, { ...given, referredBy: referrer.agentId });
    const rowOf = async ({ wallet }: { readonly wallet: string }) =>
      (await world.deps.sql<Record<string, unknown>>('select * from agent where wallet = $1', [wallet]))[0];
    const row = await rowOf(agent);
    expect(row).to.include({ description: 'Looks ahead', avatar_url: 'https://example.com/a.png', signed: false });
    expect(row).to.include({ referred_by: referrer.wallet, follower_count: 0, following_count: 0 });
    expect(row?.referred_at).to.deep.equal(row?.created_at);
    expect(JSON.stringify(Object.values(row ?? {}).map(String))).not.to.include(agent.key);
    const plain = await rowOf(await newAgent(world, { description: '', avatarUrl: '' }));
    expect(plain).to.include({ description: null, avatar_url: null });
  });

  it('refuses invalid fields', async () => {
    const walletAddress = `0x${'ab'.repeat(20)}`;
    const good = { name: 'Good Name', walletAddress };
    const cases: [Record<string, unknown>, string][] = [
      [{ ...good, txHash: '' }, 'Invalid txHash format'],
      [{ ...good, name: 'a' }, 'Name must be 2-15 characters'],
      [{ ...good, name: 'né' }, 'Name contains invalid characters'],
      [{ ...good, name: 'Claim-Info' }, 'Agent ID is reserved'],
      [{ ...good, avatarUrl: 'http://example.com/a.png' }, 'Avatar URL must use HTTPS'],
      [{ ...good, description: 'é'.repeat(161) }, 'description is too long'],
      [{ ...good, referredBy: 'nobody' }, 'Referrer must be a claimed agent'],
      [{ ...good, referredBy: '' }, 'Referrer must be a claimed agent'],
      [{ ...good, referredBy: 'good_name' }, 'Self-referral not allowed'],
    ];
    for (const [body, error] of cases) expect(refusal(await post(body)), JSON.stringify(body)).to.equal(`400 ${error}`);
  });

  it('refuses a referrer that is unclaimed, or that registered from the same IP address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const first = await onChain();
    const referrer = success(await post(first.body, from('2001:db8:5:6::1')));
    const { agentId: referredBy } = referrer.agent as { agentId: string };
    const { body } = await onChain();
    expect(refusal(await post({ ...body, referredBy }))).to.equal('400 Referrer must be a claimed agent');
    await claim(world, { code: String(referrer.verificationCode) });
    // All addresses of an IPv6 /64 network count as one, so this one counts as the address of the referrer.
    const self = await post({ ...body, referredBy }, from('2001:db8:5:6:7::9'));
    expect(refusal(self)).to.equal('400 Self-referral not allowed');
    expect((await post({ ...body, referredBy }, from('2001:db8:5:7::1'))).status).to.equal(201);
  });

  it('answers 503 while the chain is unreachable, and 201 to the same request afterwards', async () => {
    const { body, txHash } = await onChain();
    expect(refusal(await withoutChain(world, () => post({ ...body, txHash })))).to.equal('503 Chain RPC unavailable');
    expect((await post({ ...body, txHash })).status).to.equal(201);
  });

  describe('gives a hint that', () => {
    const EXISTS = '409 Agent already exists';
    /** Expects that a registration is refused with a complete hint. Returns the body of the answer. */
    const hinted = async (body: object, expected = '422 On-chain registration not found') => {
      const answer = await post(body);
      expect(refusal(answer)).to.equal(expected);
      expect(answer.body.hint).not.to.match(/[<>]/);
      return answer.body;
    };

    it('states the name on the chain, with which the registration succeeds', async () => {
      const name = freshName();
      const { txHash, body } = await onChain(name);
      const { walletAddress } = body;
      for (const given of [{}, { txHash }, { txHash: `0x${'12'.repeat(32)}` }]) {
        for (const wrong of [name.toUpperCase(), 'Other Name']) {
          const { hint, onChainName } = await hinted({ name: wrong, walletAddress, ...given });
          expect(hint).to.include(`registered on the chain as "${name}"`);
          expect(hint).not.to.match(/call registerAgent/i);
          expect(onChainName).to.equal(name);
        }
      }
      const input = `{ name: "Other Name", walletAddress: "${walletAddress}" }`;
      const graph = await query(world, `mutation { registerAgent(input: ${input}) { apiKey } }`);
      expect(graph.errors[0]?.extensions).to.include({ code: 'NOT_REGISTERED_ON_CHAIN', onChainName: name });
      expect((await post(body)).status).to.equal(201);
    });

    it('recommends another wallet when the name on the chain is reserved', async () => {
      const { body } = await onChain('Support');
      const other = await hinted({ ...body, name: 'Other Name' });
      expect(other.hint).to.match(/as "Support".*is reserved here: use another wallet/);
      expect(other.onChainName).to.equal('Support');
      const { hint } = await hinted(body, '400 Agent ID is reserved');
      expect(hint).to.match(/already registered on the chain with this name, use another wallet/);
    });

    it('states which wallet owns the name on the chain', async () => {
      const { walletAddress: owner, name } = (await onChain()).body;
      const { wallet } = await newTrader(world.chain);
      const { hint, takenBy } = await hinted({ name: name.toLowerCase(), walletAddress: wallet });
      expect(hint).to.include(`taken on the chain by ${owner}`);
      expect(hint).not.to.match(/with this name/);
      expect(takenBy).to.equal(owner);
    });

    it('recommends registerAgent when the wallet is not registered and the name is free', async () => {
      const trader = await newTrader(world.chain);
      const body = { name: freshName(), walletAddress: trader.wallet };
      // A transaction that the contract reverts, because it calls no function.
      const failed = await trader.signer.sendTransaction({ to: world.chain.contract, data: '0x', gasLimit: 50_000 });
      const { txHash } = await onChain();
      for (const given of [{}, { txHash: failed.hash }, { txHash }]) {
        const { hint } = await hinted({ ...body, ...given });
        expect(hint).to.match(/^Call registerAgent with this name from this wallet/);
      }
      await trader.register(body.name);
      expect((await post(body)).status).to.equal(201);
    });

    it('says that txHash has no receipt, or recommends omitting a wrong txHash', async () => {
      const { wallet: walletAddress } = await newTrader(world.chain);
      const txHash = `0x${'12'.repeat(32)}`;
      const unknown = await hinted({ name: freshName(), walletAddress, txHash });
      expect(unknown.hint).to.match(/no receipt for txHash/);
      const [{ body }, foreign] = [await onChain(), await onChain()];
      for (const wrong of [txHash, foreign.txHash]) {
        expect((await hinted({ ...body, txHash: wrong })).hint).to.match(/omit txHash/);
      }
      expect((await post(body)).status).to.equal(201);
    });

    it('states which wallet owns the agentId at the service', async () => {
      const agent = await newAgent(world);
      const { body } = await onChain();
      const { hint } = await hinted({ ...body, name: agent.name }, EXISTS);
      expect(hint).to.include(`belongs to the agent of ${agent.wallet}`);
      expect(hint).not.to.match(/signature|API key/);
      const sameWallet = await hinted({ name: agent.name, walletAddress: agent.wallet }, EXISTS);
      expect(sameWallet.hint).not.to.include('belongs to');
      await hinted({ ...body, name: agent.name.toUpperCase() }, EXISTS);
      success(await post(body));
    });
  });
});

describe('a name', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const ask = (path: string, key?: string) => world.ask('GET', `/api/agents/${path}`, { key, headers: freshIp() });

  /** Asks REST and GraphQL for a name, checks that they agree, and returns the answer of REST. */
  const availability = async (name: string) => {
    const { success: _, ...answer } = success(await ask(`availability?${new URLSearchParams({ name })}`));
    const { nameAvailability } = await data(
      world,
      'query ($name: String!) { nameAvailability(name: $name) { available agentId reason walletAddress rule } }',
      { variables: { name } },
    );
    const reason = answer.reason === null ? null : String(answer.reason).toUpperCase();
    expect(nameAvailability).to.deep.equal({ walletAddress: null, rule: null, ...answer, reason });
    return answer;
  };

  it('is available, reserved, or taken by an agent, a deleted agent or an agent that exists only on the chain', async () => {
    const agent = await newAgent(world, { name: 'Here Now' });
    const deleted = await newAgent(world, { name: 'Here Before' });
    success(await world.ask('DELETE', '/api/agents/me', { key: deleted.key }));
    const stranger = await newTrader(world.chain);
    await stranger.register('Chain Only');
    for (const [name, agentId, reason, owner] of [
      ['Night Owl-7', 'night_owl-7', null],
      ['Admin', 'admin', 'reserved'],
      ['availability', 'availability', 'reserved'],
      ['Here Now', 'here_now', 'taken', agent],
      ['HERE_now', 'here_now', 'taken', agent],
      ['Here Before', 'here_before', 'taken', deleted],
      ['chain only', 'chain_only', 'taken', stranger],
    ] as const) {
      const wallet = owner && { walletAddress: owner.wallet };
      expect(await availability(name)).to.deep.equal({ available: reason === null, agentId, reason, ...wallet });
    }
  });

  it('is reported as invalid, together with the rule that it violates', async () => {
    for (const [name, rule] of [
      ['x', /2 to 15 characters/],
      ['x'.repeat(16), /2 to 15 characters/],
      ['né', /letters, digits/],
      [' led', /single spaces between them/],
      ['a  b', /single spaces/],
    ] as const) {
      const answer = await availability(name);
      expect(answer).to.include({ available: false, agentId: null, reason: 'invalid' });
      expect(answer.rule).to.match(rule);
    }
  });

  it('passes to the wallet that registers it after a reorg as soon as the reorg is indexed', async () => {
    const name = freshName();
    const second = await newTrader(world.chain);
    const register = () => sendRegistration(world, { name, walletAddress: second.wallet });
    const follower = await newAgent(world);
    const before = await world.chain.provider.send('evm_snapshot', []);
    const first = await newAgent(world, { name });
    await indexAll(world.deps);
    await follow(world, follower, first);
    await world.chain.provider.send('evm_revert', [before]);
    await second.register(name);

    // The reorg is not indexed yet, so the index still assigns the agentId to the first wallet.
    expect(refusal(await register())).to.equal('409 Agent already exists');
    expect((await ask('me', first.key)).status).to.equal(200);
    await indexAll(world.deps);
    const answer = success(await register());
    expect(answer.agent).to.include({ agentId: first.agentId, walletAddress: second.wallet });
    expect((await ask('me', first.key)).status).to.equal(401);
    const { agent } = success(await ask(first.agentId));
    expect(agent).to.include({ walletAddress: second.wallet, followerCount: 0 });
    expect(success(await ask(follower.wallet)).agent).to.include({ followingCount: 0 });
  });
});
