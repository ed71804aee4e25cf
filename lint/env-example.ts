import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../src/config/config.js';
import { variables } from '../src/config/variables.js';
import { root } from '../test/support/service/process.js';

const names = Object.keys(variables) as (keyof typeof variables)[];

describe('.env.example', () => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');

  it('lists every variable once with its default, commented out', () => {
    // `variables[name][3]` is the default. The row of a variable without a default has no such value.
    const listed = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(listed).to.deep.equal(names.map((name) => [name, variables[name][3 as never] ?? '']));
  });

  it('gives the default configuration with every variable uncommented, except that the port may not move', () => {
    const environment = Object.fromEntries(
      Array.from(example.matchAll(/^#?([A-Z_]+)=(.*)$/gm), ([, name, value]) => [name, value]),
    );
    expect(Object.keys(environment)).to.deep.equal(names);
    // With PORT uncommented, the port counts as chosen, so the service may not take another one.
    expect(readConfig(environment)).to.deep.equal({ ...readConfig({}), portMayMove: false });
  });
});
