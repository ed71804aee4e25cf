import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../src/config.js';
import { variables } from '../src/settings.js';
import { blocksOf, drillsOf, RUNBOOK, runbook } from './drills/support/runbook.js';
import { root } from './support/service/process.js';

/** Variables whose refused values are not printed. */
const secrets = Object.keys(variables).filter((name) => {
  try {
    readConfig({ [name]: '\u0000' });
  } catch (error) {
    return error instanceof ConfigError && error.message.startsWith(`${name}: the value `);
  }
  return false;
});

describe(RUNBOOK, () => {
  const document = runbook();

  it('has commands that a drill runs, and says why for all others', () => {
    const unmarked = blocksOf(document).filter(({ mark }) => !/^(drill: [\w-]+|not in a drill: .+)/.test(mark ?? ''));
    expect(unmarked.map(({ script }) => script)).to.deep.equal([]);
    const named = blocksOf(document).filter(({ mark }) => mark?.startsWith('drill: '));
    expect(drillsOf(document).size).to.equal(named.length);
    expect(named.length).to.be.above(10);
  });

  it('has no commands that no drill runs', () => {
    const folder = join(root, 'test/drills');
    const drills = readdirSync(folder).filter((name) => name.endsWith('.drill.ts'));
    const texts = drills.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    const run = [...texts.matchAll(/\bbook\.(?:run|try|settings)\(\s*'([\w-]+)'/g)].map(([, name]) => name);
    expect([...drillsOf(document).keys()].filter((name) => !run.includes(name))).to.deep.equal([]);
  });

  it('says how to rotate every secret of the configuration', () => {
    expect(secrets).to.include.members(['SECRET_KEY', 'CRON_SECRET', 'DATABASE_URL', 'RPC_URL']);
    const table = /## Rotate secrets\n([\s\S]*?)\n\*\*/.exec(document)?.[1] ?? '';
    const rotated = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(secrets.filter((name) => !rotated.includes(name))).to.deep.equal([]);
  });

  it('names only variables of the configuration, or explains them', () => {
    const known = new Set([...Object.keys(variables), 'POSTGRES_PASSWORD']);
    const explained = [...document.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, name]) => name as string);
    const used = blocksOf(document).flatMap(({ script }) =>
      [...script.matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name]) => name as string),
    );
    const unknown = used.filter((name) => !known.has(name) && !explained.includes(name));
    expect([...new Set(unknown)]).to.deep.equal([]);
  });
});
