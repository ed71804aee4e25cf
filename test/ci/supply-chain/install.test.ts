import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../support/service/process.js';

/** Limit of the size of `node_modules`, with the packages for development. */
const MAX_MEGABYTES = 450;

describe('the installation', () => {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-npm-'));
  after(() => rmSync(directory, { recursive: true }));

  it(`takes at most ${MAX_MEGABYTES} MB`, () => {
    const bytes = execFileSync('du', ['-sb', join(root, 'node_modules')], { encoding: 'utf8' }).split('\t')[0];
    expect(Number(bytes)).to.be.within(1, MAX_MEGABYTES * 1e6);
  });

  it('shows no warning about the Node.js that runs npm, since another one runs the service', () => {
    const project = join(directory, 'project');
    mkdirSync(project);
    copyFileSync(join(root, '.npmrc'), join(project, '.npmrc'));
    // No Node.js is so new, so npm would print a warning. `.npmrc` hides warnings, unless `--loglevel` shows them.
    const manifest = { name: 'newer', version: '1.0.0', engines: { node: '>=1000' } };
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    const install = (...options: string[]) =>
      spawnSync('npm', ['install', '--dry-run', '--offline', ...options], { cwd: project, encoding: 'utf8' });
    expect(install('--loglevel=warn').stderr).to.include('EBADENGINE');
    expect(install()).to.include({ status: 0, stderr: '' });
  });

  it('gets a package of the client that names the address of its release', () => {
    const release = join(directory, 'release');
    const address = 'https://git.example/owner/market';
    execFileSync(process.execPath, [join(root, 'dist/scripts/release-files.js'), release, address]);
    const files = readdirSync(release);
    const tarball = join(release, files.find((name) => name.endsWith('.tgz')) as string);
    expect(files.sort()).to.deep.equal(['SHA256SUMS', tarball.slice(release.length + 1), 'curvet.cdx.json']);
    const packed = JSON.parse(execFileSync('tar', ['-xOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
    const manifest = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'));
    expect(packed).to.deep.equal({
      ...manifest,
      homepage: `${address}#readme`,
      repository: { type: 'git', url: `git+${address}.git`, directory: 'client' },
    });
    const entries = execFileSync('tar', ['-tf', tarball], { encoding: 'utf8' });
    for (const name of ['LICENSE', 'README.md', 'bin/curvet.js', 'dist/curvet.js', 'dist/curvet.d.ts'])
      expect(entries).to.include(`package/${name}\n`);
  });
});
