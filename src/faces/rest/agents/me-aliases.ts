import type { Endpoint } from '../endpoint.js';

/**
 * Derives `/api/agents/me...` from an endpoint of `/api/agents/{address}...`. The alias needs a key and answers as the
 * original does for the wallet address of the key.
 */
export function meAlias(declared: Endpoint): Endpoint {
  const { params: _, example, ...rest } = declared;
  const { address: __, ...request } = example?.request ?? {};
  const alias = {
    ...rest,
    path: declared.path.replace('{address}', 'me'),
    description: `Same as ${declared.method} ${declared.path} for the agent of the key. ${declared.description}`,
    auth: 'required',
    ...(declared.method === 'GET' ? { cache: 'never' } : {}),
    errors: declared.errors.filter((code) => code !== 'INVALID_ADDRESS' && code !== 'NOT_AUTHORIZED'),
    ...(example ? { example: { ...example, request } } : {}),
    handle: (deps: unknown, call: { readonly actor: { readonly wallet: string } }) =>
      original.handle(deps, { ...call, params: { address: call.actor.wallet } }),
  };
  const original = declared as unknown as { handle(deps: unknown, call: unknown): Promise<object> };
  return alias as unknown as Endpoint;
}
