import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { endProcesses, freshDirectory, root } from '../../support/service/process.js';

describe('bin/node without the pinned Node.js', () => {
  after(endProcesses);

  /** Runs bin/node with a Node.js on the PATH that claims to have this version. */
  function runAs(version: string) {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'bin'));
    copyFileSync(join(root, 'bin/node'), join(directory, 'bin/node'));
    const disguise = join(directory, 'version.cjs');
    writeFileSync(disguise, `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`);
    const shim = `#!/bin/sh\nexec '${process.execPath}' --require '${disguise}' "$@"\n`;
    writeFileSync(join(directory, 'node'), shim, { mode: 0o755 });
    const env = { PATH: `${directory}:${process.env.PATH}` };
    const program = ['-e', 'console.log("it runs")'];
    return spawnSync('/bin/sh', [join(directory, 'bin/node'), ...program], { env, encoding: 'utf8' });
  }

  for (const version of ['18.20.4', '20.20.2', '22.16.0']) {
    it(`says in one line what to do about Node.js ${version}`, () => {
      const { status, stdout, stderr } = runAs(version);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^curvet: Node\.js \S+ is too old\. Install Node\.js 24\. [^\n]+\n$/);
      expect(stderr).to.include(version);
    });
  }

  for (const version of ['22.17.0', '24.21.0', '26.0.0']) {
    it(`runs the program with Node.js ${version}`, () => {
      expect(runAs(version)).to.include({ status: 0, stdout: 'it runs\n', stderr: '' });
    });
  }
});
