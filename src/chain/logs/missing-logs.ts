import { getBytes, keccak256 } from 'ethers';
import { type RpcProvider, RpcUnavailable } from '../rpc.js';
import { FACT_TOPICS, type RawLog } from './facts.js';

const BITS = 2048;

/** The three bits that an address or topic sets in a block's bloom filter. */
function bitsOf(item: string): number[] {
  const hash = getBytes(keccak256(item));
  return [0, 2, 4].map((i) => (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) % BITS);
}

/** False proves that no log of the block contains the item. True may be a false positive. */
function mayContain(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[bloom.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** True if more than half of the filter's bits are set. Then a match proves little, because most items match. */
function isSaturated(bloom: Uint8Array): boolean {
  let set = 0;
  for (const byte of bloom) for (let rest = byte; rest > 0; rest &= rest - 1) set++;
  return set > BITS / 2;
}

export type BlockHeader = {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
  /** Unix time in seconds, as hexadecimal text. */
  readonly timestamp: string;
  readonly logsBloom?: string | null;
};

/**
 * Matches an absent (`0x`) or empty bloom filter. Neither proves anything, because some chains send an empty bloom filter for every
 * block.
 */
const NO_BLOOM = /^0x0*$/;
const TOPIC_BITS = FACT_TOPICS.map(bitsOf);

/**
 * Completes the logs of some blocks. A node behind a load balancer may answer `eth_getLogs` with no logs for a block whose logs it
 * does not have yet. So a block without a log whose bloom filter matches is read from its receipts. With `fromReceipts`, so is
 * every block whose bloom filter matches or is missing. `complete` is true if the receipts of all blocks were read.
 */
export async function addMissingLogs(
  provider: RpcProvider,
  contract: string,
  {
    headers,
    logs,
    fromReceipts,
  }: { readonly headers: readonly BlockHeader[]; readonly logs: readonly RawLog[]; readonly fromReceipts: boolean },
): Promise<{ readonly logs: readonly RawLog[]; readonly complete: boolean }> {
  const contractBits = bitsOf(contract);
  const blocksWithLogs = new Set(logs.map(({ blockHash }) => blockHash));
  const doubtful = headers.filter(({ hash, logsBloom }) => {
    if (NO_BLOOM.test(logsBloom ?? '0x')) return fromReceipts;
    const bloom = getBytes(logsBloom as string);
    if (!mayContain(bloom, contractBits) || !TOPIC_BITS.some((bits) => mayContain(bloom, bits))) return false;
    return fromReceipts || (!blocksWithLogs.has(hash) && !isSaturated(bloom));
  });
  if (doubtful.length === 0) return { logs, complete: false };
  const found = await Promise.all(doubtful.map((header) => logsOfBlock(provider, contract, header)));
  const all = new Map(logs.map((log) => [keyOf(log), log]));
  for (const log of found.flatMap((block) => block.logs)) all.set(keyOf(log), log);
  const complete = found.length === headers.length && found.every((block) => block.complete);
  return { logs: [...all.values()], complete };
}

const keyOf = ({ blockHash, logIndex }: RawLog): string => `${blockHash} ${Number(logIndex)}`;

/** Logs of one block from its receipts. If the RPC has no receipts, they come from eth_getLogs. Empty if both fail. */
async function logsOfBlock(
  provider: RpcProvider,
  contract: string,
  { hash, number }: BlockHeader,
): Promise<{ readonly logs: readonly RawLog[]; readonly complete: boolean }> {
  try {
    const [receipts] = await provider.batch([{ method: 'eth_getBlockReceipts', params: [number] }]);
    if (receipts !== undefined && 'result' in receipts && receipts.result !== null) {
      const blockReceipts = receipts.result as { blockHash: string; logs: (RawLog & { address: string })[] }[];
      const all = blockReceipts.flatMap(({ logs }) => logs);
      const contractLogs = all.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
      // A node that does not have the block yet may return an empty list, so an empty list does not count as complete.
      const complete = blockReceipts.length > 0 && blockReceipts.every(({ blockHash }) => blockHash === hash);
      return { logs: contractLogs.filter(({ blockHash }) => blockHash === hash), complete };
    }
    const filter = { address: contract, blockHash: hash };
    const [logs] = await provider.batch([{ method: 'eth_getLogs', params: [filter] }]);
    return { logs: logs !== undefined && 'result' in logs ? (logs.result as RawLog[]) : [], complete: false };
  } catch (error) {
    // There is no better source, so the logs stay missing for now. The audit against the contract's state detects missing logs
    // later.
    if (error instanceof RpcUnavailable) return { logs: [], complete: false };
    throw error;
  }
}
