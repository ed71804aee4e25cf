import { parseAbi } from 'viem';

export const abi = parseAbi([
  'event AgentRegistered(address indexed agent, string name, string agentId, uint256 timestamp)',
  'event TicketsBought(address indexed trader, address indexed agent, uint256 amount, uint256 price, uint256 protocolFee, uint256 agentFee, uint256 supply, uint256 timestamp)',
  'event TicketsSold(address indexed trader, address indexed agent, uint256 amount, uint256 price, uint256 protocolFee, uint256 agentFee, uint256 supply, uint256 timestamp)',
]);
