import { type Sentence, sentence } from '../format/sentence.js';

/** A value of a sentence: a word, or an amount in wei. */
type Value = string | bigint;

/**
 * A sentence for every error of the contract. The parameters are the arguments of the error: amounts of ether, numbers or
 * addresses.
 */
const words = {
  AgentAlreadyRegistered: () => 'This wallet has registered an agent already.',
  AgentIdMismatch: () => 'The agentId does not follow from the name.',
  AgentIdTaken: () => 'Another wallet has this agentId.',
  AgentNotRegistered: () => 'This agent has no market on the chain.',
  CostAboveMax: (cost: Value, max: Value) =>
    sentence`The price has risen: the tickets cost ${cost}, more than your maximum of ${max}.`,
  DeadlineExpired: () => 'The transaction was not in a block in time, so the contract refused it.',
  EnforcedPause: () => 'The market is paused: tickets can be sold, but not bought.',
  ExpectedPause: () => 'The market is not paused.',
  FeesAboveMaximum: () => 'The fees would be above their maximum.',
  FeesBelowMinimum: () => 'There are too few fees to withdraw.',
  FeeUpdateAlreadyPending: () => 'A change of the fees is pending already.',
  FeeUpdateExpired: () => 'The proposed change of the fees has expired.',
  FeeUpdateTooEarly: () => 'The change of the fees cannot be applied yet.',
  InsufficientPayment: (sent: Value, cost: Value) => sentence`The transaction sent ${sent}, but the tickets cost ${cost}.`,
  InsufficientTickets: (held: Value, amount: Value) => `The wallet holds ${held} tickets of this agent, not the ${amount} to sell.`,
  InvalidAmount: (amount: Value) => `One trade has 1 to 20 tickets, not ${amount}.`,
  InvalidNameCharacter: () => 'The name contains a character that is not allowed.',
  InvalidNameLength: () => 'The name is too short or too long.',
  LastTicket: () => 'The last ticket in circulation cannot be sold.',
  NoPendingFeeUpdate: () => 'No change of the fees is pending.',
  NoProtocolFees: () => 'There are no fees to withdraw.',
  OutOfCurve: () => 'The amount is beyond the curve.',
  OwnableInvalidOwner: () => 'The owner is not valid.',
  OwnableUnauthorizedAccount: () => 'Only the owner of the contract may do this.',
  OwnershipCannotBeRenounced: () => 'The ownership cannot be given up.',
  PaymentFailed: () => 'The wallet did not accept the ether that the contract paid.',
  PayoutBelowMin: (payout: Value, min: Value) =>
    sentence`The price has fallen: the sale pays ${payout}, less than your minimum of ${min}.`,
  ReentrancyGuardReentrantCall: () => 'The wallet called the contract again within the trade, which it refuses.',
  SafeCastOverflowedUintDowncast: () => 'An amount is too large for the contract.',
  WithdrawalTooEarly: () => 'Fees can be withdrawn once in 24 hours.',
  ZeroAddress: () => 'An address must not be zero.',
  ZeroSlippageBound: () => 'The tolerance leaves no amount: choose a smaller one.',
} as const;

const unknown = (code: string) => `The contract refused the transaction with an unknown error (${code}).`;

type Name = keyof typeof words;

/** The name of every error of the contract, by its selector. A test compares the table with the contract's ABI. */
export const ERRORS: Readonly<Record<string, Name>> = {
  '0x0ca9970e': 'AgentAlreadyRegistered',
  '0x0cf5253f': 'AgentIdMismatch',
  '0x93651e8a': 'AgentIdTaken',
  '0x7e1e0352': 'AgentNotRegistered',
  '0x919208d7': 'CostAboveMax',
  '0xbc3088ef': 'DeadlineExpired',
  '0xd93c0665': 'EnforcedPause',
  '0x8dfc202b': 'ExpectedPause',
  '0x1ce16faf': 'FeesAboveMaximum',
  '0xc551d36c': 'FeesBelowMinimum',
  '0xe33c2c0a': 'FeeUpdateAlreadyPending',
  '0x4019e31b': 'FeeUpdateExpired',
  '0x20a21aef': 'FeeUpdateTooEarly',
  '0xb99e2ab7': 'InsufficientPayment',
  '0x4a8bf486': 'InsufficientTickets',
  '0x3728b83d': 'InvalidAmount',
  '0xe03525ae': 'InvalidNameCharacter',
  '0x64065c85': 'InvalidNameLength',
  '0x7b8fe052': 'LastTicket',
  '0xa678cae0': 'NoPendingFeeUpdate',
  '0x1c2ae452': 'NoProtocolFees',
  '0xb3d348a6': 'OutOfCurve',
  '0x1e4fbdf7': 'OwnableInvalidOwner',
  '0x118cdaa7': 'OwnableUnauthorizedAccount',
  '0x2fab92ca': 'OwnershipCannotBeRenounced',
  '0xa09e6165': 'PaymentFailed',
  '0x59873244': 'PayoutBelowMin',
  '0x3ee5aeb5': 'ReentrancyGuardReentrantCall',
  '0x6dfcc650': 'SafeCastOverflowedUintDowncast',
  '0xf6444a8e': 'WithdrawalTooEarly',
  '0xd92e233d': 'ZeroAddress',
  '0x56ce2409': 'ZeroSlippageBound',
};

/** Errors whose two arguments are amounts of ether. They stay in wei, so that the page can show them as amounts. */
const IN_ETHER: readonly Name[] = ['CostAboveMax', 'PayoutBelowMin', 'InsufficientPayment'];

/** Describes the revert data of a call in a sentence for the user. */
export function revertSentence(data: string): Sentence {
  const name = ERRORS[data.slice(0, 10)];
  if (name === undefined) return unknown(data.slice(0, 10));
  const args = (data.slice(10).match(/[0-9a-f]{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`));
  const [first = '', second = ''] = args.map((arg) => (IN_ETHER.includes(name) ? arg : String(arg)));
  return words[name](first, second);
}
