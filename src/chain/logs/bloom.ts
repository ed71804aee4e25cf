import { getBytes, keccak256 } from 'ethers';

const BITS = 2048;

/** The three bits that an address or a topic sets in the bloom filter of a block's logs. */
export function bitsOf(item: string): number[] {
  const hash = getBytes(keccak256(item));
  return [0, 2, 4].map((i) => (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) % BITS);
}

/** Whether a block may hold a log with the item. False is certain. */
export function mayHold(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[bloom.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** Whether so many bits are set that "may hold" says next to nothing. */
export function isCrowded(bloom: Uint8Array): boolean {
  let set = 0;
  for (const byte of bloom) for (let rest = byte; rest > 0; rest &= rest - 1) set++;
  return set > BITS / 2;
}
