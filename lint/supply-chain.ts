import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { productionPackages, productionSbom, readAudit, refusedLicences, root } from '../scripts/supply-chain.js';

const production = productionPackages();

describe('the packages of production', () => {
  it('run no script at their installation, because package.json denies it', () => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const scripts = production.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(scripts.filter((name) => allowScripts[name] !== false)).to.deep.equal([]);
    expect(scripts).to.deep.equal(['@apollo/protobufjs']);
  });

  it('are locked by a hash of their content', () => {
    const unlocked = production.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
    expect(unlocked.map(({ name }) => name)).to.deep.equal([]);
    expect(production.length).to.be.above(50);
  });

  it('are listed by the SBOM, each with its version and an allowed licence', () => {
    const { bomFormat, components, dependencies } = productionSbom();
    expect(bomFormat).to.equal('CycloneDX');
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    // Optional packages are left out, because they may be for another system and not be installed.
    const needed = production.filter(({ optional }) => !optional).map(({ name, version }) => `${name}@${version}`);
    expect(needed.filter((id) => !listed.has(id))).to.deep.equal([]);
    expect(components.map(({ name }) => name))
      .to.include('graphql')
      .and.to.not.include('typescript');
    // The list of dependencies has an entry for each component and one for the service itself.
    expect(dependencies.length).to.equal(components.length + 1);
    expect(refusedLicences(components)).to.deep.equal([]);
  });
});

describe('the check of licences', () => {
  it('names the packages that it refuses', () => {
    const licensed = (name: string, ...ids: string[]) => ({
      name,
      version: '1.0.0',
      licenses: ids.map((id) => ({ license: { id } })),
    });
    expect(
      refusedLicences([
        licensed('good', 'MIT'),
        licensed('bad', 'AGPL-3.0-only'),
        licensed('both', 'MIT', 'SSPL-1.0'),
        { name: 'silent', version: '2.0.0' },
      ]),
    ).to.deep.equal(['bad 1.0.0: AGPL-3.0-only', 'both 1.0.0: MIT AND SSPL-1.0', 'silent 2.0.0: no licence']);
  });
});

describe('the check of vulnerabilities', () => {
  it('lists vulnerable packages', () => {
    const report = { vulnerabilities: { left: { name: 'left', severity: 'high' } } };
    expect(readAudit(JSON.stringify(report))).to.deep.equal({ found: ['left: high'] });
    expect(readAudit('{"vulnerabilities":{}}')).to.deep.equal({ found: [] });
  });

  it('says why the registry has not answered', () => {
    expect(readAudit('{"error":{"summary":"","detail":""},"message":"request failed"}')).to.deep.equal({
      unanswered: 'request failed',
    });
    expect(readAudit('{"error":{"summary":"no such endpoint"}}')).to.deep.equal({ unanswered: 'no such endpoint' });
    expect(readAudit('')).to.deep.equal({ unanswered: 'no report' });
  });
});
