import { z } from 'zod';
import { contractCode, contractInfo } from '../../../core/pricing/queries/contract.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';

const { curve, gas } = contractCode;

const bps = z.int().meta({ description: 'Basis points of the curve price' });
const gasFigure = z.int().meta({ description: 'Gas of the dearest such transaction that was measured' });

const contract = endpoint({
  method: 'GET',
  path: '/api/contract',
  cache: 'public',
  tag: 'Contract',
  summary: 'The contract of this service: where it is, its ABI, fees, curve, limits and gas',
  description:
    'All that a wallet needs to register and to trade by itself. `fees` are at most 10 minutes old; the contract announces ' +
    'a change `feeUpdateDelaySeconds` ahead. `/docs` has an example of a registration.',
  auth: 'none',
  limit: 'global',
  output: z.object({
    chainId: z.int(),
    contractAddress: z.string().meta({ description: 'Address of the contract, in lower case.' }),
    rpcUrl: z.string().nullable().meta({ description: 'JSON-RPC of the chain; null if this service names none' }),
    startBlock: z.int().nullable().meta({
      description: 'No log of the contract is in an earlier block; null if the RPC of this service cannot tell',
    }),
    abi: z.array(z.record(z.string(), z.unknown())).meta({ description: 'The ABI in JSON, whole' }),
    fees: z.object({ protocolBps: bps, agentBps: bps }),
    curve: z.object({ divisor: z.int(), formula: z.string() }),
    rules: z.object({
      maxTicketsPerTrade: z.int(),
      minWithdrawalWei: z.string().meta({ description: 'Fees that withdrawAgentFees pays at least, in wei.' }),
      withdrawalCooldownSeconds: z.int(),
      feeUpdateDelaySeconds: z.int(),
    }),
    gas: z.object({ registerAgent: gasFigure, buyTickets: gasFigure, sellTickets: gasFigure }),
  }),
  errors: ['CHAIN_UNAVAILABLE'],
  example: {
    response: {
      chainId: 84532,
      contractAddress: example.CONTRACT,
      rpcUrl: 'http://127.0.0.1:8545',
      startBlock: 1,
      abi: contractCode.abi.filter((entry) => 'name' in entry && entry.name === 'registerAgent'),
      fees: { protocolBps: 500, agentBps: 500 },
      curve,
      rules: formatRules(),
      gas,
    },
  },
  async handle(deps) {
    const { chainId, address: contractAddress, rpcUrl, startBlock, abi, fees } = await contractInfo(deps);
    return {
      chainId,
      contractAddress,
      rpcUrl,
      startBlock,
      abi: [...abi],
      fees: { protocolBps: Number(fees.protocolBps), agentBps: Number(fees.agentBps) },
      curve,
      rules: formatRules(),
      gas,
    };
  },
});

function formatRules() {
  const { maxTicketsPerTrade, minWithdrawal, ...times } = contractCode.rules;
  return { maxTicketsPerTrade, minWithdrawalWei: String(minWithdrawal), ...times };
}

export const contractEndpoints = [contract];
