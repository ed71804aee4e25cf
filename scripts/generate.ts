// Generates the files that derive from the code. With --check it only reports files that are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringify from 'json-stringify-pretty-compact';
import { readConfig } from '../src/config/config.js';
import { type Variable, variables } from '../src/config/variables.js';
import { errorTable } from '../src/errors/errors.js';
import { endpoints, tags } from '../src/features/features.js';
import { graphqlSchema } from '../src/features/graphql.js';
import { freshnessTable } from '../src/features/guides/tables.js';
import { schemaText } from '../src/server/graphql/schema.js';
import { openapi } from '../src/server/openapi/openapi.js';
import { clientErrorCodes, clientTypes } from './client-types.js';
import { introspectionType } from './introspection-type.js';
import { operationTable } from './operation-table.js';
import { readIfPresent } from './read-if-present.js';

const root = join(import.meta.dirname, '..', '..');
const generated: Readonly<Record<string, () => string>> = {
  '.env.example': environmentExample,
  'docs/caching.md': cachingDocument,
  'schema/openapi.json': openapiJson,
  'schema/schema.graphql': () => schemaText(graphqlSchema()),
  'client/src/generated/api.ts': () => clientTypes(JSON.parse(openapiJson())),
  'client/src/generated/messages.ts': () => clientErrorCodes(errorTable),
  'web/src/generated/introspection.d.ts': () => introspectionType(schemaText(graphqlSchema())),
};

const stale: string[] = [];
for (const [path, make] of Object.entries(generated)) {
  const file = join(root, path);
  const text = make();
  if (process.argv.includes('--check')) {
    if (readIfPresent(file) !== text) stale.push(path);
  } else {
    writeFileSync(file, text);
  }
}
if (stale.length > 0) {
  process.stderr.write(`stale: ${stale.join(', ')}; run: npm run generate\n`);
  process.exit(1);
}

// Operations are declared in many files, so this prints one table of them all, with the file of each. KEY_REPLACEMENT adds an
// operation.
if (!process.argv.includes('--check')) process.stdout.write(operationTable(root, readConfig({ KEY_REPLACEMENT: 'on' })));

/** The text of `.env.example`, made from the table of environment variables. */
function environmentExample(): string {
  const lines = (Object.entries(variables) as [string, Variable][]).map(
    ([name, [, accepts, meaning, fallback]]) => `# ${meaning} (${accepts})\n#${name}=${fallback ?? ''}\n`,
  );
  return `# All variables of the service. Without any, it runs with embedded database, chain and post host.\n# compose.yaml reads them from a file named .env. With npm, set them in the environment.\n\n${lines.join('\n')}`;
}

/** The OpenAPI document of a service with default settings. A running service puts in its own URL instead of this one. */
function openapiJson(): string {
  const config = readConfig({});
  const document = openapi({ endpoints: endpoints(config), tags }, config, {
    url: 'https://curvet.example',
    chainId: config.CHAIN_ID,
  });
  return `${stringify(document, { maxLength: 140 })}\n`;
}

/** The text of docs/caching.md with the table of all caches inserted between its two marker comments. */
function cachingDocument(): string {
  const text = readFileSync(join(root, 'docs/caching.md'), 'utf8');
  const place = /(?<=<!-- caches -->\n)[\s\S]*?(?=<!-- end -->)/;
  if (!place.test(text)) throw new Error('docs/caching.md has no <!-- caches --> followed by <!-- end -->');
  return text.replace(place, () => `\n${freshnessTable()}\n\n`);
}
