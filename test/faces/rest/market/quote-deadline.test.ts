import { expect } from 'chai';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { freshIp, newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { data as graphqlData, type Json, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const QUOTE = 'transaction { to from data value gasLimit } totalCost maxCost minPayout deadline';

describe('GET /api/tickets/quote with deadlineSeconds', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let seller: TestAgent;
  let buyer: TestAgent;

  const ask = (given: Record<string, string>) => {
    const query = { action: 'buy', agent: seller.wallet, amount: '2', walletAddress: buyer.wallet, ...given };
    return world.ask('GET', `/api/tickets/quote?${new URLSearchParams(query)}`, { key: buyer.key, headers: freshIp() });
  };
  const quote = async (given: Record<string, string>) => success(await ask(given)) as Json;
  const send = async ({ transaction }: Json) => {
    const sent = await buyer.trader.signer.sendTransaction({ ...transaction });
    return sent.wait();
  };
  const seconds = (time: string) => Date.parse(time) / 1000;
  /** Deadline in the calldata, in seconds. */
  const encoded = ({ transaction }: Json) => Number(ticketMarket.parseTransaction(transaction)?.args.at(-1));

  before(async () => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
    await buyer.trader.buy(seller.wallet, 5);
  });

  for (const action of ['buy', 'sell']) {
    it(`returns a ${action} that the contract accepts until the deadline`, async () => {
      const now = Math.floor(world.clock.now().getTime() / 1000);
      const quoted = await quote({ action, deadlineSeconds: '60' });
      expect(seconds(quoted.deadline)).to.be.within(now + 60, now + 63);
      const parsed = ticketMarket.parseTransaction(quoted.transaction);
      expect(parsed?.signature).to.equal(`${action}Tickets(address,uint256,uint256,uint256)`);
      expect(encoded(quoted)).to.equal(seconds(quoted.deadline));
      expect((await send(quoted))?.status).to.equal(1);
    });

    it(`differs from a ${action} without a deadline only by the deadline`, async () => {
      const { deadline, ...dated } = await quote({ action, deadlineSeconds: '3600' });
      const plain = await quote({ action });
      expect(plain).not.to.have.property('deadline');
      const args = (answer: Json) => [...(ticketMarket.parseTransaction(answer.transaction)?.args ?? [])];
      expect(args(dated)).to.deep.equal([...args(plain), BigInt(seconds(deadline))]);
      const rest = ({ transaction: { data: _, ...call }, balanceAt: __, ...answer }: Json) =>
        JSON.stringify([answer, call]);
      expect(rest(dated)).to.equal(rest(plain));
    });
  }

  it('returns a transaction that reverts with DeadlineExpired in a later block', async () => {
    const quoted = await quote({ deadlineSeconds: '10' });
    const { provider } = world.chain;
    const snapshot = await provider.send('evm_snapshot', []);
    try {
      await provider.send('evm_setNextBlockTimestamp', [encoded(quoted) + 1]);
      await provider.send('evm_mine', []);
      const error = await provider.call(quoted.transaction).catch((reason: unknown) => reason);
      const parsed = ticketMarket.parseError((error as { data: string }).data);
      expect([parsed?.name, Number(parsed?.args[0])]).to.deep.equal(['DeadlineExpired', encoded(quoted)]);
      expect(await send(quoted).catch((reason: { receipt: Json }) => reason.receipt.status)).to.equal(0);
    } finally {
      await provider.send('evm_revert', [snapshot]);
    }
  });

  for (const deadlineSeconds of ['9', '3601', '0', '-60', '60.5', 'soon', '']) {
    it(`refuses deadlineSeconds "${deadlineSeconds}"`, async () => {
      const { status, body } = await ask({ deadlineSeconds });
      expect([status, body.error]).to.deep.equal([400, 'Invalid query parameter: deadlineSeconds']);
      expect(body.hint).to.match(/an integer from 10 to 3600/);
    });
  }

  it('accepts 10 and 3600 seconds', async () => {
    for (const deadlineSeconds of ['10', '3600']) expect((await ask({ deadlineSeconds })).status).to.equal(200);
  });

  it('works over GraphQL in the same way', async () => {
    const text = (more: string) =>
      `{ quote(action: SELL, agent: "${seller.wallet}", amount: 1, walletAddress: "${buyer.wallet}"${more}) { ${QUOTE} } }`;
    const options = { key: buyer.key };
    const { quote: plain } = await graphqlData(world, text(''), options);
    expect(plain.deadline).to.equal(null);
    expect((await graphqlData(world, text(', deadlineSeconds: null'), options)).quote).to.deep.equal(plain);
    const { quote: dated } = await graphqlData(world, text(', deadlineSeconds: 600'), options);
    expect(encoded(dated)).to.equal(seconds(dated.deadline));
    expect((await send(dated))?.status).to.equal(1);
    for (const wrong of [9, 3601]) {
      const { errors } = await query(world, text(`, deadlineSeconds: ${wrong}`), options);
      expect(errors[0]?.message).to.equal('deadlineSeconds is not valid');
      expect(errors[0]?.extensions.hint).to.match(/an integer from 10 to 3600/);
    }
  });
});
