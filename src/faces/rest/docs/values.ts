import { NAME_LENGTH } from '../../../core/agents/rules.js';
import { registrationMessage, SIGNATURE_VALID_MINUTES } from '../../../core/agents/signature.js';
import { KEY_FORMAT, MAX_ANSWERS_PER_CALLER } from '../../../core/idempotency/rules.js';
import { contractCode, feeWithdrawalGas } from '../../../core/pricing/queries/contract.js';
import { buyQuote, MAX_SLIPPAGE_PERCENT, sellQuote } from '../../../core/pricing/rules.js';
import { MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS } from '../../../core/trading/queries/quote.js';
import { formatEth } from '../../../money.js';
import { queryCostLimits, wrongKeyLimit } from '../../access/limit-rows.js';
import { documentLimits, MAX_REQUEST_BYTES, mcpLimits } from '../../document-limits.js';
import { freshnessTable } from '../../guides/freshness.js';
import type { Values } from '../../guides/template.js';
import { SITE_TIMES } from '../../http/client-address.js';
import { QUOTE_SLIPPAGE } from '../../resources/price.js';
import { MAX_BYTES, MAX_DEPTH } from '../input.js';
import { errorsTable } from './errors.js';
import type { DocsFacts } from './facts.js';
import { limitsTable } from './limits.js';

/** The values of all placeholders in the chapters, except those in variants.md. */
export const valuesFor = (facts: DocsFacts): Values => ({
  url: facts.place.url,
  errors: errorsTable(facts),
  limits: limitsTable(facts),
  freshness: freshnessTable(),
  registrationMessage: exampleMessage(facts),
  ...bounds(),
  ...contractValues(),
  ...sandwichValues(),
});

const exampleMessage = ({ place: { url, chainId } }: DocsFacts): string =>
  registrationMessage({
    service: url,
    chainId,
    wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    time: new Date(Date.UTC(2026, 0, 15, 12)),
  });

const bounds = (): Values => ({
  maxWrongKeys: wrongKeyLimit.max,
  wrongKeyMinutes: wrongKeyLimit.seconds / 60,
  signatureMinutes: SIGNATURE_VALID_MINUTES,
  ipv6SiteTimes: SITE_TIMES,
  idempotencyKeyFormat: KEY_FORMAT,
  maxStoredAnswers: count(MAX_ANSWERS_PER_CALLER),
  maxBodyBytes: count(MAX_BYTES),
  maxBodyDepth: MAX_DEPTH,
  minNameLength: NAME_LENGTH.min,
  maxNameLength: NAME_LENGTH.max,
  maxMcpBytes: count(mcpLimits.bytes),
  maxMcpDepth: mcpLimits.depth,
  maxQueryBytes: count(MAX_REQUEST_BYTES),
  maxQueryTokens: count(documentLimits.tokens),
  maxQueryDepth: documentLimits.depth,
  maxQueryAliases: documentLimits.aliases,
  maxQueryFragments: documentLimits.fragments,
  maxQueryCost: count(documentLimits.cost),
  queryPointsPerIp: count(queryCostLimits.perIp.max),
  queryPointsPerKey: count(queryCostLimits.perKey.max),
});

function contractValues(): Values {
  const { curve, gas, rules } = contractCode;
  return {
    curveDivisor: curve.divisor,
    maxTickets: rules.maxTicketsPerTrade,
    quoteSlippage: QUOTE_SLIPPAGE,
    maxSlippage: MAX_SLIPPAGE_PERCENT,
    minWithdrawalEth: formatEth(rules.minWithdrawal),
    withdrawalHours: rules.withdrawalCooldownSeconds / 3600,
    feeUpdateHours: rules.feeUpdateDelaySeconds / 3600,
    feeUpdateGraceDays: rules.feeUpdateGraceSeconds / 86_400,
    minDeadline: MIN_DEADLINE_SECONDS,
    maxDeadline: MAX_DEADLINE_SECONDS,
    registerAgentCall: signatureOf('registerAgent', 3),
    registerAgentGas: count(gas.registerAgent),
    registerWithTicketsCall: signatureOf('registerAgent', 5),
    registerWithTicketsGas: count(gas.registerAgentWithTickets),
    buyTicketsCall: signatureOf('buyTickets', 3),
    buyBeforeCall: signatureOf('buyTickets', 4),
    buyTicketsGas: count(gas.buyTickets),
    sellTicketsCall: signatureOf('sellTickets', 3),
    sellBeforeCall: signatureOf('sellTickets', 4),
    sellTicketsGas: count(gas.sellTickets),
    withdrawAgentFeesCall: signatureOf('withdrawAgentFees', 0),
    withdrawAgentFeesGas: count(feeWithdrawalGas),
  };
}

const functions = contractCode.abi.filter((entry) => entry.type === 'function');

/**
 * Signature of a function of the contract, with the names of its arguments. Overloads differ in the number of
 * arguments.
 */
function signatureOf(name: (typeof functions)[number]['name'], parameters: number): string {
  const { inputs, stateMutability } = functions.find(
    (entry) => entry.name === name && entry.inputs.length === parameters,
  ) ?? { inputs: [] };
  const list = inputs.map((input) => `${input.type} ${input.name}`).join(', ');
  return `${name}(${list})${stateMutability === 'payable' ? ' payable' : ''}`;
}

/**
 * Figures of a sandwich attack: a purchase with the slippage of a quote, and the largest purchase before it that this
 * slippage allows.
 */
function sandwichValues(): Values {
  const split = { protocolBps: 500n, agentBps: 500n };
  const [supply, amount, before] = [100n, 20n, 2n];
  const cost = buyQuote(supply, before, split).total;
  const proceeds = sellQuote(supply + before + amount, before, split).total;
  const worse = (tickets: bigint): string => {
    const quoted = buyQuote(supply, amount, split).total;
    const paid = buyQuote(supply + tickets, amount, split).total;
    return (Number(((paid - quoted) * 10_000n) / quoted) / 100).toFixed(1);
  };
  return {
    sandwichSupply: String(supply),
    sandwichAmount: String(amount),
    sandwichBefore: String(before),
    sandwichGain: Number(formatEth(proceeds - cost)).toFixed(3),
    sandwichWorse: worse(before),
    sandwichOne: worse(1n),
  };
}

const count = (n: number): string => n.toLocaleString('en-US');
