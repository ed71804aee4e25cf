// Makes the files of a release: the SBOM of the service, the tarball of the client, and their checksums.
// npm run release [-- DIRECTORY]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { productionSbom } from './supply-chain/components.js';
import { root } from './supply-chain/root.js';

const directory = resolve(process.argv[2] ?? join(root, 'dist', 'release'));

mkdirSync(directory, { recursive: true });
if (readdirSync(directory).length > 0) throw new Error(`${directory} is not empty`);
writeFileSync(join(directory, 'curvet.cdx.json'), `${JSON.stringify(productionSbom(), null, 2)}\n`);
const pack = ['pack', '--workspace=client', '--ignore-scripts', '--silent', '--pack-destination', directory];
execFileSync('npm', pack, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

const digest = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(directory, name)))
    .digest('hex');
const sums = readdirSync(directory)
  .sort()
  .map((name) => `${digest(name)}  ${name}\n`);
writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
