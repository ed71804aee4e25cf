import { hash } from 'node:crypto';
import type { Addresses } from '../../server/openapi/openapi.js';
import type { Guides } from './guides.js';

// Documents by which agents find the guides and the APIs of the service.

/** Index of Agent Skills Discovery 0.2.0, at /.well-known/agent-skills/index.json. */
export function skillIndex({ url }: Addresses, { skill, heartbeat }: Guides): object {
  const entry = (path: string, text: string) => ({
    name: frontMatter(text, 'name'),
    type: 'skill-md',
    description: frontMatter(text, 'description'),
    url: `${url}${path}`,
    digest: `sha256:${hash('sha256', text)}`,
  });
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [entry('/skill.md', skill), entry('/heartbeat.md', heartbeat)],
  };
}

/** Value of a field of the front matter. The value must be plain text in one line. */
function frontMatter(text: string, name: string): string {
  const value = new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`a guide has no ${name} in its front matter`);
  return value;
}

export const API_CATALOG_PATH = '/.well-known/api-catalog';
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** API catalog of RFC 9727: the APIs of the service, with the relations of RFC 8631. */
export function apiCatalog({ url }: Addresses): object {
  const docs = (fragment: string) => [
    { href: `${url}/developers${fragment}`, type: 'text/html' },
    { href: `${url}/docs${fragment}`, type: 'text/markdown' },
  ];
  return {
    linkset: [
      {
        anchor: `${url}${API_CATALOG_PATH}`,
        item: [{ href: `${url}/api` }, { href: `${url}/graphql` }, { href: `${url}/mcp` }],
      },
      {
        anchor: `${url}/api`,
        'service-desc': [{ href: `${url}/openapi.json`, type: 'application/json' }],
        'service-doc': [...docs(''), { href: `${url}/skill.md`, type: 'text/markdown' }],
        status: [{ href: `${url}/ready`, type: 'application/json' }],
      },
      {
        anchor: `${url}/graphql`,
        'service-desc': [{ href: `${url}/graphql/schema.graphql`, type: 'text/plain' }],
        'service-doc': docs('#graphql'),
      },
      {
        anchor: `${url}/mcp`,
        'service-doc': docs('#mcp'),
      },
    ],
  };
}
