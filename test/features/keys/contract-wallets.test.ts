// CI: it compiles a contract.

import { expect } from 'chai';
import type { HDNodeWallet } from 'ethers';
import { ethersMarket } from '../../../src/chain/market.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { behaviours, type ContractWallet, newContractWallet } from '../../support/chain/contract-wallets.js';
import { freshIp, freshName, refusal, success } from '../../support/market/agents.js';
import { sendRegistration, signRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { replacing } from '../../support/parts.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

const INVALID = '422 Registration signature is not valid';

describe('a registration that is signed for a contract wallet', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (body: unknown, headers?: ReturnType<typeof freshIp>) => sendRegistration(world, body, headers);

  /** Registers the wallet on the chain and returns the fields of an unsigned request. */
  async function onChain(wallet: Pick<ContractWallet, 'wallet' | 'register'>) {
    const name = freshName();
    await wallet.register(name);
    return { name, walletAddress: wallet.wallet };
  }
  const sign = (signer: HDNodeWallet, wallet: string) => signRegistration(world, signer, wallet);
  /** Counts the signatures that the chain is asked about. */
  async function asked<T>(work: () => Promise<T>): Promise<{ result: T; count: number }> {
    const { market } = world.deps;
    let count = 0;
    const acceptsSignature: typeof market.acceptsSignature = (...args) => {
      count++;
      return market.acceptsSignature(...args);
    };
    return { result: await replacing(world, { market: { ...market, acceptsSignature } }, work), count };
  }

  it('is accepted with any bytes that the wallet accepts, once per message', async () => {
    for (const signature of ['0x', '0x00', `0x${'5d'.repeat(4000)}`]) {
      const wallet = await newContractWallet(world.chain, 'AcceptAll');
      const signed = { ...(await onChain(wallet)), signature, signedAt: world.clock.now().toISOString() };
      const { apiKey } = success(await post(signed));
      success(await world.ask('DELETE', '/api/agents/me', { key: String(apiKey) }));
      // With other bytes it is still the message that was used.
      expect(refusal(await post({ ...signed, signature: '0x01' }))).to.equal(INVALID);
    }
  });

  for (const behaviour of behaviours.filter((one) => !one.startsWith('Accept'))) {
    it(`is refused if the wallet answers otherwise: ${behaviour}`, async () => {
      const wallet = await newContractWallet(world.chain, behaviour);
      const body = await onChain(wallet);
      const signed = { ...body, ...(await sign(wallet.owner, wallet.wallet)) };
      const { result, count } = await asked(() => post(signed));
      expect(refusal(result)).to.equal(INVALID);
      expect(count).to.equal(1);
      expect((await post(body)).status).to.equal(201);
    });
  }

  it('limits the gas of the call, and with it the size of the answer', async () => {
    const { wallet } = await newContractWallet(world.chain, 'Huge');
    const sizes: number[] = [];
    const provider = new RpcProvider([world.chain.rpcUrl], CHAIN_ID, testTimes);
    const { call } = provider;
    provider.call = async (request) => {
      const answer = await call.bind(provider)(request);
      sizes.push(answer.length / 2 - 1);
      expect(request.gasLimit).to.equal(1_000_000n);
      return answer;
    };
    const market = ethersMarket(provider, { ...world.deps.market });
    expect(await market.acceptsSignature(wallet, `0x${'11'.repeat(32)}`, '0x')).to.equal(false);
    provider.destroy();
    expect(sizes).to.deep.equal([680_000]);
  });

  describe('asks the chain', () => {
    it('not at all if the account itself signed, or if the signature is not hexadecimal', async () => {
      const trader = await newTrader(world.chain);
      const body = await onChain({ ...trader, register: async (name) => void (await trader.register(name)) });
      const malformed = { signature: 'nonsense', signedAt: world.clock.now().toISOString() };
      const { count } = await asked(async () => {
        expect(refusal(await post({ ...body, ...malformed }))).to.equal(INVALID);
        expect(refusal(await post({ ...body, ...malformed, signature: '0x123' }))).to.equal(INVALID);
        expect((await post({ ...body, ...(await sign(trader.signer, trader.wallet)) })).status).to.equal(201);
      });
      expect(count).to.equal(0);
    });

    it('within the window of registrations, which a malformed signature does not consume', async () => {
      const wallet = await newContractWallet(world.chain);
      const body = await onChain(wallet);
      const { signer: stranger } = await newTrader(world.chain);
      const ip = freshIp();
      const signedAt = world.clock.now().toISOString();
      for (let i = 0; i < 6; i++) {
        expect(refusal(await post({ ...body, signature: 'nonsense', signedAt }, ip))).to.equal(INVALID);
      }
      const signed = { ...body, ...(await sign(stranger, wallet.wallet)) };
      const { count } = await asked(async () => {
        for (let i = 0; i < 5; i++) expect(refusal(await post(signed, ip))).to.equal(INVALID);
        expect(refusal(await post(signed, ip))).to.equal('429 Too many requests');
      });
      expect(count).to.equal(5);
    });
  });
});
