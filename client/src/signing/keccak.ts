// Keccak-256 as Ethereum uses it. The client needs the hash of a signed transaction before it sends the transaction, and neither
// Node.js nor browsers have this hash.

// A lane has 64 bits, and bigints have no limit, so results are cut to 64 bits.
const MASK = (1n << 64n) - 1n;
// Bytes of input per permutation.
const RATE = 136;

const rotate = (lane: bigint, by: bigint): bigint => ((lane << by) | (lane >> (64n - by))) & MASK;

/** Round constants, from the linear feedback shift register of FIPS 202. */
const roundConstants: readonly bigint[] = (() => {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant |= 1n << ((1n << BigInt(bit)) - 1n);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
    return constant;
  });
})();

/** The permutation of Keccak: 24 rounds over 25 lanes of 64 bits. The lane in column x and row y has the index x + 5y. */
function permute(lanes: bigint[]): void {
  const at = (i: number) => lanes[i] as bigint;
  for (const constant of roundConstants) {
    // Step theta: every lane is mixed with the parity of two columns.
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    for (let i = 0; i < 25; i++) {
      lanes[i] = at(i) ^ (columns[(i + 4) % 5] as bigint) ^ rotate(columns[(i + 1) % 5] as bigint, 1n);
    }
    // Steps rho and pi: every lane but the first is rotated, and moves to another place.
    let [x, y] = [1, 0];
    let moving = at(1);
    for (let step = 1n; step <= 24n; step++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const target = x + 5 * y;
      [moving, lanes[target]] = [at(target), rotate(moving, ((step * (step + 1n)) / 2n) % 64n)];
    }
    // Step chi: every lane is mixed with the next two of its row.
    for (let row = 0; row < 25; row += 5) {
      const old = lanes.slice(row, row + 5);
      for (let i = 0; i < 5; i++) {
        lanes[row + i] = (old[i] as bigint) ^ (~(old[(i + 1) % 5] as bigint) & MASK & (old[(i + 2) % 5] as bigint));
      }
    }
    // Step iota.
    lanes[0] = at(0) ^ constant;
  }
}

/** The Keccak-256 hash of bytes. Bytes and hash are hexadecimal, with 0x. */
export function keccak256(hex: string): string {
  const bytes = (hex.slice(2).match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  // Keccak pads with 1, unlike SHA-3, which pads with 6.
  const padded = [...bytes, 1, ...new Array<number>(RATE - 1 - (bytes.length % RATE)).fill(0)];
  padded[padded.length - 1] = (padded.at(-1) as number) | 0x80;
  const lanes = new Array<bigint>(25).fill(0n);
  for (let start = 0; start < padded.length; start += RATE) {
    for (let i = 0; i < RATE; i++) {
      lanes[i >> 3] = (lanes[i >> 3] as bigint) ^ (BigInt(padded[start + i] as number) << BigInt(8 * (i % 8)));
    }
    permute(lanes);
  }
  const digest = Array.from({ length: 32 }, (_, i) => Number(((lanes[i >> 3] as bigint) >> BigInt(8 * (i % 8))) & 0xffn));
  return `0x${digest.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
