import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root directory of the repository, two levels above the compiled file dist/scripts/supply-chain.js. */
export const root = join(import.meta.dirname, '..', '..');

/** A package of the production tree, as the SBOM (CycloneDX) describes it. */
export type Component = {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly license?: { id?: string; name?: string }; readonly expression?: string }[];
};

type Dependency = { readonly ref: string; readonly dependsOn?: readonly string[] };
export type Sbom = {
  readonly bomFormat: string;
  readonly components: readonly (Component & { readonly 'bom-ref': string })[];
  readonly dependencies: readonly Dependency[];
};

/** Maximum size of the SBOM that npm prints. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The SBOM of the packages that `npm ci --omit=dev` installs. It takes the SBOM of all packages, and filters it by the lockfile:
 * with `--omit=dev`, npm 11 leaves out the packages that both production and development need.
 */
export function productionSbom(): Sbom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  const all = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: MAX_BYTES, stdio })) as Sbom;
  const needed = new Set(productionPackages().map(({ name, version }) => `${name}@${version}`));
  const components = all.components.filter(({ name, version }) => needed.has(`${name}@${version}`));
  const kept = new Set(components.map((component) => component['bom-ref']));
  // The first entry is the service itself, which is not a component.
  const [service] = all.dependencies;
  return {
    ...all,
    components: components.map((component) => ({ ...component, properties: [] })),
    dependencies: all.dependencies
      .filter(({ ref }) => kept.has(ref) || ref === service?.ref)
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) })),
  };
}

type Locked = {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
};

/** The packages of the lockfile that production needs. */
export function productionPackages(): (Locked & { readonly name: string })[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, locked]) => ({
      ...locked,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    }));
}

/**
 * Licences that allow use in a product under the MIT licence without conditions on its code. MPL-2.0 only has conditions on the
 * files of the package, which are used unchanged. OFL-1.1 is for fonts, which may come with any software. An expression of several
 * licences is listed as the package writes it.
 */
const ALLOWED = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'MPL-2.0',
  'MIT OR Apache-2.0',
  'MIT AND OFL-1.1',
  '(MIT AND BSD-3-Clause)',
]);

/** The packages whose licence is not on the list, or that declare none. */
export const refusedLicences = (components: readonly Component[]): string[] =>
  components.flatMap(({ name, version, licenses = [] }) => {
    const all = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
    const licence = all.join(' AND ');
    return ALLOWED.has(licence) ? [] : [`${name} ${version}: ${licence || 'no licence'}`];
  });

/**
 * Reads the output of `npm audit --json`. `found`: vulnerable packages with their severity. `unanswered`: why the registry gave no
 * answer.
 */
export function readAudit(output: string): { readonly found: readonly string[] } | { readonly unanswered: string } {
  const { error, message, vulnerabilities } = /^\s*\{/.test(output) ? JSON.parse(output) : {};
  if (vulnerabilities === undefined) return { unanswered: error?.summary || message || 'no report' };
  const packages = Object.values<{ readonly name: string; readonly severity: string }>(vulnerabilities);
  return { found: packages.map(({ name, severity }) => `${name}: ${severity}`) };
}
