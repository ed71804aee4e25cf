import { Ctx, Query, Resolver } from 'type-graphql';
import type { GraphContext } from '../../../server/graphql/context.js';
import { objectType } from '../../../server/graphql/types/object-types.js';
import { fieldsOf, graphqlObject, type Node, resource } from '../../../server/resources/field.js';
import { flag, int, nullable, text, wei } from '../../../server/resources/types.js';
import { type ContractInfo, contractInfo } from './contract.js';

/** Identifies the contract. Each of its parts also has these fields, so that it gets an id by which clients cache it. */
type Place = Pick<ContractInfo, 'chainId' | 'address'>;
const curves = fieldsOf<ContractInfo['curve'] & Place>();
export const contractCurve = resource('ContractCurve', 'Bonding curve, which sets the price of tickets.', {
  id: curves.globalId('ContractCurve', 'chainId', 'address'),
  divisor: curves.column('divisor', int, 'Divisor in the formula.'),
  formula: curves.column('formula', text, 'Formula for the price of an amount of tickets at a supply, as text.'),
});

const rules = fieldsOf<ContractInfo['rules'] & Place>();
export const contractRules = resource('ContractRules', 'Limits that the contract enforces.', {
  id: rules.globalId('ContractRules', 'chainId', 'address'),
  maxTicketsPerTrade: rules.column('maxTicketsPerTrade', int, 'Maximum number of tickets in one trade.'),
  minWithdrawal: rules.column('minWithdrawal', wei, 'Minimum amount that withdrawAgentFees pays out, in wei.'),
  withdrawalCooldownSeconds: rules.column(
    'withdrawalCooldownSeconds',
    int,
    'Minimum time between two withdrawals of an agent, in seconds.',
  ),
  feeUpdateDelaySeconds: rules.column(
    'feeUpdateDelaySeconds',
    int,
    'Minimum time from the proposal of new fees until they apply, in seconds.',
  ),
  feeUpdateGraceSeconds: rules.column(
    'feeUpdateGraceSeconds',
    int,
    'Time from the proposal of new fees until the proposal expires, in seconds.',
  ),
});

const gas = fieldsOf<ContractInfo['gas'] & Place>();
export const contractGas = resource('ContractGas', 'Maximum measured gas of each type of transaction.', {
  id: gas.globalId('ContractGas', 'chainId', 'address'),
  registerAgent: gas.column('registerAgent', int, 'Gas of registerAgent without initialTickets.'),
  registerAgentWithTickets: gas.column('registerAgentWithTickets', int, 'Gas of registerAgent with initialTickets.'),
  buyTickets: gas.column('buyTickets', int, 'Gas of buyTickets.'),
  sellTickets: gas.column('sellTickets', int, 'Gas of sellTickets.'),
});

type Parts = Pick<ContractInfo, 'curve' | 'rules' | 'gas'>;
type ContractRow = Omit<ContractInfo, keyof Parts> & { readonly [Name in keyof Parts]: Parts[Name] & Place };
const { column, computed, globalId } = fieldsOf<ContractRow>();
export const contract = resource('Contract', 'Smart contract on which tickets are traded.', {
  id: globalId('Contract', 'chainId', 'address'),
  chainId: column('chainId', int, 'Chain ID.'),
  address: column('address', text, 'Address of the contract.'),
  rpcUrl: column(
    'rpcUrl',
    nullable(text),
    'Public JSON-RPC URL of the chain. Null if the operator of this service has not set one.',
  ),
  startBlock: column(
    'startBlock',
    nullable(int),
    'Number of the first block that can have logs of the contract. Null if this service cannot determine it.',
  ),
  abi: computed(['abi'], text, 'ABI of the contract, as JSON text.', ({ abi }) => JSON.stringify(abi)),
  overloads: column(
    'overloads',
    flag,
    'Whether the contract accepts deadlines of trades, and tickets bought with the registration. False if it was deployed before these functions existed.',
  ),
  protocolFeeBps: computed(['fees'], int, 'Fee of the protocol, in basis points of the curve price.', ({ fees }) =>
    Number(fees.protocolBps),
  ),
  agentFeeBps: computed(
    ['fees'],
    int,
    'Fee of the agent whose tickets are traded, in basis points of the curve price.',
    ({ fees }) => Number(fees.agentBps),
  ),
  curve: column('curve', graphqlObject(contractCurve), 'Bonding curve.'),
  rules: column('rules', graphqlObject(contractRules), 'Limits that the contract enforces.'),
  gas: column('gas', graphqlObject(contractGas), 'Maximum measured gas of each type of transaction.'),
});

// Registers the GraphQL types of the fields of `Contract`. Nothing else needs the returned classes.
for (const part of [contractCurve, contractRules, contractGas]) objectType(part);
const Contract = objectType(contract);

@Resolver()
class ContractQueries {
  @Query(() => Contract, {
    nullable: true,
    description: 'Everything that a wallet needs to register and trade on the contract directly. Fees are at most 10 minutes old.',
  })
  async contract(@Ctx() { deps }: GraphContext): Promise<Node> {
    const { curve, rules, gas, ...info } = await contractInfo(deps);
    const place: Place = { chainId: info.chainId, address: info.address };
    const parts = { curve: { ...place, ...curve }, rules: { ...place, ...rules }, gas: { ...place, ...gas } };
    return new Contract({ ...info, ...parts });
  }
}

export const resolvers = [ContractQueries];
