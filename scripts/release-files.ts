// Makes the files of a release: the SBOM of the service, the tarball of the client, and their checksums.
// npm run release:files [-- DIRECTORY [ADDRESS OF THE REPOSITORY]]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { productionSbom, root } from './supply-chain.js';

const [, , target = join(root, 'dist', 'release'), repository] = process.argv;
const directory = resolve(target);

mkdirSync(directory, { recursive: true });
if (readdirSync(directory).length > 0) throw new Error(`${directory} is not empty`);
writeFileSync(join(directory, 'curvet.cdx.json'), `${JSON.stringify(productionSbom(), null, 2)}\n`);
packClient();

const digest = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(directory, name)))
    .digest('hex');
const sums = readdirSync(directory)
  .sort()
  .map((name) => `${digest(name)}  ${name}\n`);
writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));

/** Packs the client. The sources do not contain the public address of the repository, so a release writes it into the package. */
function packClient(): void {
  const client = join(root, 'client');
  const copy = mkdtempSync(join(tmpdir(), 'curvet-release-'));
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const address = repository && {
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: 'client' },
  };
  for (const file of [...manifest.files, 'README.md', 'LICENSE']) cpSync(join(client, file), join(copy, file), { recursive: true });
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify({ ...manifest, ...address }, null, 2)}\n`);
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory];
  execFileSync('npm', pack, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(copy, { recursive: true });
}
