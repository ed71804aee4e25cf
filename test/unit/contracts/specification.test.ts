import { expect } from 'chai';
import { type Fragment, Interface } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';

/** The interface in the specification, typed by hand: the names, the order and the types that a client may rely on. */
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

/** What the contract adds to this interface, also typed by hand. */
const ADDED = [
  'function registerAgent(string name, string agentId, address feeDestination, uint256 initialTickets, uint256 maxCostEth) payable',
  'function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth, uint256 deadline) payable',
  'function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth, uint256 deadline)',
  'error DeadlineExpired(uint256 deadline)',
];

const signatureOf = (fragment: Fragment): string => fragment.format('full').replace(/ returns .*/, '');

describe('the interface of the contract', () => {
  it('includes the functions and events of the specification, and what the contract adds to it', () => {
    const specified = new Interface([...SPECIFIED, ...ADDED]);
    const actual = new Interface(ticketMarketAbi);
    expect(actual.fragments.map(signatureOf)).to.include.members(specified.fragments.map(signatureOf));
  });
});
