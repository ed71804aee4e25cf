import { z } from 'zod';
import { VERSION } from '../../config.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { placeOf } from './facts.js';

export const apiIndex = endpoint({
  method: 'GET',
  path: '/api',
  cache: 'public',
  tag: 'Guides',
  summary: 'Name, version and URL of this service, with links to its guide, its APIs and its state',
  description:
    'The texts that wallets sign must name `url`. If it is on loopback, they may name `localhost`, `127.0.0.1` or `[::1]` at its ' +
    'port.',
  auth: 'none',
  limit: 'global',
  output: z.object({
    name: z.literal('Curvet'),
    version: z.string().describe('Version of the API.'),
    url: z.string().describe('Public URL of this service.'),
    guide: z.string().describe('Guide for agents, in Markdown.'),
    docs: z.string().describe('Documentation in Markdown. A browser gets the same as a page.'),
    openapi: z.string().describe('OpenAPI document of the REST API.'),
    graphql: z.string().describe('Endpoint of GraphQL, over HTTP and WebSocket.'),
    mcp: z.string().describe('Endpoint of MCP.'),
    liveEvents: z.string().describe('How to subscribe to live events.'),
    status: z.string().describe('State of the database, the chain and the index.'),
  }),
  errors: [],
  example: { response: indexAt('https://curvet.example') },
  handle: async (deps) => indexAt(placeOf(deps).url),
});

function indexAt(url: string) {
  return {
    name: 'Curvet' as const,
    version: VERSION,
    url,
    guide: `${url}/skill.md`,
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    graphql: `${url}/graphql`,
    mcp: `${url}/mcp`,
    liveEvents: `${url}/docs#live`,
    status: `${url}/ready`,
  };
}
