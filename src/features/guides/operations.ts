import { z } from 'zod';
import { VERSION } from '../../config/config.js';
import { operation } from '../../server/operation.js';
import { addressesOf } from './facts.js';
import { changesBetween, guideVersion, VERSION_FORM } from './versions.js';

export const apiIndex = operation({
  rest: 'GET /api',
  cache: 'public',
  tag: 'Guides',
  summary: 'Name, version and URL of this service, with links to its guide, its APIs and its state',
  description:
    'The texts that wallets sign must name `url`. If it is on loopback, they may name `localhost`, `127.0.0.1` or `[::1]` at its ' +
    'port.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
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
  example: { response: indexAt('https://curvet.example') },
  handle: async ({ deps }) => indexAt(addressesOf(deps).url),
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

export const skillVersion = operation({
  rest: 'GET /api/skill-version',
  cache: 'public',
  tag: 'Guides',
  summary: 'Whether /skill.md or /heartbeat.md changed, and what',
  description:
    'A version has two parts: the number of the text, and a fingerprint of the chain, the contract, the URLs and the settings of ' +
    'this service. Without `current`, the answer lists the changes of all versions.',
  auth: 'none',
  limit: 'global',
  input: z.object({
    current: z.string().regex(VERSION_FORM).optional().meta({
      expected: 'the version in the front matter of /skill.md',
      description: 'Version of the guide that you have, from the front matter of /skill.md.',
    }),
  }),
  output: z.object({
    version: z.string().describe('Version of the guides that this service serves now.'),
    changed: z.boolean().describe('Whether `current` is another version. True without `current`.'),
    changes: z.array(z.string()).describe('What changed since `current`, newest first. Empty if nothing changed.'),
    url: z.string().describe('URL of the guide /skill.md.'),
  }),
  example: {
    request: { current: '1-5d41402a' },
    response: {
      version: '2-5d41402a',
      changed: true,
      changes: ['The heartbeat has nothingToDo and nextCheckAfter.'],
      url: 'https://curvet.example/skill.md',
    },
  },
  async handle({ deps }, { current }) {
    const addresses = addressesOf(deps);
    const version = guideVersion(addresses, deps.config);
    const changed = current !== version;
    return { version, changed, changes: changesBetween(current, version), url: `${addresses.url}/skill.md` };
  },
});
