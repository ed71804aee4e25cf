import { expect } from 'chai';
import { getAddress, parseEther } from 'ethers';
import { ticketMarket } from '../../../src/chain/contract-interface.js';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { newTrader, ticketsOf } from '../../support/market/traders.js';
import { data as graphqlData, type Json, query } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

type Transaction = { to: string; from: string; data: string; value: string; gasLimit: string };
type Given = Readonly<Record<string, string | undefined>>;

const QUOTE = 'transaction { to from data value gasLimit } totalCost maxCost minPayout deadline';

describe('GET /api/tickets/quote', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let seller: TestAgent;
  let buyer: TestAgent;

  const ask = (given: Given, key = buyer.key) => {
    const all = { action: 'buy', agent: seller.wallet, amount: '1', walletAddress: buyer.wallet, ...given };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return world.ask('GET', `/api/tickets/quote?${new URLSearchParams(sent)}`, { key, headers: freshIp() });
  };
  const balanceOf = (agent: string, holder: string) => ticketsOf(world.chain, agent, holder);
  const send = async ({ transaction }: Json) => (await buyer.trader.signer.sendTransaction({ ...transaction })).wait();
  const newAgents = async (tickets = 0) => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
    if (tickets > 0) await buyer.trader.buy(seller.wallet, tickets);
  };

  describe('without a deadline', () => {
    before(() => newAgents());

    it('returns a buy with a transaction that is ready to sign', async () => {
      const answer = await ask({ amount: '3' });
      expect(answer.status).to.equal(200);
      const { transaction, note, ...figures } = answer.body;
      // The price is (1 + 4 + 9) / 50000 ETH. Each fee is 5 % of the price, and the slippage is 5 % of the total.
      expect(figures).to.deep.equal({
        success: true,
        action: 'buy',
        agent: seller.wallet,
        amount: 3,
        basePrice: '0.00028',
        protocolFee: '0.000014',
        agentFee: '0.000014',
        totalCost: '0.000308',
        maxCost: '0.0003234',
        slippagePercent: '5',
      });
      expect(note).to.match(/^Sign and send transaction as it is.*POST \/api\/tickets\/buy attaches a thesis to it\.$/);
      const { data, ...call } = transaction as Transaction;
      expect(call).to.deep.equal({
        to: world.chain.contract,
        from: buyer.wallet,
        value: `0x${323_400_000_000_000n.toString(16)}`,
        gasLimit: '0x30d40',
      });
      expect(data).to.match(/^0x[0-9a-f]{200}$/);
      await send(answer.body);
      expect(await balanceOf(seller.wallet, buyer.wallet)).to.equal(3);
    });

    it('returns a sale with a transaction that is ready to sign', async () => {
      const answer = await ask({ action: 'sell', amount: '2' });
      const { transaction, balanceAt, ...figures } = answer.body;
      // The price is (4 + 9) / 50000 ETH. The fees are 10 % of it, and the slippage is 5 % of the rest.
      expect(figures).to.deep.equal({
        success: true,
        action: 'sell',
        agent: seller.wallet,
        amount: 2,
        basePrice: '0.00026',
        protocolFee: '0.000013',
        agentFee: '0.000013',
        totalCost: '0.000234',
        minPayout: '0.0002223',
        slippagePercent: '5',
        ticketBalance: 3,
      });
      expect(balanceAt).to.equal(world.clock.now().toISOString());
      expect(transaction).to.include({
        to: world.chain.contract,
        from: buyer.wallet,
        value: '0x0',
        gasLimit: '0x30d40',
      });
      await send(answer.body);
      expect(await balanceOf(seller.wallet, buyer.wallet)).to.equal(1);
    });

    it('returns a buy that succeeds after the price rose by less than 5 %', async () => {
      const agent = await newAgent(world);
      for (let i = 0; i < 3; i++) await agent.trader.buy(agent.wallet, 20);
      const quoted = await ask({ agent: agent.wallet });
      await agent.trader.buy(agent.wallet, 1);
      await send(quoted.body);
      expect(await balanceOf(agent.wallet, buyer.wallet)).to.equal(1);
    });
  });

  describe('with other input', () => {
    before(() => newAgents(2));

    const refusals: [given: Given, status: number, error: string][] = [
      [{ type: 'sell' }, 400, 'Invalid query parameter: type'],
      [{ amount: '21' }, 400, 'Amount must be between 1 and 20'],
      [{ action: 'sell', amount: '3' }, 400, 'Insufficient ticket balance'],
      [{ walletAddress: `0x${'ab'.repeat(20)}` }, 403, 'Not authorized'],
    ];
    for (const [given, status, error] of refusals) {
      it(`refuses ${JSON.stringify(given)}: ${error}`, async () => {
        expect(refusal(await ask(given))).to.equal(`${status} ${error}`);
      });
    }

    it('states how many tickets can be sold and which wallet address to send', async () => {
      const hintOf = async (given: Given, key?: string) => (await ask(given, key)).body.hint;
      expect(await hintOf({ action: 'sell', amount: '3' })).to.match(/^The wallet holds 2 of these tickets/);
      const none = { action: 'sell', agent: buyer.wallet, walletAddress: seller.wallet };
      expect(await hintOf(none, seller.key)).to.match(/^The wallet holds 0 of these tickets/);
      const ownMarket = { action: 'sell', agent: buyer.wallet };
      expect(await hintOf(ownMarket)).to.match(/^At most 0 can be sold now/);
      expect(await hintOf({ walletAddress: seller.wallet })).to.match(/wallet of the key as walletAddress/);
    });

    it('refuses to sell the last ticket', async () => {
      const own = { action: 'sell', agent: seller.wallet, walletAddress: seller.wallet };
      const { status, body } = await ask(own, seller.key);
      // The seller may sell its first ticket while others hold tickets. The buyer holds the only ticket of its own
      // market.
      expect([status, body.ticketBalance]).to.deep.equal([200, 1]);
      const ownMarket = { action: 'sell', agent: buyer.wallet };
      expect(refusal(await ask(ownMarket))).to.equal('400 Cannot sell the last ticket');
    });

    it('refuses to quote a buy of an agent that is registered on the chain only', async () => {
      const stranger = await newTrader(world.chain);
      await stranger.register('Stranger');
      expect(refusal(await ask({ agent: stranger.wallet }))).to.equal('404 Agent not found');
    });

    it('accepts type instead of action', async () => {
      expect(success(await ask({ action: undefined, type: 'sell' }))).to.include({ action: 'sell' });
    });
  });

  describe('with deadlineSeconds', () => {
    before(() => newAgents(5));
    const quote = async (given: Given) => success(await ask({ amount: '2', ...given })) as Json;
    const seconds = (time: string) => Date.parse(time) / 1000;
    /** Deadline in the calldata, in seconds. */
    const encoded = ({ transaction }: Json) => Number(ticketMarket.parseTransaction(transaction)?.args.at(-1));

    for (const action of ['buy', 'sell']) {
      it(`returns a ${action} that the contract accepts until the deadline, with the bound of one without it`, async () => {
        const quoted = await quote({ action, deadlineSeconds: '60' });
        expect(seconds(quoted.deadline)).to.equal(Math.floor(world.clock.now().getTime() / 1000) + 60);
        const parsed = ticketMarket.parseTransaction(quoted.transaction);
        expect(parsed?.signature).to.equal(`${action}Tickets(address,uint256,uint256,uint256)`);
        expect(encoded(quoted)).to.equal(seconds(quoted.deadline));
        const bound = parseEther(quoted.maxCost ?? quoted.minPayout);
        for (const { transaction } of [quoted, await quote({ action })]) {
          const args = ticketMarket.parseTransaction(transaction)?.args.slice(0, 3);
          expect(args).to.deep.equal([getAddress(seller.wallet), 2n, bound]);
        }
        expect((await send(quoted))?.status).to.equal(1);
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

    it('accepts 10 to 3600 seconds, and no others', async () => {
      for (const deadlineSeconds of ['10', '3600']) success(await ask({ deadlineSeconds }));
      for (const deadlineSeconds of ['9', '3601', '']) {
        const answer = await ask({ amount: '2', deadlineSeconds });
        expect(refusal(answer)).to.equal('400 Invalid query parameter: deadlineSeconds');
        expect(answer.body.hint).to.match(/an integer from 10 to 3600/);
      }
    });

    it('works over GraphQL in the same way', async () => {
      const text = (more: string) =>
        `{ quote(action: SELL, agent: "${seller.wallet}", amount: 1, walletAddress: "${buyer.wallet}"${more}) { ${QUOTE} } }`;
      const options = { key: buyer.key };
      expect((await graphqlData(world, text(', deadlineSeconds: null'), options)).quote.deadline).to.equal(null);
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
});
