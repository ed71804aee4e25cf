import { FunctionFragment, Interface, Typed } from 'ethers';
import { ticketMarketAbi } from './abi.js';

export const ticketMarket = new Interface(ticketMarketAbi);

/**
 * Function of a contract by its name. Of several overloads, it is the one with as many parameters as there are arguments.
 * ethers can choose between them only if it knows which argument is the last: transaction overrides may follow.
 */
export function overload(contract: Interface, name: string, args: readonly unknown[]): FunctionFragment {
  const found = contract.getFunction(name, [...args, Typed.overrides({})]);
  if (found === null) throw new Error(`the contract has no ${name} with ${args.length} parameters`);
  return found;
}

/**
 * The lists of uint256 in the answer of a call that returns only such lists. Throws if the answer is incomplete. ethers 6.17
 * copies the whole answer for each number that it decodes: the lists of 1,000 wallets take it 80 ms, and this function 1 ms.
 */
export function uintLists(answer: string, lists: number): bigint[][] {
  const words = (answer.length - 2) / 64;
  const word = (index: number): bigint => {
    if (!(index < words)) throw new Error('the contract call has an incomplete answer');
    return BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`);
  };
  return Array.from({ length: lists }, (_, list) => {
    const start = Number(word(list)) / 32;
    const length = Number(word(start));
    word(start + length);
    return Array.from({ length }, (_, i) => word(start + 1 + i));
  });
}

export const callData = (name: string, args: readonly unknown[]): string =>
  ticketMarket.encodeFunctionData(overload(ticketMarket, name, args), args);

/**
 * Functions of the ABI that a contract does not have, by signature. A contract that was deployed by an earlier version lacks
 * later overloads. `code` is the runtime code: its dispatcher pushes the selector of each function.
 */
export const missingFunctions = (code: string): readonly string[] =>
  ticketMarket.fragments
    .filter((each) => FunctionFragment.isFragment(each))
    .filter(({ selector }) => !code.includes(pushOf(selector)))
    .map((each) => each.format());

/** Opcode and operand of the instruction that pushes a selector. The compiler omits leading zero bytes. */
function pushOf(selector: string): string {
  const bytes = selector.slice(2).replace(/^(00)+/, '');
  return (0x5f + bytes.length / 2).toString(16) + bytes;
}

export const abiWithout = (missing: readonly string[]) =>
  ticketMarketAbi.filter((entry) => entry.type !== 'function' || !missing.includes(FunctionFragment.from(entry).format()));
