import { getBytes } from 'ethers';
import { type RpcProvider, RpcUnavailable } from '../rpc.js';
import { bitsOf, isCrowded, mayHold } from './bloom.js';
import { FACT_TOPICS, type RawLog } from './events.js';

export type BlockHeader = {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
  readonly logsBloom?: string | null;
};

/** No bloom filter at all, or one of zeros, which some chains give for every block. */
const NO_BLOOM = /^0x0*$/;
const TOPIC_BITS = FACT_TOPICS.map(bitsOf);

/**
 * The logs of some blocks, with those that the list lacks. Load-balanced nodes answer `eth_getLogs` for a block whose
 * logs they do not have yet. A block without a log whose bloom filter says that it may hold one is asked for its
 * receipts. `thorough` asks for the receipts of every block that may hold one. `proven`: they were given for all blocks.
 */
export async function withOmitted(
  provider: RpcProvider,
  contract: string,
  headers: readonly BlockHeader[],
  logs: readonly RawLog[],
  thorough: boolean,
): Promise<{ readonly logs: readonly RawLog[]; readonly proven: boolean }> {
  const contractBits = bitsOf(contract);
  const seen = new Set(logs.map(({ blockHash }) => blockHash));
  const doubtful = headers.filter(({ hash, logsBloom }) => {
    if (NO_BLOOM.test(logsBloom ?? '0x')) return thorough;
    const bloom = getBytes(logsBloom as string);
    if (!mayHold(bloom, contractBits) || !TOPIC_BITS.some((bits) => mayHold(bloom, bits))) return false;
    return thorough || (!seen.has(hash) && !isCrowded(bloom));
  });
  if (doubtful.length === 0) return { logs, proven: false };
  const found = await Promise.all(doubtful.map((header) => logsOfBlock(provider, contract, header)));
  const all = new Map(logs.map((log) => [keyOf(log), log]));
  for (const log of found.flatMap((block) => block.logs)) all.set(keyOf(log), log);
  const proven = found.length === headers.length && found.every((block) => block.proven);
  return { logs: [...all.values()], proven };
}

const keyOf = ({ blockHash, logIndex }: RawLog): string => `${blockHash} ${Number(logIndex)}`;

/** From the receipts of the block; from its logs where the node does not give receipts; none where it gives neither. */
async function logsOfBlock(
  provider: RpcProvider,
  contract: string,
  { hash, number }: BlockHeader,
): Promise<{ readonly logs: readonly RawLog[]; readonly proven: boolean }> {
  try {
    const [receipts] = await provider.batch([{ method: 'eth_getBlockReceipts', params: [number] }]);
    if (receipts !== undefined && 'result' in receipts && receipts.result !== null) {
      const given = receipts.result as { blockHash: string; logs: (RawLog & { address: string })[] }[];
      const all = given.flatMap(({ logs }) => logs);
      const ours = all.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
      // An empty list is also what a node gives that does not have the block yet.
      const proven = given.length > 0 && given.every(({ blockHash }) => blockHash === hash);
      return { logs: ours.filter(({ blockHash }) => blockHash === hash), proven };
    }
    const filter = { address: contract, blockHash: hash };
    const [logs] = await provider.batch([{ method: 'eth_getLogs', params: [filter] }]);
    return { logs: logs !== undefined && 'result' in logs ? (logs.result as RawLog[]) : [], proven: false };
  } catch (error) {
    // Nobody can say more: the logs are taken as they are, and the comparison with the contract's state finds a gap.
    if (error instanceof RpcUnavailable) return { logs: [], proven: false };
    throw error;
  }
}
