// Checks the form of JSON-RPC answers. A URL that returns a malformed answer is treated like a URL that fails.

type Fields = Readonly<Record<string, unknown>>;
type Call = { readonly method: string; readonly params: unknown };

const isHex = (value: unknown, digits: string): value is string =>
  typeof value === 'string' && new RegExp(`^0x[0-9a-f]${digits}$`, 'i').test(value);
const isQuantity = (value: unknown): value is string => isHex(value, '{1,64}');
const isHash = (value: unknown): value is string => isHex(value, '{64}');
const isBytes = (value: unknown): boolean => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value);
const isSafeQuantity = (value: unknown): boolean => isQuantity(value) && Number.isSafeInteger(Number(value));
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const equalsIgnoringCase = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

function isLog(value: unknown): value is Fields {
  return (
    isObject(value) &&
    isHex(value.address, '{40}') &&
    isSafeQuantity(value.blockNumber) &&
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

/** True if every element is a log that matches the filter of the request. */
function areLogs(result: unknown, filter: Filter): boolean {
  const number = (value: unknown, otherwise: number) => (isQuantity(value) ? Number(value) : otherwise);
  const [from, to] = [number(filter.fromBlock, 0), number(filter.toBlock, Number.MAX_SAFE_INTEGER)];
  return (
    Array.isArray(result) &&
    result.every(
      (log) =>
        isLog(log) &&
        (typeof filter.address !== 'string' || equalsIgnoringCase(log.address, filter.address)) &&
        (filter.blockHash === undefined || equalsIgnoringCase(log.blockHash, filter.blockHash)) &&
        Number(log.blockNumber) >= from &&
        Number(log.blockNumber) <= to,
    )
  );
}

const isHeader = (result: unknown, block: unknown): boolean =>
  isObject(result) &&
  isHash(result.hash) &&
  isHash(result.parentHash) &&
  isSafeQuantity(result.number) &&
  isSafeQuantity(result.timestamp) &&
  (!isQuantity(block) || Number(result.number) === Number(block)) &&
  // Chains without bloom filters omit the field, or send null or `0x`.
  ([undefined, null, '0x'].includes(result.logsBloom as undefined) || isHex(result.logsBloom, '{512}'));

const isReceipt = (result: unknown): result is Fields =>
  isObject(result) &&
  isHash(result.transactionHash) &&
  isHash(result.blockHash) &&
  isSafeQuantity(result.blockNumber) &&
  Array.isArray(result.logs) &&
  result.logs.every(isLog);

/** Checks by method. Methods that are not listed are not checked. */
const CHECKS: Readonly<Record<string, (result: unknown, params: readonly unknown[]) => boolean>> = {
  eth_chainId: isQuantity,
  eth_blockNumber: isSafeQuantity,
  eth_getBalance: isQuantity,
  eth_call: isBytes,
  eth_getCode: isBytes,
  eth_getLogs: (result, [filter]) => areLogs(result, (filter ?? {}) as Filter),
  eth_getBlockByNumber: (result, [block]) => result === null || isHeader(result, block),
  eth_getTransactionReceipt: (result, [hash]) =>
    result === null || (isReceipt(result) && equalsIgnoringCase(result.transactionHash, hash)),
  eth_getBlockReceipts: (result, [block]) =>
    result === null ||
    (Array.isArray(result) &&
      result.every(
        (receipt) => isReceipt(receipt) && (!isQuantity(block) || Number(receipt.blockNumber) === Number(block)),
      )),
};

/** True if the result has the form of an answer to the call. */
export function isPlausible({ method, params }: Call, result: unknown): boolean {
  return CHECKS[method]?.(result, Array.isArray(params) ? params : []) ?? true;
}
