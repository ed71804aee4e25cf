import { expect } from 'chai';
import type { HDNodeWallet } from 'ethers';
import { ethersChain } from '../../../../../src/chain/chain.js';
import { RpcProvider } from '../../../../../src/chain/rpc.js';
import { CHAIN_ID } from '../../../../support/chain/chain.js';
import { behaviours, newContractWallet, newDelegatedAccount } from '../../../../support/chain/contract-wallets.js';
import { freshIp, freshName, newAgent, refusal, success } from '../../../../support/market/agents.js';
import { type Signed, sendReplacement, signReplacement } from '../../../../support/market/key-replacements.js';
import { sendRegistration, signRegistration } from '../../../../support/market/registrations.js';
import { newTrader } from '../../../../support/market/traders.js';
import { replacing, withoutChain } from '../../../../support/parts.js';
import { testTimes } from '../../../../support/times.js';
import { type Answer, useWorld } from '../../../../support/world.js';

const REFUSED = '422 Registration signature is not valid';
const LOOPBACK = ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'];
const FOREIGN = ['http://localhost:4001', 'http://localhost', 'https://localhost:4000', 'http://127.0.0.2:4000'];
const LOOKALIKES = ['http://localhost.example:4000', 'http://localhost:4000.example', 'http://[::1]:40000'];
const PUBLIC = ['https://market.example:4000', 'http://localhost.example:4000'];

type Owner = { readonly wallet: string; readonly signer: HDNodeWallet; register(name: string): Promise<unknown> };
type Request = { readonly signature: string; readonly signedAt: string };

describe('the text that a wallet signs', () => {
  const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
  const nameService = (publicUrl: string) => void Object.assign(world.deps, { publicUrl });
  afterEach(() => nameService('http://curvet.test'));
  const post = (body: unknown, ip = freshIp()) => sendRegistration(world, body, ip);
  const sign = (signer: HDNodeWallet, wallet: string, signed?: Signed) => signRegistration(world, signer, wallet, signed);
  /** Registers a wallet on the chain. Returns the fields of its unsigned registration at the service. */
  async function onChain({ wallet, register }: Pick<Owner, 'wallet' | 'register'>) {
    const name = freshName();
    await register(name);
    return { name, walletAddress: wallet };
  }
  const remove = (key: unknown) => world.ask('DELETE', '/api/agents/me', { key: String(key), headers: freshIp() });

  const owners: Readonly<Record<string, () => Promise<Owner>>> = {
    'a private key': () => newTrader(world.chain),
    'the owner of a contract': () => newContractWallet(world.chain),
    'the owner of the code to which an account delegates': () => newDelegatedAccount(world.chain),
    async 'an account that delegates to other code'() {
      const { account: signer, ...account } = await newDelegatedAccount(world.chain, 'Burn');
      return { ...account, signer };
    },
  };
  /**
   * Prepares an owner, and returns a function that signs its requests. Facts in `signed`
   * or another signer can replace the correct ones.
   */
  type Prepare = (owner: Owner) => Promise<(signed?: Signed, signer?: HDNodeWallet) => Promise<Request>>;
  const kinds: Readonly<
    Record<string, { refused: string; again: string; prepare: Prepare; send(body: unknown): Promise<Answer> }>
  > = {
    registration: {
      refused: REFUSED,
      again: REFUSED,
      send: post,
      async prepare(owner) {
        const body = await onChain(owner);
        return async (signed, signer = owner.signer) => ({ ...body, ...(await sign(signer, owner.wallet, signed)) });
      },
    },
    'key replacement': {
      refused: '422 Key replacement signature is not valid',
      again: '409 Nonce already used',
      send: (body) => sendReplacement(world, body),
      async prepare(owner) {
        success(await post(await onChain(owner)));
        return (signed, signer = owner.signer) => signReplacement(world, signer, owner.wallet, signed);
      },
    },
  };

  for (const [kind, { refused, again, prepare, send }] of Object.entries(kinds)) {
    for (const [holder, newOwner] of Object.entries(owners)) {
      it(`for a ${kind} must be signed by ${holder}, recently, and is accepted once`, async () => {
        const owner = await newOwner();
        const stranger = await newTrader(world.chain);
        const sign = await prepare(owner);
        const now = world.clock.now().getTime();
        const good = await sign();
        const ofOtherKind = kind === 'registration' ? signReplacement : signRegistration;
        const { signature } = await ofOtherKind(world, owner.signer, owner.wallet);
        const changed = kind === 'registration' ? { signature: '' } : { nonce: 'another-nonce-of-mine' };
        for (const request of [
          await sign({}, stranger.signer),
          await sign({ wallet: stranger.wallet }),
          await sign({ service: 'https://elsewhere.example' }),
          await sign({ chainId: 1 }),
          // The signed time may be 10 minutes old, or one minute ahead.
          await sign({ time: new Date(now - 601_000) }),
          await sign({ time: new Date(now + 90_000) }),
          { ...good, signedAt: new Date(now - 1).toISOString() },
          { ...good, signature },
          { ...good, signature: 'nonsense' },
          { ...good, ...changed },
        ]) {
          expect(refusal(await send(request)), JSON.stringify(request)).to.equal(refused);
        }
        expect(refusal(await send({ ...good, signedAt: undefined }))).to.equal('400 Missing required field: signedAt');
        if (owner.signer.address.toLowerCase() !== owner.wallet) {
          const away = await withoutChain(world, () => send(good));
          expect([refusal(away), away.headers.get('retry-after')]).to.deep.equal(['503 Chain RPC unavailable', '5']);
        }
        // The same time in another zone.
        const signedAt = new Date(now + 7_200_000).toISOString().replace('Z', '+02:00');
        const { apiKey } = success(await send({ ...good, signedAt }));
        if (kind === 'registration') success(await remove(apiKey));
        expect(refusal(await send(good))).to.equal(again);
      });
    }
  }

  const replacement = kinds['key replacement'] as (typeof kinds)[string];
  for (const [holder, newOwner] of Object.entries(owners).slice(0, 2)) {
    for (const own of [...LOOPBACK, ...PUBLIC]) {
      const isPublic = PUBLIC.includes(own);
      it(`names ${own} by ${isPublic ? 'this URL' : 'any name of loopback at its port'} if ${holder} signs it`, async () => {
        nameService(own);
        const sign = await replacement.prepare(await newOwner());
        const others = isPublic ? [...LOOPBACK, 'http://127.0.0.1.example:4000'] : [...FOREIGN, ...LOOKALIKES];
        for (const service of others) {
          expect(refusal(await replacement.send(await sign({ service }))), service).to.equal(replacement.refused);
        }
        for (const service of isPublic ? [own] : LOOPBACK) success(await replacement.send(await sign({ service })));
      });
    }
  }

  it('is accepted once for a registration, under whichever name of loopback', async () => {
    nameService('http://127.0.0.1:4000');
    const trader = await newTrader(world.chain);
    const body = await onChain(trader);
    const register = async (service: string) => post({ ...body, ...(await sign(trader.signer, trader.wallet, { service })) });
    success(await remove(success(await register('http://localhost:4000')).apiKey));
    for (const [own, service] of LOOPBACK.flatMap((one) => LOOPBACK.map((other) => [one, other] as const))) {
      nameService(own);
      expect((await register(service)).body).to.include({
        error: 'Registration signature is not valid',
        hint: 'The signature was used before: sign the registration message with another time.',
      });
    }
  });

  it('is shown in the hint when another text was signed, but not when its time is wrong', async () => {
    nameService('http://localhost:4000');
    const { trader, wallet: walletAddress, name } = await newAgent(world);
    const signedAt = world.clock.now().toISOString();
    const nonce = 'a-nonce-of-mine-1';
    const facts = `Service: http://localhost:4000\nChain ID: ${CHAIN_ID}\nWallet: ${walletAddress}\nTime: ${signedAt}`;
    const rest = 'with the wallet, without a line break at their end, and send the signature within 10 minutes.';
    const signature = await trader.signer.signMessage('something else');
    for (const [send, lines] of [
      [sendRegistration, `five lines "Curvet agent registration\n${facts}"`],
      [sendReplacement, `six lines "Curvet key replacement\n${facts}\nNonce: ${nonce}"`],
    ] as const) {
      const request = { name, walletAddress, signature, signedAt, nonce };
      expect((await send(world, request)).body.hint).to.equal(`Sign the ${lines} ${rest}`);
      for (const age of [601_000, -61_000]) {
        const time = new Date(world.clock.now().getTime() - age).toISOString();
        expect((await send(world, { ...request, signedAt: time })).body.hint).to.match(
          /^The time in the signed text is more than 10 minutes old, or ahead of the clock/,
        );
      }
    }
  });

  /** Runs `work`, and counts how often the chain is asked about a signature. */
  async function asked<T>(work: () => Promise<T>): Promise<{ result: T; count: number }> {
    const { chain } = world.deps;
    let count = 0;
    const acceptsSignature: typeof chain.acceptsSignature = (...args) => {
      count++;
      return chain.acceptsSignature(...args);
    };
    return { result: await replacing(world, { chain: { ...chain, acceptsSignature } }, work), count };
  }

  it('is accepted with any bytes that a contract wallet accepts, once per message', async () => {
    for (const signature of ['0x', '0x00', `0x${'5d'.repeat(4000)}`]) {
      const wallet = await newContractWallet(world.chain, 'AcceptAll');
      const signed = { ...(await onChain(wallet)), signature, signedAt: world.clock.now().toISOString() };
      success(await remove(success(await post(signed)).apiKey));
      // A message can only be used once, even with other signature bytes.
      expect(refusal(await post({ ...signed, signature: '0x01' }))).to.equal(REFUSED);
    }
  });

  for (const behaviour of behaviours.filter((one) => !one.startsWith('Accept'))) {
    it(`is refused if a contract wallet behaves as ${behaviour}`, async () => {
      const wallet = await newContractWallet(world.chain, behaviour);
      const body = await onChain(wallet);
      const signed = { ...body, ...(await sign(wallet.signer, wallet.wallet)) };
      const { result, count } = await asked(() => post(signed));
      expect(refusal(result)).to.equal(REFUSED);
      expect(count).to.equal(1);
      expect((await post(body)).status).to.equal(201);
    });
  }

  it('is checked by a contract wallet with limited gas, which limits the size of the answer', async () => {
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
    const chain = ethersChain(provider, { ...world.deps.chain });
    expect(await chain.acceptsSignature(wallet, `0x${'11'.repeat(32)}`, '0x')).to.equal(false);
    provider.destroy();
    // The contract returns as many bytes as it can pay for with 1,000,000 gas.
    expect(sizes).to.deep.equal([680_000]);
  });

  it('needs no call to the chain if the account itself signed it, or if the signature is not hexadecimal', async () => {
    const trader = await newTrader(world.chain);
    const body = await onChain(trader);
    const malformed = { signature: 'nonsense', signedAt: world.clock.now().toISOString() };
    const { count } = await asked(async () => {
      expect(refusal(await post({ ...body, ...malformed }))).to.equal(REFUSED);
      expect(refusal(await post({ ...body, ...malformed, signature: '0x123' }))).to.equal(REFUSED);
      expect((await post({ ...body, ...(await sign(trader.signer, trader.wallet)) })).status).to.equal(201);
    });
    expect(count).to.equal(0);
  });

  it('causes calls to the chain within the limit of registrations, which malformed signatures do not use up', async () => {
    const wallet = await newContractWallet(world.chain);
    const body = await onChain(wallet);
    const { signer: stranger } = await newTrader(world.chain);
    const ip = freshIp();
    const signedAt = world.clock.now().toISOString();
    for (let i = 0; i < 6; i++) {
      expect(refusal(await post({ ...body, signature: 'nonsense', signedAt }, ip))).to.equal(REFUSED);
    }
    const signed = { ...body, ...(await sign(stranger, wallet.wallet)) };
    const { count } = await asked(async () => {
      for (let i = 0; i < 5; i++) expect(refusal(await post(signed, ip))).to.equal(REFUSED);
      expect(refusal(await post(signed, ip))).to.equal('429 Too many requests');
    });
    expect(count).to.equal(5);
  });
});
