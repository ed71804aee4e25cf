// Nightly: it starts processes of another user, which only root can do.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { endProcesses, freshDirectory, getJson, root, run, usedDirectory } from '../support/service/process.js';

const nobody = 65_534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] as const;
const [setpriv, ...options] = asNobody;
// Only root can switch to another user, and that user must have read access to this checkout.
const isPossible = spawnSync(setpriv, [...options, 'test', '-r', join(root, 'dist/src/main.js')]).status === 0;

(isPossible ? describe : describe.skip)('the data directory of an unprivileged user', () => {
  after(endProcesses);

  it('works if the user owns it', async () => {
    const home = freshDirectory();
    const directory = await usedDirectory();
    for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(directory, entry), nobody, nobody);
    }
    for (const place of [directory, home]) {
      chownSync(place, nobody, nobody);
      chmodSync(place, 0o700);
    }
    const service = run({ prefix: asNobody, cwd: directory, env: { DATA_DIR: directory, HOME: home } });
    await service.ready();
    expect((await getJson(`${service.url}/ready`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
    expect(readdirSync(home)).to.deep.equal([]);
  });

  it('is refused in one line if the user cannot enter it', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'data'));
    const service = run({ prefix: asNobody, cwd: '/', env: { DATA_DIR: join(directory, 'data') } });
    expect(await service.exited).to.include({ code: 1 });
    expect(service.stderr).to.match(/^curvet: DATA_DIR: "[^\n]*" cannot be written: [^\n]+\n$/);
  });
});
