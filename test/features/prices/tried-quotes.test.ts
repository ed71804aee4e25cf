import { expect } from 'chai';
import { freshIp, newAgent, success, type TestAgent } from '../../support/market/agents.js';
import { owner } from '../../support/market/traders.js';
import { data, type Json } from '../../support/service/graphql.js';
import { callTool, mcpClient, useTool } from '../../support/service/mcp.js';
import { useWorld } from '../../support/world.js';

describe('a quote', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let seller: TestAgent;
  let buyer: TestAgent;
  before(async () => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
    await buyer.trader.buy(seller.wallet, 4);
  });

  const rest = async (path: string, given: Record<string, string>, key?: string): Promise<Json> =>
    success(await world.ask('GET', `${path}?${new URLSearchParams(given)}`, { key, headers: freshIp() }));
  const quoted = (action: string) => {
    const given = { action, agent: seller.wallet, amount: '2', walletAddress: buyer.wallet };
    return rest('/api/tickets/quote', given, buyer.key);
  };
  const called = async (action: string, key?: string) =>
    callTool(await mcpClient(world, { key }), 'quote_trade', { action, agent: seller.wallet, amount: 2 });

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
      const text = `{ quote(action: BUY, agent: "${seller.wallet}", amount: 2, walletAddress: "${buyer.wallet}") {
        refusal { code message hint } } }`;
      const overGraphql = async () => (await data(world, text, { key: buyer.key })).quote.refusal;
      await begin();
      const answers = Promise.all([quoted('buy'), overGraphql(), called('buy', buyer.key)]);
      const [{ refusal, transaction }, fromGraphql, fromMcp] = await answers.finally(end);
      expect(refusal.code).to.equal(code);
      expect(refusal.hint).to.match(hint);
      expect(transaction.from).to.equal(buyer.wallet);
      expect(fromGraphql).to.deep.equal(refusal);
      expect(fromMcp.failed).to.equal(true);
      expect(fromMcp.body).to.include({ ...failure, error: refusal.message, hint: refusal.hint });
      expect(refusal.message).to.equal(failure.error);

      expect(await quoted('buy')).to.not.have.property('refusal');
      expect(await overGraphql()).to.equal(null);
      expect((await called('buy', buyer.key)).failed).to.equal(false);
    });
  }

  it('says that a wallet without ether cannot pay the gas of a sale', async () => {
    await setEther('0x0');
    const { refusal } = await quoted('sell').finally(() => setEther('0xde0b6b3a7640000'));
    expect(refusal.code).to.equal('INSUFFICIENT_ETHER');
    expect(await quoted('sell')).to.not.have.property('refusal');
  });

  for (const [action, bound] of [
    ['buy', 'maxTotalCost'],
    ['sell', 'minPayout'],
  ] as const) {
    it(`to ${action} has the same figures without a key, from GET /api/price and from quote_trade`, async () => {
      const full = await quoted(action);
      const price = await rest('/api/price', { agent: seller.wallet, amount: '2', type: action, slippage: '5' });
      const { basePrice, protocolFee, agentFee, totalCost, maxCost, minPayout } = full;
      expect([price.priceEth, price.protocolFeeEth, price.agentFeeEth, price.priceAfterFeeEth]).to.deep.equal([
        ...[basePrice, protocolFee, agentFee, totalCost],
      ]);
      expect(price[`${bound}Eth`]).to.equal(maxCost ?? minPayout);

      const open = await useTool(await mcpClient(world), 'quote_trade', { action, agent: seller.wallet, amount: 2 });
      const { transaction, note, ...figures } = (await called(action, buyer.key)).body;
      expect(transaction.from).to.equal(buyer.wallet);
      const { note: openNote, ...openFigures } = open;
      for (const only of ['ticketBalance', 'balanceAt']) delete figures[only];
      expect(openFigures).to.deep.equal(figures);
      expect(openNote).to.match(/^For the transaction, call this tool with your API key in the header X-Api-Key\./);
    });
  }

  it('without a key refuses what a quote with a key refuses', async () => {
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
