/** An error with a numeric code, as EIP-1193 specifies it for wallets. */
export class ProviderError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

type Reply = {
  readonly result?: unknown;
  /** The error of the node as an object, or an error of the service as a text. */
  readonly error?: string | { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly hint?: string;
};

/** Sends a request to an endpoint of the embedded chain. Throws a ProviderError if the service refuses it. */
export async function send(path: string, body: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const reply = (await response.json()) as Reply;
  if (response.ok) return reply;
  // -32603 is the code of JSON-RPC for an internal error. The code of the service's error is not a number.
  throw new ProviderError([reply.error, reply.hint].filter((text) => typeof text === 'string').join('. '), -32603);
}

/** Sends 1 ETH of the embedded chain to an account. Resolves when a block has the transfer. */
export const askFaucet = (address: string): Promise<unknown> => send('/dev/faucet', { address });

/** Whether the service runs its own chain, on which ether has no value. Only then `GET /health` has an `rpcUrl`. */
export async function isEmbedded(): Promise<boolean> {
  const health = await fetch('/health')
    .then((response) => response.json() as Promise<{ readonly rpcUrl?: string }>)
    .catch(() => ({ rpcUrl: undefined }));
  return health.rpcUrl !== undefined;
}
