// Makes a release of the checked-out commit: the version, its section of the changelog, a commit, a tag and the image.
// npm run release -- VERSION
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './supply-chain.js';

const [, , version = ''] = process.argv;
const tag = `v${version}`;
const [present] = /(?<=^ {2}"version": ")[^"]+/m.exec(read('package.json')) ?? [''];

refuse(!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version), 'usage: npm run release -- VERSION, such as 1.2.3');
refuse(git('status', '--porcelain') !== '', 'the working tree has changes: commit or restore them first');
refuse(!isNewer(version, present), `the version must be newer than ${present}`);
refuse(git('tag', '--list', tag) !== '', `the tag ${tag} exists`);
const [, unreleased = ''] = read('CHANGELOG.md').split(/^## .*$/m);
refuse(!unreleased.includes('\n- '), 'CHANGELOG.md has nothing under Unreleased');

for (const file of ['package.json', 'client/package.json', 'web/package.json'])
  change(file, (text) => text.replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`));
change('package-lock.json', (text) => {
  const lock = JSON.parse(text);
  for (const part of [lock, ...['', 'client', 'web'].map((name) => lock.packages[name])]) part.version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
});
for (const file of ['deploy/kubernetes/curvet.yaml', 'deploy/kubernetes/scoring.yaml'])
  change(file, (text) => text.replace(/(image: \S+\/curvet:)\S+/, `$1${version}`));
const today = new Date().toISOString().slice(0, 10);
change('CHANGELOG.md', (text) => text.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${today}\n`));
// The OpenAPI document contains the version, so it is generated again.
run('npm', 'run', '--silent', 'generate');
// Stores the schema that later versions must not break (docs/compatibility.md).
const schema = `# The schema of release ${version}. npm run release writes this file.\n${read('schema/schema.graphql')}`;
writeFileSync(join(root, 'schema/released.graphql'), schema);
git('commit', '--quiet', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', tag, '--message', `Curvet ${version}`);

const image = ['build', '--build-arg', `COMMIT=${git('rev-parse', 'HEAD')}`, '--tag', `curvet:${version}`, '.'];
process.stdout.write(`Released ${version}. Publish it: git push --follow-tags\n`);
if (spawnSync('docker', ['info']).status === 0) run('docker', ...image);
else process.stdout.write(`Docker does not run here. Build the image where it does: docker ${image.join(' ')}\n`);

function isNewer(next: string, last: string): boolean {
  return next.localeCompare(last, 'en', { numeric: true }) > 0;
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Changes a file. Throws if the change changes nothing, because the file has another form than expected. */
function change(file: string, edit: (text: string) => string): void {
  const text = read(file);
  const changed = edit(text);
  if (changed === text) throw new Error(`${file} has no place for the version`);
  writeFileSync(join(root, file), changed);
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: root, stdio: 'inherit' });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function refuse(isWrong: boolean, why: string): void {
  if (!isWrong) return;
  process.stderr.write(`release: ${why}\n`);
  process.exit(1);
}
