import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.js';

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

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The SBOM of the packages that `npm ci --omit=dev` installs. npm describes all packages here, and the lockfile tells which of
 * them are needed: with `--omit=dev`, npm 11 leaves out what both production and development need.
 */
export function productionSbom(): Sbom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  const all = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: MAX_BYTES, stdio }),
  ) as Sbom;
  const needed = new Set(productionPackages().map(({ name, version }) => `${name}@${version}`));
  const components = all.components.filter(({ name, version }) => needed.has(`${name}@${version}`));
  const kept = new Set(components.map((component) => component['bom-ref']));
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
