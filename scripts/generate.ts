// Writes the files that are made from the code, or with --check says which of them are not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentExample } from '../src/config.js';

const root = join(import.meta.dirname, '..', '..');
const generated: Readonly<Record<string, () => string>> = {
  '.env.example': environmentExample,
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
  process.stderr.write(`not current: ${stale.join(', ')}; run: npm run generate\n`);
  process.exit(1);
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
