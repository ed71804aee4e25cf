import type { Sentence } from '../format/sentence.js';
import { texts } from '../texts.js';

type Name = keyof typeof texts.reverts;
const words: Readonly<Record<Name, (first: string | bigint, second: string | bigint) => Sentence>> = texts.reverts;

/** Every error of the contract, by its selector. Tests compare the table with the contract's ABI. */
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

/** Errors whose two arguments are amounts of ether. */
const IN_ETHER: readonly Name[] = ['CostAboveMax', 'PayoutBelowMin', 'InsufficientPayment'];

/** Describes the data of a reverted call in a sentence. */
export function revertSentence(data: string): Sentence {
  const name = ERRORS[data.slice(0, 10)];
  if (name === undefined) return texts.revertUnknown(data.slice(0, 10));
  const args = (data.slice(10).match(/[0-9a-f]{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`));
  const [first = '', second = ''] = args.map((arg) => (IN_ETHER.includes(name) ? arg : String(arg)));
  return words[name](first, second);
}
