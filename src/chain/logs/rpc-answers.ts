import { z } from 'zod';

// Checks the form of JSON-RPC answers. A URL that returns a malformed answer is treated like a URL that fails.

/** A text in hexadecimal. `digits` is the quantifier of a regular expression. */
const hex = (digits: string) => z.string().regex(new RegExp(`^0x[0-9a-f]${digits}$`, 'i'));
const quantity = hex('{1,64}');
const safeQuantity = quantity.refine((value) => Number.isSafeInteger(Number(value)));
const hash = hex('{64}');
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i);
const log = z.object({
  address: hex('{40}'),
  blockNumber: safeQuantity,
  blockHash: hash,
  logIndex: quantity,
  transactionHash: hash,
  topics: z.array(hash),
  data: bytes,
  // True in a log that a reorg has removed.
  removed: z
    .unknown()
    .refine((removed) => removed !== true)
    .optional(),
});
const header = z.object({
  hash,
  parentHash: hash,
  number: safeQuantity,
  timestamp: safeQuantity,
  // Chains without bloom filters omit the field, or send null or `0x`.
  logsBloom: hex('{512}').or(z.literal('0x')).nullish(),
});
const receipt = z.object({ transactionHash: hash, blockHash: hash, blockNumber: safeQuantity, logs: z.array(log) });

const is =
  <T extends z.ZodType>(schema: T) =>
  (value: unknown): value is z.output<T> =>
    schema.safeParse(value).success;
const [isQuantity, isHeader, isReceipt] = [is(quantity), is(header.nullable()), is(receipt.nullable())];
const [areLogs, areReceipts] = [is(z.array(log)), is(z.array(receipt).nullable())];

const equalsIgnoringCase = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();
/** Whether a block has the number that was asked for. A tag, such as `latest`, fits every number. */
const isBlock = (number: string, block: unknown): boolean => !isQuantity(block) || Number(number) === Number(block);

type Filter = Readonly<Partial<Record<'address' | 'fromBlock' | 'toBlock' | 'blockHash', unknown>>>;

type Log = z.output<typeof log>;

function matches(found: Log, { address, blockHash, fromBlock, toBlock }: Filter): boolean {
  return (
    (typeof address !== 'string' || equalsIgnoringCase(found.address, address)) &&
    (blockHash === undefined || equalsIgnoringCase(found.blockHash, blockHash)) &&
    (!isQuantity(fromBlock) || Number(found.blockNumber) >= Number(fromBlock)) &&
    (!isQuantity(toBlock) || Number(found.blockNumber) <= Number(toBlock))
  );
}

/** Checks of results, by method. The results of other methods are not checked. */
const CHECKS: Readonly<Record<string, (result: unknown, params: readonly unknown[]) => boolean>> = {
  eth_chainId: isQuantity,
  eth_blockNumber: is(safeQuantity),
  eth_getBalance: isQuantity,
  eth_call: is(bytes),
  eth_getCode: is(bytes),
  eth_getLogs: (result, [filter]) => areLogs(result) && result.every((each) => matches(each, (filter ?? {}) as Filter)),
  eth_getBlockByNumber: (result, [block]) => isHeader(result) && (result === null || isBlock(result.number, block)),
  eth_getTransactionReceipt: (result, [hash]) =>
    isReceipt(result) && (result === null || equalsIgnoringCase(result.transactionHash, hash)),
  eth_getBlockReceipts: (result, [block]) =>
    areReceipts(result) && (result ?? []).every(({ blockNumber }) => isBlock(blockNumber, block)),
};

export function isPlausible({ method, params }: { readonly method: string; readonly params: unknown }, result: unknown): boolean {
  return CHECKS[method]?.(result, Array.isArray(params) ? params : []) ?? true;
}
