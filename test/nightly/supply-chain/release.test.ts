import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HANG_MS } from '../../support/hang.js';
import { root } from '../../support/service/process.js';

const VERSION = '98.7.6';

describe('npm run release', () => {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-release-'));
  const clone = join(directory, 'clone');
  const image = join(directory, 'image');
  after(() => rmSync(directory, { recursive: true }));

  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
  const read = (file: string) => readFileSync(join(clone, file), 'utf8');
  const versionIn = (file: string) => JSON.parse(read(file)).version;
  /** Runs `npm run release` with a fake `docker` that writes its arguments to a file. */
  function release(version: string) {
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` };
    return spawnSync('npm', ['run', '--silent', 'release', '--', version], {
      cwd: clone,
      env,
      encoding: 'utf8',
      timeout: HANG_MS,
    });
  }

  before(() => {
    execFileSync('git', ['clone', '--quiet', root, clone]);
    git('config', 'user.name', 'Ann');
    git('config', 'user.email', 'ann@example.com');
    for (const folder of ['node_modules', 'web/node_modules']) symlinkSync(join(root, folder), join(clone, folder));
    appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
    // Right after a release, the changelog has nothing to release. So this adds a change.
    const changes = read('CHANGELOG.md').replace('## [Unreleased]\n', '## [Unreleased]\n\n### Added\n\n- A change.\n');
    writeFileSync(join(clone, 'CHANGELOG.md'), changes);
    writeFileSync(join(clone, 'schema/released.graphql'), '# An older schema\n');
    git('commit', '--quiet', '--all', '--message', 'Add a change');
    // The fake `docker` succeeds for `docker info`, which asks whether docker runs. It writes the arguments of any other call to
    // the file `image`.
    writeFileSync(join(directory, 'docker'), `#!/bin/sh\n[ "$1" = info ] || printf '%s\\n' "$@" > ${image}\n`, {
      mode: 0o755,
    });
  });

  it('refuses a tree with changes, an older version and an invalid version', () => {
    for (const [version, why] of [
      ['0.0.1', /must be newer than/],
      ['1.2', /^release: usage/],
      ['', /^release: usage/],
    ] as const) {
      expect(release(version).stderr, version).to.match(why);
    }
    appendFileSync(join(clone, 'README.md'), 'A change\n');
    expect(release(VERSION)).to.include({
      status: 1,
      stderr: 'release: the working tree has changes: commit or restore them first\n',
    });
    git('checkout', '--', 'README.md');
    expect(git('status', '--porcelain')).to.equal('');
  });

  it('makes the version, its section of the changelog, a commit, a tag and the image', () => {
    const changes = read('CHANGELOG.md');
    const { status, stdout, stderr } = release(VERSION);
    expect([status, stderr], stdout).to.deep.equal([0, '']);
    expect(stdout).to.include('git push --follow-tags');
    for (const file of ['package.json', 'client/package.json', 'web/package.json', 'package-lock.json'])
      expect(versionIn(file), file).to.equal(VERSION);
    const { packages } = JSON.parse(read('package-lock.json'));
    expect(['', 'client', 'web'].map((name) => packages[name].version)).to.deep.equal([VERSION, VERSION, VERSION]);
    expect(JSON.parse(read('schema/openapi.json')).info.version).to.equal(VERSION);
    expect(read('schema/released.graphql')).to.equal(
      `# The schema of release ${VERSION}. npm run release writes this file.\n${read('schema/schema.graphql')}`,
    );
    for (const file of ['curvet', 'scoring']) expect(read(`deploy/kubernetes/${file}.yaml`)).to.include(`/curvet:${VERSION}\n`);
    const section = new RegExp(`## \\[Unreleased\\]\n\n## \\[${VERSION}\\] - \\d{4}-\\d{2}-\\d{2}\n`);
    expect(read('CHANGELOG.md').replace(section, '## [Unreleased]\n')).to.equal(changes);
    expect(git('status', '--porcelain')).to.equal('');
    expect(git('log', '-1', '--format=%s')).to.equal(`Release ${VERSION}`);
    expect(git('rev-parse', `v${VERSION}^{commit}`)).to.equal(git('rev-parse', 'HEAD'));
    expect(readFileSync(image, 'utf8').split('\n')).to.include.members([
      'build',
      `COMMIT=${git('rev-parse', 'HEAD')}`,
      `curvet:${VERSION}`,
    ]);
  });

  it('refuses a release without changes', () => {
    expect(release('98.7.7').stderr).to.equal('release: CHANGELOG.md has nothing under Unreleased\n');
  });
});
