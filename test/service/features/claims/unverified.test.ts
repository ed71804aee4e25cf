import { expect } from 'chai';
import { callData } from '../../../../src/chain/contract-interface.js';
import { tradeReasons } from '../../../../src/errors/errors.js';
import { freshIp, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { randomTxHash } from '../../../support/market/rows.js';
import { query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('a transaction that does not prove the trade', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    ada = await newAgent(world);
    bob = await newAgent(world);
  });

  const bring = (side: 'buy' | 'sell', txHash: string, given: Record<string, unknown> = {}) =>
    world.ask('POST', `/api/tickets/${side}`, {
      key: bob.key,
      body: { txHash, agentAddress: ada.wallet, amount: 1, ...given },
      headers: freshIp(),
    });
  /** Checks that REST and GraphQL refuse the trade with this reason and its hint. */
  async function expectReason(reason: keyof typeof tradeReasons, side: 'buy' | 'sell', txHash: string, given = {}) {
    // The clock advances, so that the rate limit of trades does not apply.
    world.clock.advance(2 * 3_600_000);
    const { status, headers, body } = await bring(side, txHash, given);
    const hint = `The transaction does not prove this trade: ${tradeReasons[reason]}.`;
    const error = 'Transaction verification failed';
    expect([status, body]).to.deep.equal([422, { success: false, error, hint, code: 'TRADE_UNVERIFIED', reason }]);
    expect(headers.get('retry-after')).to.equal(reason === 'NOT_FOUND' ? '5' : null);
    // A transaction that is not found yet does not count in the limit of trades, so that the agent can try again.
    const spent = headers.get('ratelimit')?.includes('"trades"');
    expect(spent).to.equal(reason !== 'NOT_FOUND');
    const field = side === 'buy' ? 'recordBuy' : 'recordSell';
    const input = { txHash, agentAddress: ada.wallet, amount: 1, ...given };
    const text = `mutation ($input: TradeInput!) { ${field}(input: $input) { trade { id } } }`;
    const { errors } = await query(world, text, { key: bob.key, variables: { input } });
    const retry = reason === 'NOT_FOUND' ? { retryAfter: 5 } : {};
    expect(errors[0]?.message).to.equal(error);
    expect(errors[0]?.extensions).to.deep.equal({ code: 'TRADE_UNVERIFIED', hint, ...retry, reason });
  }

  it('is refused with NOT_FOUND if the chain does not know it', async () => {
    await expectReason('NOT_FOUND', 'buy', randomTxHash());
  });

  it('is refused with NOT_FOUND while it is pending, and recorded after it is mined', async () => {
    const { provider, contract: to } = world.chain;
    await provider.send('evm_setAutomine', [false]);
    try {
      const data = callData('buyTickets', [ada.wallet, 1, 10n ** 18n]);
      const { hash } = await bob.trader.signer.sendTransaction({ to, data, value: 10n ** 18n, gasLimit: 300_000 });
      await expectReason('NOT_FOUND', 'buy', hash);
      await provider.send('evm_mine', []);
      expect((await bring('buy', hash)).status).to.equal(201);
    } finally {
      await provider.send('evm_setAutomine', [true]);
    }
  });

  it('is refused with REVERTED if it failed', async () => {
    const { provider, contract: to } = world.chain;
    const data = callData('buyTickets', [ada.wallet, 1, 1n]);
    const { hash } = await bob.trader.signer.sendTransaction({ to, data, value: 1n, gasLimit: 300_000 });
    expect(await provider.waitForTransaction(hash)).to.include({ status: 0 });
    await expectReason('REVERTED', 'buy', hash);
  });

  it('is refused with WRONG_EVENT if it has no trade, or only the opposite trade', async () => {
    const plain = await bob.trader.signer.sendTransaction({ to: ada.wallet, value: 1n });
    await plain.wait();
    await expectReason('WRONG_EVENT', 'buy', plain.hash);
    const { hash } = await bob.trader.buy(ada.wallet, 1);
    await expectReason('WRONG_EVENT', 'sell', hash);
  });

  it('is refused with NOT_YOURS, WRONG_AGENT or WRONG_AMOUNT if that field differs', async () => {
    const { hash: hers } = await ada.trader.buy(ada.wallet, 1);
    await expectReason('NOT_YOURS', 'buy', hers);
    const { hash: his } = await bob.trader.buy(ada.wallet, 2);
    await expectReason('WRONG_AGENT', 'buy', his, { agentAddress: bob.wallet, amount: 2 });
    await expectReason('WRONG_AMOUNT', 'buy', his);
  });
});
