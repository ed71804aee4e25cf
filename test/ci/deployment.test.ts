import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadAll } from 'js-yaml';
import { ConfigError, readConfig } from '../../src/config/config.js';
import { variables } from '../../src/config/variables.js';
import { HANG_MS } from '../support/hang.js';
import { endProcesses, freshDirectory, root } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes.
type Manifest = any;

const SECRET = 'a-secret-of-the-operator';

describe('the manifests for Kubernetes', () => {
  const world = useWorld({ CRON_SECRET: SECRET });
  const documents = loadAll(read('deploy/kubernetes/curvet.yaml')) as Manifest[];
  const kind = (name: string): Manifest => documents.find((document) => document.kind === name);
  const { spec } = kind('Deployment');
  const pod = spec.template.spec;
  const [container] = pod.containers;
  const settings: Record<string, string> = { ...kind('ConfigMap').data, ...kind('Secret').stringData };
  const portNamed = (name: string) => container.ports.find((port: Manifest) => port.name === name)?.containerPort;

  it('are a Deployment with its settings, two Services and a disruption budget', () => {
    const versions = documents.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
    expect(versions).to.deep.equal([
      'v1 ConfigMap curvet',
      'v1 Secret curvet',
      'apps/v1 Deployment curvet',
      'v1 Service curvet',
      'v1 Service curvet-metrics',
      'policy/v1 PodDisruptionBudget curvet',
    ]);
    const selector = spec.selector.matchLabels;
    expect(spec.template.metadata.labels).to.deep.equal(selector);
    expect(kind('Service').spec.selector).to.deep.equal(selector);
    expect(kind('PodDisruptionBudget').spec.selector.matchLabels).to.deep.equal(selector);
    expect(pod.topologySpreadConstraints[0].labelSelector.matchLabels).to.deep.equal(selector);
    expect(container.envFrom).to.deep.equal([{ configMapRef: { name: 'curvet' } }, { secretRef: { name: 'curvet' } }]);
  });

  it('set only variables of the configuration, with values that it accepts', () => {
    expect(Object.keys(settings).filter((name) => !(name in variables))).to.deep.equal([]);
    for (const value of Object.values(settings)) expect(value).to.be.a('string');
    const own = Object.entries(settings).map(([name, value]) => [name, value.replaceAll('change-me', 'kE4-9vX2')]);
    const config = readConfig({ NODE_ENV: 'production', HOST: '0.0.0.0', ...Object.fromEntries(own) });
    expect(config.chainEmbedded).to.equal(false);
    expect([config.PORT, config.METRICS_PORT]).to.deep.equal([portNamed('http'), portNamed('metrics')]);
    expect(settings).to.include.keys(
      'DATABASE_URL',
      'REDIS_URL',
      'RPC_URL',
      'CONTRACT_ADDRESS',
      'SOCIAL_TEXT_PROXY',
      'START_BLOCK',
    );
    // The user is the login role that the runbook creates.
    expect(new URL(settings.DATABASE_URL ?? '').username).to.equal('curvet_a');
    expect(read('docs/operation.md')).to.include('create role curvet_a login');
  });

  it('have a job that calls the scoring', async () => {
    const [job] = loadAll(read('deploy/kubernetes/scoring.yaml')) as Manifest[];
    expect([job.spec.schedule, job.spec.timeZone, job.spec.concurrencyPolicy]).to.deep.equal(['0 0 * * *', 'Etc/UTC', 'Forbid']);
    const [scoring] = job.spec.jobTemplate.spec.template.spec.containers;
    expect(scoring.image).to.equal(container.image);
    const [{ valueFrom }, { value: url }] = scoring.env;
    expect(valueFrom.secretKeyRef).to.deep.equal({ name: 'curvet', key: 'CRON_SECRET' });
    expect(new URL(url).hostname).to.equal(kind('Service').metadata.name);
    const { pathname } = new URL(url);
    const run = async (CRON_SECRET: string) => {
      const env = { URL: world.url + pathname, CRON_SECRET };
      const ran = promisify(execFile)(process.execPath, scoring.command.slice(1), { env });
      const { code = 0, stdout } = await ran.catch((failed) => failed);
      return `${code} ${stdout}`;
    };
    expect(await run(SECRET)).to.match(/^0 \{"success":true/);
    // During a rotation the setting has two secrets, and the job sends the first.
    expect(await run(`${SECRET}\nthe-secret-of-tomorrow\n`)).to.match(/^0 /);
    expect(await run('another-secret-which-is-wrong')).to.match(/^1 \{"success":false/);
  });

  it('keep secrets out of the ConfigMap, and contain none', () => {
    for (const [name, value] of Object.entries<string>(kind('ConfigMap').data)) {
      expect(/SECRET|_KEY$|DATABASE_URL|REDIS_URL|^RPC_URL/.test(name), name).to.equal(false);
      expect(value).not.to.include('change-me');
    }
    const secrets = ['DATABASE_URL', 'REDIS_URL', 'RPC_URL', 'SECRET_KEY', 'CRON_SECRET'];
    for (const name of secrets) expect(kind('Secret').stringData[name], name).to.include('change-me');
    // A start refuses each placeholder, so that no secret is forgotten.
    for (const name of secrets)
      expect(() => readConfig(settings)).to.throw(ConfigError, new RegExp(`^${name}: .+ placeholder`, 'm'));
  });

  it('probe paths that answer on declared ports and do not depend on the chain', async () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet;
      expect(portNamed(port), probe).to.equal(4000);
      expect((await world.ask('GET', path)).status, probe).to.equal(200);
      expect(path).to.equal('/health');
      expect(container[probe].timeoutSeconds).to.be.at.least(2);
    }
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold, 'time for migrations').to.be.at.least(600);
    const { annotations } = spec.template.metadata;
    expect(annotations['prometheus.io/port']).to.equal(String(portNamed('metrics')));
    expect((await world.ask('GET', annotations['prometheus.io/path'])).status).to.equal(200);
    expect(portNamed(kind('Service').spec.ports[0].targetPort)).to.equal(4000);
  });

  it('replace one replica after the other, and give each time to stop', () => {
    expect(spec.strategy.rollingUpdate).to.deep.equal({ maxSurge: 1, maxUnavailable: 0 });
    // `maxUnavailable` holds for any number of replicas, so it still fits after `kubectl scale`.
    expect(kind('PodDisruptionBudget').spec.maxUnavailable).to.equal(1);
    // `preStop` waits before the signal to stop, and then the service may need 10 s.
    const wait = Number(container.lifecycle.preStop.exec.command[1]);
    expect(pod.terminationGracePeriodSeconds).to.be.above(wait + 10);
  });

  it('run the service as an unprivileged user, with requests of resources and a limit of memory', () => {
    expect(read('Dockerfile')).to.match(/^USER node$/m);
    expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: 1000 });
    expect(pod.automountServiceAccountToken).to.equal(false);
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources.requests).to.have.keys('cpu', 'memory');
    expect(container.resources.limits).to.have.keys('memory');
    expect(container.image).to.match(/:\d+\.\d+\.\d+$/);
  });
});

const unit = read('deploy/systemd/curvet@.service');
/** The values of all lines with this key in the unit. */
const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value as string);

describe('the unit for systemd', () => {
  after(endProcesses);

  it('starts the service on the port of its instance, and waits for its stop', () => {
    const names = values('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] as string));
    expect(names.filter((name) => name !== 'NODE_ENV' && !(name in variables))).to.deep.equal([]);
    expect(values('Environment')[0]?.split(' ')).to.include.members(['PORT=%i', 'METRICS_PORT=1%i']);
    expect(values('ExecStart')).to.deep.equal(['/opt/curvet/current/bin/node dist/src/main.js']);
    expect(Number(values('TimeoutStopSec')[0])).to.be.above(10);
    expect(values('Restart')).to.deep.equal(['always']);
  });

  const verifies = spawnSync('systemd-analyze', ['--version'], { timeout: HANG_MS }).status === 0;
  it(`is accepted by systemd-analyze${verifies ? '' : ' (SKIPPED: not installed)'}`, function () {
    if (!verifies) return this.skip();
    // The unit names the release directory of a deployment. It does not exist here, so the repository replaces it.
    const here = join(freshDirectory(), 'curvet@.service');
    writeFileSync(here, unit.replaceAll('/opt/curvet/current', root));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', here], { encoding: 'utf8', timeout: HANG_MS });
    expect(stderr.split('\n').filter((line) => line.includes('curvet'))).to.deep.equal([]);
    expect(status, stderr).to.equal(0);
  });
});

describe('the command for systemd', () => {
  after(endProcesses);

  /** Runs the command with a fake `systemd-run`, which prints its arguments, one per line. */
  function curvet(...args: string[]) {
    const directory = freshDirectory();
    writeFileSync(join(directory, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const env = { PATH: `${directory}:${process.env.PATH}`, SUDO_USER: 'ann' };
    const { status, stdout, stderr } = spawnSync(join(root, 'deploy/systemd/curvet'), args, {
      env,
      encoding: 'utf8',
      timeout: HANG_MS,
    });
    return { status, stdout, stderr, given: stdout.trimEnd().split('\n') };
  }

  it('runs a command with the settings and the user of the unit', () => {
    const { status, given } = curvet('season', 'end', '3');
    expect(status).to.equal(0);
    expect(given).to.include.members([
      `--uid=${values('User')}`,
      `--working-directory=${values('WorkingDirectory')}`,
      `--property=EnvironmentFile=${values('EnvironmentFile')}`,
    ]);
    const node = values('ExecStart')[0]?.split(' ')[0];
    expect(given.slice(given.indexOf(String(node)))).to.deep.equal([node, 'dist/src/cli/season.js', 'end', '3']);
    for (const name of ['season', 'moderate', 'reindex', 'check-config'])
      expect(existsSync(join(root, 'dist/src/cli', `${name}.js`)), name).to.equal(true);
  });

  it('keeps arguments whole that contain $NAME, and puts the name of the operator before them', () => {
    const { given } = curvet('moderate', 'hide', 'post', 'id', '$100 "in" $CRON_SECRET', '', '--by', 'bob');
    const args = given.slice(given.indexOf('dist/src/cli/moderate.js') + 1);
    expect(args).to.deep.equal(['--by', 'ann', 'hide', 'post', 'id', '$$100 "in" $$CRON_SECRET', '', '--by', 'bob']);
  });

  it('refuses other commands', () => {
    for (const args of [[], ['main'], ['../main']]) expect(curvet(...args).status).to.equal(1);
    expect(curvet('main').stderr).to.match(/^usage: curvet season\|moderate\|reindex\|check-config /);
  });

  it('answers --help, and passes it to a command', () => {
    const { status, stdout } = curvet('--help');
    expect([status, stdout]).to.deep.equal([0, curvet('main').stderr]);
    expect(curvet('moderate', '--help').given.slice(-3)).to.deep.equal(['--by', 'ann', '--help']);
  });
});

describe('a rolling restart behind nginx', () => {
  it('pauses longer than nginx leaves a replica out', () => {
    const failTimeout = /fail_timeout=(\d+)s/.exec(read('deploy/nginx.conf'))?.[1];
    // The pause in the runbook between the restarts of the two instances.
    const pause = /systemctl restart curvet@4000.*&&\n(?: *#.*\n)* *sleep (\d+) &&\n *systemctl restart curvet@4001/.exec(
      read('docs/operation.md'),
    )?.[1];
    expect(Number(pause)).to.be.above(Number(failTimeout));
  });
});
