import { expect } from 'chai';
import { getAddress, parseEther } from 'ethers';
import { ticketMarket } from '../../../../../src/chain/contract-interface.js';
import { newAgent, refusal, success, type TestAgent } from '../../../../support/market/agents.js';
import { newTrader, owner, ticketsOf } from '../../../../support/market/traders.js';
import { data, type Json, query } from '../../../../support/service/graphql.js';
import { callTool, mcpClient, useTool } from '../../../../support/service/mcp.js';
import { useWorld } from '../../../../support/world.js';

type Given = Readonly<Record<string, string | undefined>>;

describe('a quote', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let seller: TestAgent;
  let buyer: TestAgent;
  before(async () => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
  });

  const ask = (given: Given, key = buyer.key) => {
    const all = { action: 'buy', agent: seller.wallet, amount: '1', walletAddress: buyer.wallet, ...given };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return world.ask('GET', `/api/tickets/quote?${new URLSearchParams(sent)}`, { key });
  };
  const quote = async (given: Given) => success(await ask(given)) as Json;
  /** A GraphQL query for a quote of the buyer about tickets of the seller. */
  const graphql = (args: string, fields: string) =>
    `{ quote(agent: "${seller.wallet}", walletAddress: "${buyer.wallet}", ${args}) { ${fields} } }`;
  const balanceOf = (agent: string) => ticketsOf(world.chain, agent, buyer.wallet);
  const send = async ({ transaction }: Json) => (await buyer.trader.signer.sendTransaction(transaction)).wait();

  it('contains the transaction of a buy, ready to sign and send', async () => {
    const { transaction, note, ...figures } = await quote({ amount: '3' });
    // The price of 3 tickets is (1 + 4 + 9) / 50000 ETH. Each fee is 5 % of the price, and the slippage is 5 % of the total.
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
    const { data, ...call } = transaction;
    // The value is `maxCost`. 0x30d40 is a gas limit of 200,000.
    const value = `0x${323_400_000_000_000n.toString(16)}`;
    expect(call).to.deep.equal({ to: world.chain.contract, from: buyer.wallet, value, gasLimit: '0x30d40' });
    // A selector of 8 digits and three arguments of 64.
    expect(data).to.match(/^0x[0-9a-f]{200}$/);
    await send({ transaction });
    expect(await balanceOf(seller.wallet)).to.equal(3);
  });

  it('contains the transaction of a sale, ready to sign and send, if type is sent instead of action', async () => {
    const { transaction, balanceAt, ...figures } = await quote({ action: undefined, type: 'sell', amount: '2' });
    // The price of the last 2 tickets is (4 + 9) / 50000 ETH. The fees are 10 % of it, and the slippage is 5 % of the rest.
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
    const call = { to: world.chain.contract, from: buyer.wallet, value: '0x0', gasLimit: '0x30d40' };
    expect(transaction).to.include(call);
    await send({ transaction });
    expect(await balanceOf(seller.wallet)).to.equal(1);
  });

  it('lets a buy succeed after the price rose by less than 5 %', async () => {
    const { trader, wallet } = await newAgent(world);
    // At a supply of 61, one more ticket raises the price by 3.3 %.
    for (let i = 0; i < 3; i++) await trader.buy(wallet, 20);
    const quoted = await quote({ agent: wallet });
    await trader.buy(wallet, 1);
    await send(quoted);
    expect(await balanceOf(wallet)).to.equal(1);
  });

  it('is refused with a hint about the wrong parameter, amount, balance, wallet or agent', async () => {
    const own = { agent: buyer.wallet, action: 'sell' };
    const [alien, unknown] = [await newTrader(world.chain), `0x${'ab'.repeat(20)}`];
    await alien.register('Stranger');
    const refusals: [given: Given, error: string, hint: RegExp, key?: string][] = [
      [{ type: 'sell' }, '400 Invalid query parameter: type', /action/],
      [{ amount: '21' }, '400 Amount must be between 1 and 20', /an integer from 1 to 20/],
      [{ action: 'sell', amount: '3' }, '400 Insufficient ticket balance', /^The wallet holds 1 of these tickets/],
      [{ ...own, walletAddress: seller.wallet }, '400 Insufficient ticket balance', /^The wallet holds 0 /, seller.key],
      // The buyer holds the only ticket of its market, so it cannot sell it.
      [own, '400 Cannot sell the last ticket', /^At most 0 can be sold now/],
      [{ walletAddress: unknown }, '403 Not authorized', /wallet of the key as walletAddress/],
      [{ agent: alien.wallet }, '404 Agent not found', /registered on the chain but not here/],
    ];
    for (const [given, error, hint, key] of refusals) {
      const answer = await ask(given, key);
      expect(refusal(answer), JSON.stringify(given)).to.equal(error);
      expect(answer.body.hint, error).to.match(hint);
    }
  });

  it('lets an agent sell its first ticket while others hold tickets', async () => {
    const { status, body } = await ask({ action: 'sell', walletAddress: seller.wallet }, seller.key);
    expect([status, body.ticketBalance]).to.deep.equal([200, 1]);
  });

  describe('with a deadline', () => {
    const seconds = (time: string) => Date.parse(time) / 1000;
    /** The deadline in the calldata, in seconds since 1970. */
    const encoded = ({ transaction }: Json) => Number(ticketMarket.parseTransaction(transaction)?.args.at(-1));

    for (const action of ['buy', 'sell']) {
      it(`is accepted by the contract, with the same price limit as without a deadline: ${action}`, async () => {
        const quoted = await quote({ action, amount: '2', deadlineSeconds: '60' });
        expect(seconds(quoted.deadline)).to.equal(Math.floor(world.clock.now().getTime() / 1000) + 60);
        const parsed = ticketMarket.parseTransaction(quoted.transaction);
        expect(parsed?.signature).to.equal(`${action}Tickets(address,uint256,uint256,uint256)`);
        expect(encoded(quoted)).to.equal(seconds(quoted.deadline));
        const bound = parseEther(quoted.maxCost ?? quoted.minPayout);
        for (const { transaction } of [quoted, await quote({ action, amount: '2' })]) {
          const args = ticketMarket.parseTransaction(transaction)?.args.slice(0, 3);
          expect(args).to.deep.equal([getAddress(seller.wallet), 2n, bound]);
        }
        expect((await send(quoted))?.status).to.equal(1);
      });
    }

    it('has a transaction that reverts with DeadlineExpired after the deadline', async () => {
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

    it('is given for 10 to 3,600 seconds over REST and GraphQL', async () => {
      const { key } = buyer;
      const text = (deadline: number | null) =>
        graphql(`action: BUY, amount: 1, deadlineSeconds: ${deadline}`, 'transaction { to from data value gasLimit } deadline');
      for (const deadline of [10, 3600]) {
        const quoted = await quote({ deadlineSeconds: `${deadline}` });
        expect(seconds(quoted.deadline)).to.equal(Math.floor(world.clock.now().getTime() / 1000) + deadline);
        expect(encoded(quoted)).to.equal(seconds(quoted.deadline));
        const overGraphql = (await data(world, text(deadline), { key })).quote;
        expect(overGraphql).to.deep.equal({ transaction: quoted.transaction, deadline: quoted.deadline });
      }
      expect((await data(world, text(null), { key })).quote.deadline).to.equal(null);
      for (const deadlineSeconds of ['9', '3601', '']) {
        const answer = await ask({ deadlineSeconds });
        expect(refusal(answer)).to.equal('400 Invalid query parameter: deadlineSeconds');
        expect(answer.body.hint).to.match(/an integer from 10 to 3600/);
        if (deadlineSeconds === '') continue;
        const [error] = (await query(world, text(Number(deadlineSeconds)), { key })).errors;
        expect(error?.message).to.equal('Invalid query parameter: deadlineSeconds');
        expect(error?.extensions.hint).to.match(/an integer from 10 to 3600/);
      }
    });
  });

  const called = async (action: string, key?: string) =>
    callTool(await mcpClient(world, { key }), 'quote_trade', { action, agent: seller.wallet, amount: 1 });
  const setEther = (wei: string) => world.chain.provider.send('anvil_setBalance', [buyer.wallet, wei]);
  const obstacles = [
    {
      obstacle: 'buying is paused',
      code: 'TRADE_REVERTS',
      failure: { status: 422, error: 'Trade would fail', revert: 'EnforcedPause' },
      hint: /buying is paused; tickets can still be sold\. EnforcedPause\(\)/,
      begin: async () => (await owner(world.chain).getFunction('pause')()).wait(),
      end: async () => (await owner(world.chain).getFunction('unpause')()).wait(),
    },
    {
      obstacle: 'the wallet has too little ether',
      code: 'INSUFFICIENT_ETHER',
      failure: { status: 400, error: 'Insufficient ether balance' },
      hint: /holds 0\.000000000000000001 ETH/,
      begin: () => setEther('0x1'),
      end: () => setEther('0xde0b6b3a7640000'),
    },
  ];
  for (const { obstacle, code, failure, hint, begin, end } of obstacles) {
    it(`says over REST, GraphQL and MCP that its transaction would fail: ${obstacle}`, async () => {
      const text = graphql('action: BUY, amount: 1', 'refusal { code message hint }');
      const overGraphql = async () => (await data(world, text, { key: buyer.key })).quote.refusal;
      await begin();
      const answers = Promise.all([quote({}), overGraphql(), called('buy', buyer.key)]);
      const [{ refusal, transaction }, fromGraphql, fromMcp] = await answers.finally(end);
      expect(refusal).to.include({ code, message: failure.error });
      expect(refusal.hint).to.match(hint);
      expect(transaction.from).to.equal(buyer.wallet);
      expect(fromGraphql).to.deep.equal(refusal);
      expect(fromMcp.failed).to.equal(true);
      expect(fromMcp.body).to.include({ ...failure, hint: refusal.hint });

      expect(await quote({})).to.not.have.property('refusal');
      expect(await overGraphql()).to.equal(null);
      expect((await called('buy', buyer.key)).failed).to.equal(false);
    });
  }

  it('says that a wallet without ether cannot pay the gas of a sale', async () => {
    await setEther('0x0');
    const { refusal } = await quote({ action: 'sell' }).finally(() => setEther('0xde0b6b3a7640000'));
    expect(refusal.code).to.equal('INSUFFICIENT_ETHER');
    expect(await quote({ action: 'sell' })).to.not.have.property('refusal');
  });

  for (const [action, bound] of [
    ['buy', 'maxTotalCost'],
    ['sell', 'minPayout'],
  ] as const) {
    it(`has the same figures as GET /api/price, and as quote_trade without a key: ${action}`, async () => {
      const path = `/api/price?agent=${seller.wallet}&type=${action}&slippage=5`;
      const price = success(await world.ask('GET', path)) as Json;
      const { basePrice, protocolFee, agentFee, totalCost, maxCost, minPayout } = await quote({ action });
      expect([price.priceEth, price.protocolFeeEth, price.agentFeeEth, price.priceAfterFeeEth]).to.deep.equal([
        basePrice,
        protocolFee,
        agentFee,
        totalCost,
      ]);
      expect(price[`${bound}Eth`]).to.equal(maxCost ?? minPayout);

      const open = await useTool(await mcpClient(world), 'quote_trade', { action, agent: seller.wallet, amount: 1 });
      const { transaction, note, ticketBalance, balanceAt, ...figures } = (await called(action, buyer.key)).body;
      expect(transaction.from).to.equal(buyer.wallet);
      const { note: openNote, ...openFigures } = open;
      expect(openFigures).to.deep.equal(figures);
      expect(openNote).to.match(/^For the transaction, call this tool with your API key in the header X-Api-Key\./);
    });
  }

  it('is refused without a key for an unknown agent, the last ticket, a wrong amount or a deadline', async () => {
    const open = await mcpClient(world);
    for (const [args, error] of [
      [{ agent: `0x${'1'.repeat(40)}` }, 'Agent not found'],
      [{ action: 'sell', agent: buyer.wallet }, 'Cannot sell the last ticket'],
      [{ amount: 21 }, 'Amount must be between 1 and 20'],
      [{ deadlineSeconds: 60 }, 'Missing API key'],
    ] as const) {
      const { body } = await callTool(open, 'quote_trade', { action: 'buy', agent: seller.wallet, amount: 1, ...args });
      expect(body.error).to.equal(error);
    }
  });
});
