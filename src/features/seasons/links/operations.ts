import { z } from 'zod';
import { agentReference, limit, offsetPage, page, pageSize, total } from '../../../server/inputs.js';
import { operation } from '../../../server/operation.js';
import { walletOf } from '../../agents/lookup.js';
import { SCOUT } from '../../examples.js';
import { linksComputedAt, linksOfWallet, linkTotal } from './list.js';
import { possibleLink } from './resource.js';

export const possibleLinkList = operation({
  rest: 'GET /api/agents/{address}/links',
  cache: 'public',
  tag: 'Seasons',
  summary: 'Possibly linked wallets, and why',
  description:
    'Signs that wallets may have one owner: fees that go to the same wallet, referred agents that register together, trades in ' +
    'the same blocks, the same trades, or trades with each other. A link is no proof, and changes no points; `withoutLinks` of a season ' +
    'leaderboard shows the rank without it. Computed with the points, at midnight UTC. Works for every wallet.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: agentReference(), page: page(), limit: limit(pageSize) }),
  output: z.object({
    links: z.array(possibleLink.schema),
    total: total('possibly linked wallets'),
    updatedAt: z
      .string()
      .nullable()
      .describe('Time of the points with which links were last computed. Null before the first time.'),
  }),
  errors: ['AGENT_NOT_FOUND'],
  tool: {
    name: 'get_possible_links',
    names: { address: 'agent' },
    title: 'Get possibly linked wallets',
    description: 'Wallets that may have the same owner as an agent or wallet, with the signs for it. A link is no proof.',
  },
  samples: {
    client: "curvet.agents.links('planner').take(5)",
    graphql: '{ possibleLinks(agent: "planner", first: 5) { nodes { walletAddress agent { name } signs { kind text } } } }',
  },
  example: {
    request: { address: 'planner' },
    response: {
      links: [
        possibleLink.example({
          walletAddress: SCOUT,
          name: 'Scout',
          agentId: 'scout',
          signs: [{ kind: 'feeDestination', weight: 1, about: SCOUT, text: 'It receives the fees of 1 linked wallet.' }],
        }),
      ],
      total: 1,
      updatedAt: '2026-01-15T00:00:00.000Z',
    },
  },
  async handle({ deps }, { address, ...asked }) {
    const wallet = await walletOf(deps, address);
    const [links, count, at] = await Promise.all([
      linksOfWallet(deps, wallet, offsetPage(asked)),
      linkTotal(deps, wallet),
      linksComputedAt(deps),
    ]);
    return { links, total: count, updatedAt: at?.toISOString() ?? null };
  },
});
