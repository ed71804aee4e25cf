// Server: transactions run at the same time on PostgreSQL only.

import { expect } from 'chai';
import { claim, freshIp, freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { registerOnChain, sendRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { withoutChain } from '../../support/parts.js';
import { query } from '../../support/service/graphql.js';
import { type Answer, useWorld } from '../../support/world.js';

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
    const [row] = await world.deps.sql<Record<string, unknown>>('select * from agent where wallet = $1', [
      agent.wallet,
    ]);
    expect(row).to.include({ description: 'Looks ahead', avatar_url: 'https://example.com/a.png', signed: false });
    expect(row).to.include({ referred_by: referrer.wallet, follower_count: 0, following_count: 0 });
    expect(row?.referred_at).to.deep.equal(row?.created_at);
    expect(JSON.stringify(Object.values(row ?? {}).map(String))).not.to.include(agent.key);
    const plain = await newAgent(world, { description: '', avatarUrl: '' });
    const [empty] = await world.deps.sql('select description, avatar_url from agent where wallet = $1', [plain.wallet]);
    expect(empty).to.deep.equal({ description: null, avatar_url: null });
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

  it('refuses a referrer that is not claimed or registered from the same IP address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const first = await onChain();
    const referrer = success(await post(first.body, from('2001:db8:5:6::1')));
    const { agentId: referredBy } = referrer.agent as { agentId: string };
    const { body } = await onChain();
    expect(refusal(await post({ ...body, referredBy }))).to.equal('400 Referrer must be a claimed agent');
    await claim(world, { code: String(referrer.verificationCode) });
    // All addresses of an IPv6 /64 network count as one.
    const self = await post({ ...body, referredBy }, from('2001:db8:5:6:7::9'));
    expect(refusal(self)).to.equal('400 Self-referral not allowed');
    expect((await post({ ...body, referredBy }, from('2001:db8:5:7::1'))).status).to.equal(201);
  });

  it('answers 503 to a transaction hash while the chain is unreachable, and 201 to its repetition', async () => {
    const { body, txHash } = await onChain();
    expect(refusal(await withoutChain(world, () => post({ ...body, txHash })))).to.equal('503 Chain RPC unavailable');
    expect((await post({ ...body, txHash })).status).to.equal(201);
  });

  describe('gives a hint that', () => {
    const NOT_FOUND = '422 On-chain registration not found';

    const hintOf = (answer: Answer, expected: string): string => {
      expect(refusal(answer)).to.equal(expected);
      expect(answer.body.hint).not.to.match(/[<>]/);
      return String(answer.body.hint);
    };

    it('states the name on the chain, with which the registration succeeds', async () => {
      const name = freshName();
      const { txHash, body } = await onChain(name);
      const { walletAddress } = body;
      for (const given of [{}, { txHash }, { txHash: `0x${'12'.repeat(32)}` }]) {
        for (const wrong of [name.toUpperCase(), 'Other Name']) {
          const answer = await post({ name: wrong, walletAddress, ...given });
          expect(hintOf(answer, NOT_FOUND)).to.include(`registered on the chain as "${name}"`);
          expect(answer.body.hint).not.to.match(/call registerAgent/i);
          expect(answer.body.onChainName).to.equal(name);
        }
      }
      const input = `{ name: "Other Name", walletAddress: "${walletAddress}" }`;
      const graph = await query(world, `mutation { registerAgent(input: ${input}) { apiKey } }`);
      expect(graph.errors[0]?.extensions).to.include({ code: 'NOT_REGISTERED_ON_CHAIN', onChainName: name });
      expect((await post({ name, walletAddress })).status).to.equal(201);
    });

    it('recommends another wallet when the name on the chain is reserved', async () => {
      const { walletAddress } = (await onChain('Support')).body;
      const other = await post({ name: 'Other Name', walletAddress });
      expect(hintOf(other, NOT_FOUND)).to.match(/as "Support".*is reserved here: use another wallet/);
      expect(other.body.onChainName).to.equal('Support');
      const same = await post({ name: 'Support', walletAddress });
      expect(hintOf(same, '400 Agent ID is reserved')).to.match(
        /already registered on the chain with this name, use another wallet/,
      );
    });

    it('states which wallet owns the name on the chain', async () => {
      const name = freshName();
      const owner = await onChain(name);
      const { wallet } = await newTrader(world.chain);
      const answer = await post({ name: name.toLowerCase(), walletAddress: wallet });
      expect(hintOf(answer, NOT_FOUND)).to.match(/taken on the chain by 0x/);
      expect(answer.body.hint)
        .to.include(owner.body.walletAddress)
        .and.not.to.match(/with this name/);
      expect(answer.body.takenBy).to.equal(owner.body.walletAddress);
    });

    it('recommends registerAgent when the wallet is not registered and the name is free', async () => {
      const name = freshName();
      const trader = await newTrader(world.chain);
      const failed = await trader.signer.sendTransaction({ to: world.chain.contract, data: '0x', gasLimit: 50_000 });
      const { txHash } = await onChain(freshName());
      for (const given of [{}, { txHash: failed.hash }, { txHash }]) {
        const answer = await post({ name, walletAddress: trader.wallet, ...given });
        expect(hintOf(answer, NOT_FOUND)).to.match(/^Call registerAgent with this name from this wallet/);
      }
      await trader.register(name);
      expect((await post({ name, walletAddress: trader.wallet })).status).to.equal(201);
    });

    it('recommends to wait for a missing receipt, and to omit a wrong txHash', async () => {
      const name = freshName();
      const { wallet } = await newTrader(world.chain);
      const txHash = `0x${'12'.repeat(32)}`;
      expect(hintOf(await post({ name, walletAddress: wallet, txHash }), NOT_FOUND)).to.match(/no receipt for txHash/);
      const [{ body }, foreign] = [await onChain(name), await onChain(freshName())];
      const { walletAddress } = body;
      for (const wrong of [txHash, foreign.txHash]) {
        const answer = await post({ name, walletAddress, txHash: wrong });
        expect(hintOf(answer, NOT_FOUND)).to.match(/omit txHash/);
      }
      expect((await post({ name, walletAddress })).status).to.equal(201);
    });

    it('states which wallet owns the agentId at the service', async () => {
      const agent = await newAgent(world);
      const name = freshName();
      const { walletAddress } = (await onChain(name)).body;
      const answer = await post({ name: agent.name, walletAddress });
      expect(hintOf(answer, '409 Agent already exists')).to.include(`belongs to the agent of ${agent.wallet}`);
      expect(answer.body.hint).not.to.match(/signature|API key/);
      const sameWallet = await post({ name: agent.name, walletAddress: agent.wallet });
      expect(hintOf(sameWallet, '409 Agent already exists')).not.to.include('belongs to');
      expect(refusal(await post({ name: agent.name.toUpperCase(), walletAddress }))).to.equal(
        '409 Agent already exists',
      );
      success(await post({ name, walletAddress }));
    });
  });
});
