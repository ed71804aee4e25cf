import { isAddress, Wallet, ZeroAddress, ZeroHash } from 'ethers';
import { endpointOf } from '../../src/chain/endpoint.js';
import { callUrls } from '../../src/chain/heads.js';

const MAX_BPS = 1000;
const MAX_TIMEOUT_S = 86_400;
/** Variables whose refused values are not printed: they may be or contain a secret. */
const SECRET = new Set(['DEPLOYER_KEY', 'RPC_URL']);

/** Thrown to stop a script with a message of one line. */
export class Refusal extends Error {}

/**
 * Reads a variable of the environment. `parse` returns null for a value that is refused. `accepted` says in the message what is
 * accepted.
 */
function variable<T>(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: string | undefined,
  accepted: string,
  parse: (value: string) => T | null,
): T {
  const value = env[name]?.trim() || fallback;
  const parsed = value === undefined ? null : parse(value);
  if (parsed !== null) return parsed;
  const problem = value === undefined ? 'is not set' : SECRET.has(name) ? 'is not valid' : `is "${value}"`;
  throw new Refusal(`${name} ${problem}; accepted: ${accepted}`);
}

const integer = (max: number) => (value: string) => (/^\d{1,15}$/.test(value) && Number(value) <= max ? Number(value) : null);

/** URL and ID of the chain that a script talks to, from RPC_URL and CHAIN_ID. */
export function chainSettings(env: NodeJS.ProcessEnv): { readonly url: string; readonly chainId: number } {
  const url = variable(env, 'RPC_URL', undefined, 'an http:// or https:// address', (value) => {
    const first = callUrls(value.split(',').map((part) => part.trim()))[0] ?? '';
    try {
      return /^https?:/.test(endpointOf(first).url) ? first : null;
    } catch {
      return null; // the text is not a URL, or its credentials cannot be decoded
    }
  });
  const chainId = variable(env, 'CHAIN_ID', '84532', 'a chain ID', integer(Number.MAX_SAFE_INTEGER));
  return { url, chainId };
}

/** Address of the contract that a script looks at, from CONTRACT_ADDRESS. */
export const contractSetting = (env: NodeJS.ProcessEnv): string =>
  variable(env, 'CONTRACT_ADDRESS', undefined, 'an address', (value) => (isAddress(value) ? value.toLowerCase() : null));

/** Salt for the deterministic deployer, from SALT. */
export const saltSetting = (env: NodeJS.ProcessEnv): string =>
  variable(env, 'SALT', ZeroHash, '0x and 64 hex digits', (value) =>
    /^0x[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : null,
  );

/** What `npm run deploy:contract` reads from its environment. */
export function deploymentSettings(env: NodeJS.ProcessEnv) {
  const { url, chainId } = chainSettings(env);
  const deployer = variable(env, 'DEPLOYER_KEY', undefined, 'a private key of 0x and 64 hex digits', (value) => {
    try {
      return /^0x[0-9a-f]{64}$/i.test(value) ? new Wallet(value) : null;
    } catch {
      return null; // the key is zero, or not below the order of the curve
    }
  });
  const owner = variable(env, 'OWNER', deployer.address, 'an address that is not zero', (value) =>
    isAddress(value) && value !== ZeroAddress ? value : null,
  );
  const protocolBps = variable(env, 'PROTOCOL_BPS', '500', `basis points, 0 to ${MAX_BPS}`, integer(MAX_BPS));
  const agentBps = variable(env, 'AGENT_BPS', '500', `basis points, 0 to ${MAX_BPS}`, integer(MAX_BPS));
  if (protocolBps + agentBps > MAX_BPS) {
    throw new Refusal(`PROTOCOL_BPS and AGENT_BPS are ${protocolBps + agentBps} together; accepted: at most ${MAX_BPS}`);
  }
  const timeout = variable(
    env,
    'DEPLOY_TIMEOUT',
    '180',
    `seconds, 1 to ${MAX_TIMEOUT_S}`,
    (value) => integer(MAX_TIMEOUT_S)(value) || null,
  );
  const salt = saltSetting(env);
  return { url, deployer, chainId, owner, protocolBps, agentBps, salt, timeout };
}
