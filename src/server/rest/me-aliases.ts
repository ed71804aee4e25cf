import type { Deps } from '../../deps.js';
import type { AnyCall, Call, Endpoint } from './endpoint.js';

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
    ...(declared.method === 'GET'
      ? { handle: (deps: Deps, call: OwnCall) => declared.handle(deps, ofActor(call)) }
      : {
          run: (deps: Deps, call: OwnCall) => declared.run(deps, ofActor(call)),
          answer: (result: unknown, call: OwnCall) => declared.answer(result, ofActor(call)),
        }),
  };
  return alias as unknown as Endpoint;
}

type OwnCall = Call<'required', undefined, undefined, undefined>;

const ofActor = (call: OwnCall) => ({ ...call, params: { address: call.actor.wallet } }) as unknown as AnyCall;
