// Checks the form of what an RPC answers. A URL whose answer has the wrong form is passed over like one that fails.

type Fields = Readonly<Record<string, unknown>>;
type Asked = { readonly method: string; readonly params: unknown };

const isHex = (value: unknown, digits: string): value is string =>
  typeof value === 'string' && new RegExp(`^0x[0-9a-f]${digits}$`, 'i').test(value);
const isQuantity = (value: unknown): value is string => isHex(value, '{1,64}');
const isHash = (value: unknown): value is string => isHex(value, '{64}');
const isBytes = (value: unknown): boolean => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value);
const isBlockNumber = (value: unknown): boolean => isQuantity(value) && Number.isSafeInteger(Number(value));
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const same = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

function isLog(value: unknown): value is Fields {
  return (
    isObject(value) &&
    isHex(value.address, '{40}') &&
    isBlockNumber(value.blockNumber) &&
    isHash(value.blockHash) &&
    isQuantity(value.logIndex) &&
    isHash(value.transactionHash) &&
    Array.isArray(value.topics) &&
    value.topics.every(isHash) &&
    isBytes(value.data) &&
    value.removed !== true
  );
}

type Filter = {
  readonly address?: unknown;
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
  readonly blockHash?: unknown;
};

/** Logs that the filter of the call lets pass. */
function areLogs(result: unknown, filter: Filter): boolean {
  const number = (value: unknown, otherwise: number) => (isQuantity(value) ? Number(value) : otherwise);
  const [from, to] = [number(filter.fromBlock, 0), number(filter.toBlock, Number.MAX_SAFE_INTEGER)];
  return (
    Array.isArray(result) &&
    result.every(
      (log) =>
        isLog(log) &&
        (typeof filter.address !== 'string' || same(log.address, filter.address)) &&
        (filter.blockHash === undefined || same(log.blockHash, filter.blockHash)) &&
        Number(log.blockNumber) >= from &&
        Number(log.blockNumber) <= to,
    )
  );
}

const isHeader = (result: unknown, block: unknown): boolean =>
  isObject(result) &&
  isHash(result.hash) &&
  isHash(result.parentHash) &&
  isBlockNumber(result.number) &&
  (!isQuantity(block) || Number(result.number) === Number(block)) &&
  // Some chains have none, and say so in one of these ways.
  ([undefined, null, '0x'].includes(result.logsBloom as undefined) || isHex(result.logsBloom, '{512}'));

const isReceipt = (result: unknown): result is Fields =>
  isObject(result) &&
  isHash(result.transactionHash) &&
  isHash(result.blockHash) &&
  isBlockNumber(result.blockNumber) &&
  Array.isArray(result.logs) &&
  result.logs.every(isLog);

/** Of each method on whose answers the service relies. What is missing here is not checked. */
const CHECKS: Readonly<Record<string, (result: unknown, params: readonly unknown[]) => boolean>> = {
  eth_chainId: isQuantity,
  eth_blockNumber: isBlockNumber,
  eth_getBalance: isQuantity,
  eth_call: isBytes,
  eth_getCode: isBytes,
  eth_getLogs: (result, [filter]) => areLogs(result, (filter ?? {}) as Filter),
  eth_getBlockByNumber: (result, [block]) => result === null || isHeader(result, block),
  eth_getTransactionReceipt: (result, [hash]) =>
    result === null || (isReceipt(result) && same(result.transactionHash, hash)),
  eth_getBlockReceipts: (result, [block]) =>
    result === null ||
    (Array.isArray(result) &&
      result.every(
        (receipt) => isReceipt(receipt) && (!isQuantity(block) || Number(receipt.blockNumber) === Number(block)),
      )),
};

/** Whether a result can be an answer to the call at all. */
export function isPlausible({ method, params }: Asked, result: unknown): boolean {
  return CHECKS[method]?.(result, Array.isArray(params) ? params : []) ?? true;
}
