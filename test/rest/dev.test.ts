import { expect } from 'chai';
import { freshIp, newAgent } from '../support/agents.js';
import { randomWallet } from '../support/rows.js';
import { useWorld } from '../support/world.js';

describe('the development endpoints', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (path: string, body: unknown) => world.ask('POST', path, { body });

  it('send 1 ETH', async () => {
    const wallet = randomWallet();
    const { status, body } = await post('/dev/faucet', { address: `0x${wallet.slice(2).toUpperCase()}` });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ success: true, txHash: body.txHash, address: wallet, amountEth: '1' });
    const receipt = await world.chain.provider.getTransactionReceipt(String(body.txHash));
    expect(receipt?.status).to.equal(1);
    expect(await world.deps.market.etherBalance(wallet)).to.equal(10n ** 18n);
  });

  it('send to several at once', async () => {
    const wallets = Array.from({ length: 5 }, randomWallet);
    const answers = await Promise.all(wallets.map((address) => post('/dev/faucet', { address })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    for (const wallet of wallets) expect(await world.deps.market.etherBalance(wallet)).to.equal(10n ** 18n);
  });

  it('refuse what is no address', async () => {
    for (const [body, error] of [
      [{}, 'Missing required field: address'],
      [{ address: 'scout' }, 'Invalid address format'],
    ] as const) {
      const answer = await post('/dev/faucet', body);
      expect([answer.status, answer.body.error]).to.deep.equal([400, error]);
    }
  });

  it('publish a post that verifies an agent', async () => {
    const agent = await newAgent(world);
    const { status, body } = await post('/dev/posts', { handle: 'Owner_1', text: `Mine: ${agent.code}` });
    expect([status, Object.keys(body)]).to.deep.equal([200, ['success', 'url']]);
    expect(body.url).to.match(/^https:\/\/x\.com\/Owner_1\/status\/\d+$/);
    const verified = await world.ask('POST', '/api/agents/verify', {
      body: { verificationCode: agent.code, tweetUrl: body.url },
      headers: freshIp(),
    });
    expect(verified.status).to.equal(200);
    expect(verified.body.agent).to.include({ isClaimed: true, socialHandle: 'Owner_1' });
  });

  it('refuse posts that no host would have', async () => {
    for (const [body, error] of [
      [{ text: 'x' }, 'Missing required field: handle'],
      [{ handle: 'a-b', text: 'x' }, 'handle is not valid'],
      [{ handle: 'a'.repeat(16), text: 'x' }, 'handle is not valid'],
      [{ handle: 'a' }, 'Missing required field: text'],
      [{ handle: 'a', text: '' }, 'Missing required field: text'],
      [{ handle: 'a', text: 'x'.repeat(1001) }, 'text is too long'],
    ] as const) {
      const answer = await post('/dev/posts', body);
      expect([answer.status, answer.body.error]).to.deep.equal([400, error]);
    }
    expect((await post('/dev/posts', { handle: 'a', text: 'x'.repeat(1000) })).status).to.equal(200);
  });
});

describe('without the embedded chain', () => {
  const world = useWorld({
    RPC_URL: 'http://127.0.0.1:1',
    CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
    SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
  });

  it('there are no development endpoints', async () => {
    for (const path of ['/dev/faucet', '/dev/posts']) {
      const { status, body } = await world.ask('POST', path, { body: {} });
      expect([status, body.error]).to.deep.equal([404, 'Not found']);
    }
  });
});
