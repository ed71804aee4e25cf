// Generates the files that derive from the code. With --check it only reports files that are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentExample, readConfig } from '../src/config.js';
import { schemaText } from '../src/faces/graphql/engine/schema.js';
import { endpoints } from '../src/faces/rest/endpoints.js';
import { openapi } from '../src/faces/rest/openapi/openapi.js';

const root = join(import.meta.dirname, '..', '..');
const generated: Readonly<Record<string, () => string>> = {
  '.env.example': environmentExample,
  'schema/openapi.json': openapiJson,
  'schema/schema.graphql': schemaText,
};

const stale: string[] = [];
for (const [path, make] of Object.entries(generated)) {
  const file = join(root, path);
  const text = make();
  if (process.argv.includes('--check')) {
    if (current(file) !== text) stale.push(path);
  } else {
    writeFileSync(file, text);
  }
}
if (stale.length > 0) {
  process.stderr.write(`stale: ${stale.join(', ')}; run: npm run generate\n`);
  process.exit(1);
}

/** OpenAPI document of a service with default settings. A running service puts in its own URL. */
function openapiJson(): string {
  const config = readConfig({});
  const document = openapi(endpoints(config), config, { url: '/', chainId: config.CHAIN_ID });
  return `${JSON.stringify(document, null, 2)}\n`;
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
