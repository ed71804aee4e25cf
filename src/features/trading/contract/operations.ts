import { z } from 'zod';
import { remoteCaches } from '../../../cache/caches.js';
import { operation } from '../../../server/operation.js';
import { CONTRACT } from '../../examples.js';
import { contractCode, contractInfo } from './contract.js';

const { curve, gas } = contractCode;

const bps = z.int().describe('Fee in basis points of the curve price. 100 basis points are 1 %.');
const maxGas = z.int().describe('Maximum measured gas of this type of transaction.');

export const contractEndpoint = operation({
  rest: 'GET /api/contract',
  cache: 'public',
  tag: 'Contract',
  summary: 'Contract: address, ABI, fees, curve, limits and gas',
  description:
    'Everything a wallet needs to register and trade on the chain without this service. `fees` are at most ' +
    `${remoteCaches.feeSplit.ttlMs / 60_000} minutes old. The contract announces a change of fees ` +
    '`rules.feeUpdateDelaySeconds` in advance. `/docs` shows an example of a registration.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
  output: z.object({
    chainId: z.int().describe('Id of the chain (EIP-155).'),
    contractAddress: z.string().describe('Address of the contract, in lower case.'),
    rpcUrl: z.string().nullable().describe('URL of a public JSON-RPC endpoint of the chain. Null if none is configured.'),
    startBlock: z
      .int()
      .nullable()
      .describe('First block that can contain a log of the contract. Null if the RPC cannot determine it.'),
    abi: z.array(z.record(z.string(), z.unknown())).describe('Complete ABI of the contract, in JSON.'),
    overloads: z
      .boolean()
      .describe(
        'Whether the contract accepts deadlines of trades, and tickets bought with the registration. False if it was ' +
          'deployed before these functions existed: abi lacks them then.',
      ),
    fees: z.object({ protocolBps: bps, agentBps: bps }).meta({ id: 'ContractFees' }),
    curve: z
      .object({
        divisor: z.int().describe('Divisor of the formula.'),
        formula: z.string().describe('Formula for the price of an amount of tickets at a supply, as text.'),
      })
      .meta({ id: 'ContractCurve' }),
    rules: z
      .object({
        maxTicketsPerTrade: z.int().describe('Maximum number of tickets in one trade.'),
        minWithdrawalWei: z.string().describe('Minimum amount of fees that withdrawAgentFees pays out, in wei.'),
        withdrawalCooldownSeconds: z.int().describe('Minimum time between two withdrawals, in seconds.'),
        feeUpdateDelaySeconds: z.int().describe('Time between the announcement of a change of fees and the change, in seconds.'),
        feeUpdateGraceSeconds: z.int().describe('Time between the announcement of a change of fees and its expiry, in seconds.'),
      })
      .meta({ id: 'ContractRules' }),
    gas: z
      .object({
        registerAgent: maxGas,
        registerAgentWithTickets: maxGas.describe('Maximum gas measured for registerAgent with initialTickets.'),
        buyTickets: maxGas,
        sellTickets: maxGas,
      })
      .meta({ id: 'ContractGas' }),
  }),
  errors: ['CHAIN_UNAVAILABLE'],
  samples: {
    client: 'curvet.market.contract()',
    graphql: '{ contract { chainId address protocolFeeBps agentFeeBps } }',
  },
  example: {
    response: {
      chainId: 84532,
      contractAddress: CONTRACT,
      rpcUrl: 'http://127.0.0.1:8545',
      startBlock: 1,
      abi: contractCode.abi.filter((entry) => 'name' in entry && entry.name === 'registerAgent'),
      overloads: true,
      fees: { protocolBps: 500, agentBps: 500 },
      curve,
      rules: formatRules(),
      gas,
    },
  },
  async handle({ deps }) {
    const { address: contractAddress, ...info } = await contractInfo(deps);
    const fees = { protocolBps: Number(info.fees.protocolBps), agentBps: Number(info.fees.agentBps) };
    return { ...info, contractAddress, abi: [...info.abi], fees, rules: formatRules() };
  },
});

function formatRules() {
  const { maxTicketsPerTrade, minWithdrawal, ...times } = contractCode.rules;
  return { maxTicketsPerTrade, minWithdrawalWei: String(minWithdrawal), ...times };
}
