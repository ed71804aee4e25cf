import { FunctionFragment, Interface, Typed } from 'ethers';
import { ticketMarketAbi } from './abi.js';

export const ticketMarket = new Interface(ticketMarketAbi);

/**
 * Function of a contract by its name. Among overloads, it is the one with as many parameters as `args` has values. ethers would
 * also accept one parameter fewer, because the last value could be transaction overrides. The explicit overrides rule that out.
 */
export function overload(contract: Interface, name: string, args: readonly unknown[]): FunctionFragment {
  const found = contract.getFunction(name, [...args, Typed.overrides({})]);
  if (found === null) throw new Error(`the contract has no ${name} with ${args.length} parameters`);
  return found;
}

/**
 * Decodes the answer of a call that returns only lists of uint256. Throws if the answer is incomplete. The decoder of ethers 6.17
 * copies the whole answer for each number, so it takes 80 ms for the lists of 1,000 wallets. This function takes 1 ms.
 */
export function uintLists(answer: string, lists: number): bigint[][] {
  const words = (answer.length - 2) / 64;
  const word = (index: number): bigint => {
    if (!(index < words)) throw new Error('the contract call has an incomplete answer');
    return BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`);
  };
  return Array.from({ length: lists }, (_, list) => {
    // The answer begins with the offset of each list in bytes. At the offset is the length, and after it the elements.
    const start = Number(word(list)) / 32;
    const length = Number(word(start));
    // Throws if the last element is missing, so that a false length cannot create a huge array.
    word(start + length);
    return Array.from({ length }, (_, i) => word(start + 1 + i));
  });
}

export const callData = (name: string, args: readonly unknown[]): string =>
  ticketMarket.encodeFunctionData(overload(ticketMarket, name, args), args);

/**
 * Signatures of the functions of the ABI that a contract lacks. A contract that was deployed by an earlier version lacks later
 * overloads. `code` is the runtime code: its dispatcher pushes the selector of each function that the contract has.
 */
export const missingFunctions = (code: string): readonly string[] =>
  ticketMarket.fragments
    .filter((each) => FunctionFragment.isFragment(each))
    .filter(({ selector }) => !code.includes(pushOf(selector)))
    .map((each) => each.format());

/**
 * Opcode and operand of the instruction that pushes a selector, in hexadecimal. The opcode is 0x5f plus the number of bytes. The
 * compiler omits leading zero bytes.
 */
function pushOf(selector: string): string {
  const bytes = selector.slice(2).replace(/^(00)+/, '');
  return (0x5f + bytes.length / 2).toString(16) + bytes;
}

/** The ABI without some functions. `missing` has their signatures, as `missingFunctions` returns them. */
export const abiWithout = (missing: readonly string[]) =>
  ticketMarketAbi.filter((entry) => entry.type !== 'function' || !missing.includes(FunctionFragment.from(entry).format()));
