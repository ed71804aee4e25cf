import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { HANG_MS } from '../support/hang.js';
import { endProcesses, type Running, root, run, usedDirectory } from '../support/service/process.js';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const program = /## A first trade\n[^#]*?```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

describe('the first trade of the README', () => {
  let service: Running;

  before(async () => {
    service = run({ env: { DATA_DIR: await usedDirectory(), LOG_LEVEL: 'warn' } });
    await service.ready();
  });
  after(endProcesses);

  it('is a program that runs as it is pasted, and prints what the README shows', () => {
    const { stdout, stderr } = spawnSync(join(root, 'bin/node'), ['--input-type=module', '-'], {
      ...{ cwd: root, input: program, encoding: 'utf8', timeout: HANG_MS },
      env: { PATH: process.env.PATH, CURVET_URL: service.url },
    });
    expect(stderr).to.equal('');
    const shown = /```\n(Ada [\s\S]*?)```/.exec(readme)?.[1] ?? '';
    // Names, addresses and block numbers differ from run to run.
    const shape = (text: string) =>
      text
        .replace(/0x[0-9a-f]{40}/g, '0x')
        .replace(/(Ada|Bob) \w{6}/g, '$1')
        .replace(/block \d+/, 'block');
    expect(shape(stdout)).to.equal(shape(shown));
  });

  it('is the file to which the README leads', () => {
    expect(readFileSync(join(root, 'examples/first-trade.mjs'), 'utf8')).to.equal(program);
  });
});
