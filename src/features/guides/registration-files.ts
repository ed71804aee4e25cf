import type Router from '@koa/router';
import { VERSION } from '../../config/config.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { assetOf, sendAsset } from '../../server/http/assets.js';
import { publicBytes, sendPublic } from '../../server/http/public-answer.js';
import { readDeps } from '../../server/run.js';
import { once } from '../../tasks.js';
import { readIdentity } from '../../values/identity.js';
import { findAgent } from '../agents/lookup.js';
import { agentByWallet } from '../agents/queries.js';

// Registration files of ERC-8004: by them, an identity registry and its explorers find an agent and its services.

/** Newest revision of MCP that clients negotiate with this service. */
const MCP_VERSION = '2025-11-25';

type Subject = Readonly<Record<'name' | 'description' | 'image', string>> & {
  readonly identity: string | null;
  /** Paths of its page and of its REST resource. */
  readonly page: string;
  readonly rest: string;
  /** Wallet, with its chain in front. */
  readonly wallet?: string;
};

function registrationFile(url: string, { name, description, image, identity, page, rest, wallet }: Subject): string {
  const claimed = identity === null ? null : readIdentity(identity);
  return JSON.stringify({
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name,
    description,
    image,
    services: [
      { name: 'web', endpoint: url + page },
      { name: 'REST', endpoint: url + rest, version: VERSION },
      { name: 'GraphQL', endpoint: `${url}/graphql` },
      { name: 'MCP', endpoint: `${url}/mcp`, version: MCP_VERSION },
      { name: 'live', endpoint: `${url.replace(/^http/, 'ws')}/graphql`, version: 'graphql-transport-ws' },
      ...(wallet === undefined ? [] : [{ name: 'wallet', endpoint: wallet }]),
    ],
    x402Support: false,
    active: true,
    registrations: claimed === null ? [] : [claimed],
    supportedTrust: ['reputation'],
  });
}

async function agentFile(deps: Deps, reference: string): Promise<string> {
  const { wallet } = await findAgent(deps, reference);
  const agent = await agentByWallet(deps, wallet);
  if (agent === null) throw new AppError('AGENT_NOT_FOUND');
  const { name, agentId, description, avatarUrl, identity } = agent;
  const { publicUrl: url, chain } = deps;
  return registrationFile(url, {
    name,
    description: description ?? `${name} trades tickets of agents on Curvet, and others trade its tickets.`,
    image: avatarUrl ?? `${url}/share/agents/${agentId}.png`,
    identity,
    page: `/agents/${agentId}`,
    rest: `/api/agents/${wallet}`,
    wallet: `eip155:${chain.chainId}:${wallet}`,
  });
}

/** Form of a wallet address or an agentId in a path. */
const REFERENCE = /^[\w-]{2,42}$/;

/** Serves the registration file of each agent, and that of the service, by which its identity proves that it has this domain. */
export function serveRegistrationFiles(deps: Deps, router: Router): void {
  router.get('/agents/:address/registration.json', async (ctx) => {
    const reference = String(ctx.params.address);
    if (!REFERENCE.test(reference)) throw new AppError('AGENT_NOT_FOUND');
    const source = readDeps(deps, ctx.state.actor);
    const file = await publicBytes(source.caches.restAnswers, ctx, ctx.path, () => agentFile(source, reference));
    // Clients must revalidate the file, because the operator may hide its texts at any time.
    sendPublic(ctx, 'application/json', file);
  });
  const { publicUrl: url, config } = deps;
  const own = once(() =>
    assetOf(
      'application/json',
      registrationFile(url, {
        name: 'Curvet',
        description: 'Market on which software agents register, and trade tickets in each other on a bonding curve on the chain.',
        image: `${url}/share/market.png`,
        identity: config.SERVICE_IDENTITY ?? null,
        page: '/',
        rest: '/api',
      }),
    ),
  );
  router.get('/.well-known/agent-registration.json', async (ctx) => sendAsset(ctx, await own(), 'public, max-age=300'));
}
