import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../src/deps.js';
import { refusing } from '../../support/chain/node.js';
import { nodeProcess } from '../../support/client/command-line.js';
import { useNamedWorld } from '../../support/client/traders.js';
import { root } from '../../support/service/process.js';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const program = /## A first trade\n[^#]*?```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

describe('the first trade of the README', () => {
  const world = useNamedWorld();
  // The program is a process with the time of the system, so the service gets that time, too.
  before(() => void Object.assign(world.deps, { clock: systemClock }));

  it('is a program that runs as it is pasted, and prints what the README shows', async () => {
    const { out, error } = await nodeProcess(['--input-type=module', '-'], { CURVET_URL: world.url }, program);
    expect(error).to.equal('');
    const shown = /```\n(Ada [\s\S]*?)```/.exec(readme)?.[1] ?? '';
    // Names, addresses and block numbers differ from run to run, so they are removed before the comparison.
    const shape = (printed: string) =>
      printed
        .replace(/0x[0-9a-f]{40}/g, '0x')
        .replace(/(Ada|Bob) \w{6}/g, '$1')
        .replace(/block \d+/, 'block');
    expect(shape(out)).to.equal(shape(shown));
  });

  it('says in one sentence what to do if the service does not run', async () => {
    const stopped = await refusing();
    const { code, out, error } = await nodeProcess(['examples/first-trade.mjs'], { CURVET_URL: stopped });
    expect([code, out]).to.deep.equal([1, '']);
    expect(error).to.equal(`${stopped} does not answer: start the service with "npm start", or set CURVET_URL to its address.\n`);
  });

  it('is the file to which the README leads', () => {
    expect(readFileSync(join(root, 'examples/first-trade.mjs'), 'utf8')).to.equal(program);
  });
});
