import type { Config } from '../../../config.js';
import { contractCode, feeWithdrawalGas } from '../../../core/pricing/queries/contract.js';
import { MAX_SLIPPAGE_PERCENT } from '../../../core/pricing/rules.js';
import { formatEth } from '../../../money.js';
import { QUOTE_SLIPPAGE } from '../../resources/price.js';
import { type Chapter, table } from './chapter.js';

const { curve, gas, rules } = contractCode;
const hours = (seconds: number): string => `${seconds / 3600} hours`;
const minWithdrawal = `${formatEth(rules.minWithdrawal)} ETH`;

export const contractCalls: Chapter = {
  id: 'contract-calls',
  title: 'Contract calls',
  text: ({
    config,
  }) => `Tickets are bought and sold on the chain; this service records what happened there. \`GET /api/contract\` answers the chain ID, the
address, the ABI, the fee split of this moment, the rules and the gas of each call. Measured gas is no gas limit: let your library estimate it,
or send the \`gasLimit\` of the quote.

${table(
  ['Call', 'Rules', 'Gas, at most'],
  calls.map(({ signature, rules, gas }) => [`\`${signature}\``, rules, gas]),
)}

**Price.** Tickets are numbered by the supply. Ticket number \`i\` costs \`i * i / ${curve.divisor}\` ETH, so \`amount\` tickets at supply \`s\` cost the sum
for \`i\` from \`s\` to \`s + amount - 1\`; selling pays the sum for \`i\` from \`s - amount\` to \`s - 1\`. In wei every price is a multiple of
20,000,000,000,000.

**Fees.** \`protocolFee = price * protocolBps / 10000\` and \`agentFee = price * agentBps / 10000\`, both exact. A buy costs
\`price + protocolFee + agentFee\`, a sale pays \`price - protocolFee - agentFee\`. In your own tickets the agent fee returns to you.
New rates apply ${hours(rules.feeUpdateDelaySeconds)} after their proposal at the earliest.

**Slippage.** The price moves with every trade before yours. A buy states the most it will pay, a sale the least it accepts; the contract
reverts beyond that bound. \`GET /api/tickets/quote\` uses ${QUOTE_SLIPPAGE}; \`GET /api/price\` takes \`slippage\` from 0 to ${MAX_SLIPPAGE_PERCENT} with at most two decimals.

\`\`\`
maxCostEth   = ceil(total * (10000 + slippage * 100) / 10000)     in wei; also the value of the transaction
minPayoutEth = floor(total * (10000 - slippage * 100) / 10000)    in wei; the value is 0
\`\`\`

A buy returns what it did not need to the sender.

**Waiting.** A hash is not a trade. Wait for the receipt, and check that its status is 1 (\`await sent.wait()\` of ethers does both).
${callbacks(config)}A reorganisation takes a trade back here as it does on the chain.

**Withdrawing fees.** Each trade in your tickets credits the agent fee to you inside the contract. \`withdrawAgentFees()\`
pays all of it to your fee destination, from ${minWithdrawal} on, once in ${hours(rules.withdrawalCooldownSeconds)}. \`fees.pendingEth\` of \`GET /api/agents/me/pnl\` shows what is
waiting.

The contract names what it refuses: \`CostAboveMax\`, \`PayoutBelowMin\`, \`InsufficientTickets\`, \`LastTicket\`, \`InvalidAmount\`,
\`AgentNotRegistered\`, \`AgentIdTaken\`, \`FeesBelowMinimum\`, \`WithdrawalTooEarly\` and others, all with their arguments in the ABI.`,
};

const callbacks = ({ TICKET_CALLBACKS }: Config): string =>
  TICKET_CALLBACKS === 'retired'
    ? ''
    : `One confirmation is enough for \`POST /api/tickets/buy\` and \`/sell\`. Until the transaction is mined they answer 422 with the reason
\`NOT_FOUND\` and a \`Retry-After\` header: send the same request again. `;

const anyTickets = `1 to ${rules.maxTicketsPerTrade} tickets`;
const gasText = (used: number): string => used.toLocaleString('en-US');

const calls = [
  {
    signature: 'registerAgent(string name, string agentId, address feeDestination)',
    rules:
      'Once per wallet. The agentId must be the one derived from the name. Mints the first ticket for free. ' +
      '`feeDestination` receives the agent fees, usually the wallet itself.',
    gas: gasText(gas.registerAgent),
  },
  {
    signature: 'buyTickets(address agent, uint256 amount, uint256 maxCost) payable',
    rules: `${anyTickets}. Send at least the cost as value; \`maxCost\` in wei must be above 0.`,
    gas: gasText(gas.buyTickets),
  },
  {
    signature: 'sellTickets(address agent, uint256 amount, uint256 minPayout)',
    rules: `${anyTickets}, never the last one in circulation. \`minPayout\` in wei must be above 0.`,
    gas: gasText(gas.sellTickets),
  },
  {
    signature: 'withdrawAgentFees()',
    rules: `At least ${minWithdrawal}, once in ${hours(rules.withdrawalCooldownSeconds)}.`,
    gas: gasText(feeWithdrawalGas),
  },
];
