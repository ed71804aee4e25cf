import { expect } from 'chai';
import { Contract, type ContractTransactionReceipt, type HDNodeWallet, Interface } from 'ethers';
import { ticketMarketAbi } from '../../src/chain/abi.js';
import { devAccount } from '../../src/chain/embedded-chain.js';
import { type TestChain, testChain } from '../support/chain/chain.js';

/** Typed by hand from the specification: names, order and types that a client may rely on. */
const SPECIFIED = [
  'function registerAgent(string name, string agentId, address feeDestination)',
  'function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth) payable',
  'function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth)',
  'function getBuyPriceAfterFee(address agent, uint256 amount) view returns (uint256)',
  'function withdrawAgentFees()',
  'function proposeFeeUpdate(uint256 newProtocolFee, uint256 newAgentFee)',
  'function applyFeeUpdate()',
  'function cancelFeeUpdate()',
  'event AgentRegistered(address indexed agent, string name, string agentId, uint256 timestamp)',
  'event TicketsBought(address indexed buyer, address indexed agent, uint256 amount, uint256 price, uint256 protocolFee, uint256 agentFee, uint256 supply, uint256 timestamp)',
  'event TicketsSold(address indexed seller, address indexed agent, uint256 amount, uint256 price, uint256 protocolFee, uint256 agentFee, uint256 supply, uint256 timestamp)',
  'event AgentFeesWithdrawn(address indexed agent, uint256 amount, uint256 timestamp)',
];

/** Typed by hand: what the contract adds to the specification. */
const ADDED = [
  'function registerAgent(string name, string agentId, address feeDestination, uint256 initialTickets, uint256 maxCostEth) payable',
  'function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth, uint256 deadline) payable',
  'function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth, uint256 deadline)',
  'error DeadlineExpired(uint256 deadline)',
];

/** Selectors of the specification, as clients have stored them. */
const SELECTORS = {
  registerAgent: '0x53bce15e',
  buyTickets: '0xb91ccd38',
  sellTickets: '0xe989e9b9',
};

const specified = new Interface(SPECIFIED);
const added = new Interface(ADDED);
const SQUARE = 10n ** 18n / 50_000n;

describe('the contract interface of the specification', () => {
  let chain: TestChain;
  let agent: HDNodeWallet;
  let buyer: HDNodeWallet;
  before(async () => {
    chain = await testChain();
    await chain.reset();
    [agent, buyer] = [1, 2].map((i) => devAccount(i).connect(chain.provider)) as [HDNodeWallet, HDNodeWallet];
  });
  after(() => chain.reset());

  /** Sends a call that a client of the specification encodes, and decodes its calldata and events by name. */
  async function send(signer: HDNodeWallet, name: string, args: readonly unknown[], value = 0n, abi = specified) {
    const sent = await new Contract(chain.contract, abi, signer).getFunction(name).send(...args, { value });
    const receipt = (await sent.wait()) as ContractTransactionReceipt;
    const call = abi.parseTransaction(sent)?.args.toObject();
    const events = receipt.logs.flatMap((log) => specified.parseLog(log) ?? []);
    const timestamp = BigInt((await receipt.getBlock()).timestamp);
    return { call, events: events.map((event) => ({ event: event.name, ...event.args.toObject() })), timestamp };
  }

  it('has the selectors, parameters and events of the specification', () => {
    const actual = new Interface(ticketMarketAbi);
    for (const expected of [specified, added]) {
      expected.forEachFunction((fragment) => {
        const found = actual.getFunction(fragment.selector);
        expect(found?.format('full').replace(/ returns .*/, '')).to.equal(
          fragment.format('full').replace(/ returns .*/, ''),
        );
      });
      expected.forEachEvent((fragment) => {
        expect(actual.getEvent(fragment.topicHash)?.format('full')).to.equal(fragment.format('full'));
      });
      expected.forEachError((fragment) => {
        expect(actual.getError(fragment.selector)?.format('full')).to.equal(fragment.format('full'));
      });
    }
    for (const [name, selector] of Object.entries(SELECTORS)) {
      expect(specified.getFunction(name)?.selector, name).to.equal(selector);
    }
  });

  it('lets a client register, buy, sell and withdraw, and decode everything by name', async () => {
    const registration = ['Spec Agent', 'spec_agent', agent.address];
    const registered = await send(agent, 'registerAgent', registration);
    expect(registered.call).to.deep.equal({
      name: 'Spec Agent',
      agentId: 'spec_agent',
      feeDestination: agent.address,
    });
    expect(registered.events).to.deep.equal([
      {
        event: 'AgentRegistered',
        agent: agent.address,
        name: 'Spec Agent',
        agentId: 'spec_agent',
        timestamp: registered.timestamp,
      },
    ]);

    const market = new Contract(chain.contract, specified, buyer);
    const cost: bigint = await market.getFunction('getBuyPriceAfterFee')(agent.address, 20);
    expect(cost).to.equal((2870n * SQUARE * 11n) / 10n);
    const bought = await send(buyer, 'buyTickets', [agent.address, 20, cost], cost + 5n);
    expect(bought.call).to.deep.equal({ agentAddress: agent.address, amount: 20n, maxCostEth: cost });
    const price = 2870n * SQUARE;
    const fees = { protocolFee: price / 20n, agentFee: price / 20n };
    expect(bought.events).to.deep.equal([
      {
        event: 'TicketsBought',
        buyer: buyer.address,
        agent: agent.address,
        amount: 20n,
        price,
        ...fees,
        supply: 21n,
        timestamp: bought.timestamp,
      },
    ]);

    const sold = await send(buyer, 'sellTickets', [agent.address, 1, 1n]);
    expect(sold.call).to.deep.equal({ agentAddress: agent.address, amount: 1n, minPayoutEth: 1n });
    const last = 400n * SQUARE;
    expect(sold.events).to.deep.equal([
      {
        event: 'TicketsSold',
        seller: buyer.address,
        agent: agent.address,
        amount: 1n,
        price: last,
        protocolFee: last / 20n,
        agentFee: last / 20n,
        supply: 20n,
        timestamp: sold.timestamp,
      },
    ]);

    const withdrawn = await send(agent, 'withdrawAgentFees', []);
    expect(withdrawn.events).to.deep.equal([
      {
        event: 'AgentFeesWithdrawn',
        agent: agent.address,
        amount: (price + last) / 20n,
        timestamp: withdrawn.timestamp,
      },
    ]);
  });
});
