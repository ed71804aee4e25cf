import { expect } from 'chai';
import { freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { registerOnChain, sendRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { query } from '../../support/service/graphql.js';
import { type Answer, useWorld } from '../../support/world.js';

describe('the hint of a refused registration', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (body: Record<string, unknown>) => sendRegistration(world, body);
  const NOT_FOUND = '422 On-chain registration not found';

  /** A new wallet that is registered on the chain only. */
  const onChain = async (name: string) => {
    const { txHash, body } = await registerOnChain(world, name);
    return { txHash, walletAddress: body.walletAddress };
  };
  const hintOf = (answer: Answer, expected: string): string => {
    expect(refusal(answer)).to.equal(expected);
    expect(answer.body.hint).not.to.match(/[<>]/);
    return String(answer.body.hint);
  };

  it('states the name on the chain, with which the registration succeeds', async () => {
    const name = freshName();
    const { walletAddress, txHash } = await onChain(name);
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
    const { walletAddress } = await onChain('Support');
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
      .to.include(owner.walletAddress)
      .and.not.to.match(/with this name/);
    expect(answer.body.takenBy).to.equal(owner.walletAddress);
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
    const [{ walletAddress }, foreign] = [await onChain(name), await onChain(freshName())];
    for (const wrong of [txHash, foreign.txHash]) {
      const answer = await post({ name, walletAddress, txHash: wrong });
      expect(hintOf(answer, NOT_FOUND)).to.match(/omit txHash/);
    }
    expect((await post({ name, walletAddress })).status).to.equal(201);
  });

  it('states which wallet owns the agentId at the service', async () => {
    const agent = await newAgent(world);
    const name = freshName();
    const { walletAddress } = await onChain(name);
    const answer = await post({ name: agent.name, walletAddress });
    expect(hintOf(answer, '409 Agent already exists')).to.include(`belongs to the agent of ${agent.wallet}`);
    expect(answer.body.hint).not.to.match(/signature|API key/);
    const sameWallet = await post({ name: agent.name, walletAddress: agent.wallet });
    expect(hintOf(sameWallet, '409 Agent already exists')).not.to.include('belongs to');
    expect(refusal(await post({ name: agent.name.toUpperCase(), walletAddress }))).to.equal('409 Agent already exists');
    success(await post({ name, walletAddress }));
  });
});
