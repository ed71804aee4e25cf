/** The interface of a wallet to the page (EIP-1193). */
export type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (value: never) => void): void;
  removeListener?(event: string, listener: (value: never) => void): void;
};

/** Error codes of EIP-1193, and of the method `wallet_switchEthereumChain`. */
export const REFUSED = 4001;
export const DISCONNECTED = 4900;
export const UNKNOWN_CHAIN = 4902;
/** MetaMask's error code while an earlier request is still open in the wallet. */
export const PENDING = -32002;

/**
 * The code of a wallet's error. Some wallets wrap the error of their node, or of a phone, in another error; the inner code
 * counts.
 */
export function codeOf(error: unknown): number | undefined {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  const inner = (data as { readonly originalError?: unknown } | undefined)?.originalError;
  if (inner) return codeOf(inner) ?? Number(code);
  return typeof code === 'number' ? code : undefined;
}

/** Describes the error of a wallet or of its node in a sentence. */
export function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message.slice(0, 200) : String(error).slice(0, 200);
}

/** Properties of a wallet's error that may contain the data of a revert, or a nested error with that data. */
const PLACES = ['data', 'originalError', 'error', 'cause', 'info'] as const;

/** The data of a reverted call within a wallet's error. undefined if the error is of another kind. */
export function revertData(error: unknown, depth = 0): string | undefined {
  // The data of a revert has at least 4 bytes, the selector of the error. The limit of the depth ends cycles of nested errors.
  if (typeof error === 'string') return /^0x([0-9a-f]{2}){4,}$/i.test(error) ? error.toLowerCase() : undefined;
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  for (const place of PLACES) {
    const found = revertData((error as Record<string, unknown>)[place], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The address in lower case. undefined if the value is no address. */
export const addressOf = (value: unknown): string | undefined =>
  typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : undefined;
