// CI: it compiles a contract.
import { expect } from 'chai';
import { registrationMessage } from '../../../src/features/keys/rules.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { newContractWallet } from '../../support/chain/contract-wallets.js';
import { freshIp, freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { sendReplacement, signReplacement } from '../../support/market/key-replacements.js';
import { sendRegistration, signRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { useWorld } from '../../support/world.js';

const LOOPBACK = ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'];
const FOREIGN = ['http://localhost:4001', 'http://localhost', 'https://localhost:4000', 'http://127.0.0.2:4000'];
const LOOKALIKES = ['http://localhost.example:4000', 'http://localhost:4000.example', 'http://[::1]:40000'];

describe('a signed text that names the service', () => {
  const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
  const nameService = (publicUrl: string) => void Object.assign(world.deps, { publicUrl });
  const post = (body: unknown) => sendRegistration(world, body);
  const textOf = (service: string, wallet: string, chainId = CHAIN_ID) =>
    registrationMessage({ service, chainId, wallet, time: world.clock.now() });

  type Owner = {
    readonly wallet: string;
    sign(text: string): Promise<string>;
    register(name: string): Promise<unknown>;
  };
  const owners = {
    async key() {
      const { wallet, signer, register } = await newTrader(world.chain);
      return { wallet, sign: (text) => signer.signMessage(text), register };
    },
    async contract() {
      const { wallet, owner, register } = await newContractWallet(world.chain);
      return { wallet, sign: (text) => owner.signMessage(text), register };
    },
  } satisfies Readonly<Record<string, () => Promise<Owner>>>;
  async function requestOf(owner: Owner, text: string) {
    return {
      walletAddress: owner.wallet,
      signature: await owner.sign(text),
      signedAt: world.clock.now().toISOString(),
    };
  }

  for (const [kind, newOwner] of Object.entries(owners)) {
    for (const own of LOOPBACK) {
      it(`may name it by any name of loopback at its port: a wallet with a ${kind}, and the service ${own}`, async () => {
        nameService(own);
        for (const service of LOOPBACK) {
          const owner = await newOwner();
          const name = freshName();
          await owner.register(name);
          const send = async (text: string) => post({ name, ...(await requestOf(owner, text)) });
          const refused = service === own ? [...FOREIGN, ...LOOKALIKES] : [];
          for (const text of [
            ...refused.map((other) => textOf(other, owner.wallet)),
            textOf(service, owner.wallet, 1),
          ]) {
            expect(refusal(await send(text)), text).to.equal('422 Registration signature is not valid');
          }
          success(await send(textOf(service, owner.wallet)));
        }
      });
    }
  }

  for (const own of ['https://market.example:4000', 'http://localhost.example:4000']) {
    it(`must name its public URL if that is not on loopback: ${own}`, async () => {
      nameService(own);
      const owner = await owners.key();
      const name = freshName();
      await owner.register(name);
      for (const service of [...LOOPBACK, 'http://127.0.0.1.example:4000']) {
        expect(
          refusal(await post({ name, ...(await requestOf(owner, textOf(service, owner.wallet))) })),
          service,
        ).to.equal('422 Registration signature is not valid');
      }
      success(await post({ name, ...(await requestOf(owner, textOf(own, owner.wallet))) }));
    });
  }

  it('is accepted once, under whichever name', async () => {
    nameService('http://127.0.0.1:4000');
    const owner = await owners.key();
    const name = freshName();
    await owner.register(name);
    const { apiKey } = success(
      await post({ name, ...(await requestOf(owner, textOf('http://localhost:4000', owner.wallet))) }),
    );
    success(await world.ask('DELETE', '/api/agents/me', { key: String(apiKey), headers: freshIp() }));
    for (const service of LOOPBACK) {
      const { body } = await post({ name, ...(await requestOf(owner, textOf(service, owner.wallet))) });
      expect(body).to.include({
        error: 'Registration signature is not valid',
        hint: 'The signature was used before: sign the registration message with another time.',
      });
    }
  });

  it('may replace a key under any name of loopback, and no other', async () => {
    nameService('http://localhost:4000');
    const agent = await newAgent(world);
    const replace = async (service: string) =>
      sendReplacement(world, await signReplacement(world, agent.trader.signer, agent.wallet, { service }));
    for (const service of [...FOREIGN, ...LOOKALIKES]) {
      expect(refusal(await replace(service)), service).to.equal('422 Key replacement signature is not valid');
    }
    for (const service of LOOPBACK) success(await replace(service));
  });

  it('is not accepted again when the service has another name of loopback', async () => {
    nameService('http://localhost:4000');
    const owner = await owners.key();
    const name = freshName();
    await owner.register(name);
    const request = { name, ...(await requestOf(owner, textOf('http://localhost:4000', owner.wallet))) };
    const { apiKey } = success(await post(request));
    success(await world.ask('DELETE', '/api/agents/me', { key: String(apiKey), headers: freshIp() }));
    nameService('http://127.0.0.1:4000');
    expect(refusal(await post(request))).to.equal('422 Registration signature is not valid');
  });

  it('is shown in the refusal of another text', async () => {
    nameService('http://localhost:4000');
    const agent = await newAgent(world);
    const { wallet, signer } = agent.trader;
    const signedAt = world.clock.now().toISOString();
    const facts = `Service: http://localhost:4000\nChain ID: ${CHAIN_ID}\nWallet: ${wallet}\nTime: ${signedAt}`;
    const signature = await signer.signMessage('something else');
    const registration = await post({ name: agent.name, walletAddress: wallet, signature, signedAt });
    const rest = 'with the wallet, without a line break at their end, and send the signature within 10 minutes.';
    expect(registration.body.hint).to.equal(`Sign the five lines "Curvet agent registration\n${facts}" ${rest}`);
    const nonce = 'a-nonce-of-mine-1';
    const replacement = await sendReplacement(world, { walletAddress: wallet, signature, signedAt, nonce });
    const replacing = `Curvet key replacement\n${facts}\nNonce: ${nonce}`;
    expect(replacement.body.hint).to.equal(`Sign the six lines "${replacing}" ${rest}`);
  });

  it('is not shown in the refusal of its time: the hint asks for another time', async () => {
    nameService('http://localhost:4000');
    const { trader, name, wallet: walletAddress } = await newAgent(world);
    for (const age of [601_000, -61_000]) {
      const given = { service: 'http://localhost:4000', time: new Date(world.clock.now().getTime() - age) };
      const signed = await signRegistration(world, trader.signer, walletAddress, given);
      const registration = await post({ name, walletAddress, ...signed });
      const body = await signReplacement(world, trader.signer, walletAddress, given);
      const replacement = await sendReplacement(world, body);
      for (const { status, body } of [registration, replacement]) {
        expect(status).to.equal(422);
        expect(body.hint).to.match(/^The time in the signed text is more than 10 minutes old, or ahead of the clock/);
      }
    }
  });
});
