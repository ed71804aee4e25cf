import type { Config } from '../../config/config.js';
import type { Deps } from '../../deps.js';
import type { Addresses } from '../../server/openapi/openapi.js';
import type { Endpoint, Tool } from '../../server/operation.js';
import { publicRpcUrl } from '../trading/contract/contract.js';

/** Facts about the service that the guides and the documentation show. */
export type DocsFacts = {
  readonly addresses: Addresses;
  readonly config: Config;
  readonly endpoints: readonly Endpoint[];
  readonly tools: readonly Tool[];
};

export function addressesOf(deps: Pick<Deps, 'config' | 'chain' | 'publicUrl'>): Addresses {
  const { chain, publicUrl } = deps;
  const rpcUrl = publicRpcUrl(deps);
  const { chainId, contract } = chain;
  return { url: publicUrl, chainId, contract, ...(rpcUrl === null ? {} : { rpcUrl }) };
}

/** The settings by which `variantsFor` selects texts in docs/variants.md. */
export const settingsOf = ({ chainEmbedded, ...config }: Config) => ({
  CHAIN: chainEmbedded ? 'embedded' : 'outside',
  TICKET_CALLBACKS: config.TICKET_CALLBACKS,
  REGISTRATION_SIGNATURE: config.REGISTRATION_SIGNATURE,
  KEY_REPLACEMENT: config.KEY_REPLACEMENT,
});
