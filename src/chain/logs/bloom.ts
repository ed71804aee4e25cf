import { getBytes, keccak256 } from 'ethers';

const BITS = 2048;

/** The three bits that an address or topic sets in a block's bloom filter. */
export function bitsOf(item: string): number[] {
  const hash = getBytes(keccak256(item));
  return [0, 2, 4].map((i) => (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) % BITS);
}

/** False proves that no log of the block contains the item. True may be a false positive. */
export function mayContain(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[bloom.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** True if more than half of the filter's bits are set. Then a match proves little, because most items match. */
export function isSaturated(bloom: Uint8Array): boolean {
  let set = 0;
  for (const byte of bloom) for (let rest = byte; rest > 0; rest &= rest - 1) set++;
  return set > BITS / 2;
}
