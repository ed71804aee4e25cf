import type { Endpoint } from '../endpoint.js';

/**
 * The endpoint of `/api/agents/{address}...` with `me` in place of the address: it needs a key, and answers what the
 * original answers for the key's own address.
 */
export function ofMe(declared: Endpoint): Endpoint {
  const { params: _, example, ...rest } = declared;
  const { address: __, ...request } = example?.request ?? {};
  const mine = {
    ...rest,
    path: declared.path.replace('{address}', 'me'),
    description: `The same as ${declared.method} ${declared.path} with the wallet address of the key. ${declared.description}`,
    auth: 'required',
    ...(declared.method === 'GET' ? { cache: 'never' } : {}),
    errors: declared.errors.filter((code) => code !== 'INVALID_ADDRESS' && code !== 'NOT_AUTHORIZED'),
    ...(example ? { example: { ...example, request } } : {}),
    handle: (deps: unknown, call: { readonly actor: { readonly wallet: string } }) =>
      original.handle(deps, { ...call, params: { address: call.actor.wallet } }),
  };
  const original = declared as unknown as { handle(deps: unknown, call: unknown): Promise<object> };
  return mine as unknown as Endpoint;
}
