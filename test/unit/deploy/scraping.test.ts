import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load, loadAll } from 'js-yaml';
import { root } from '../../support/service/process.js';

type Job = {
  readonly job_name: string;
  readonly metrics_path?: string;
  readonly static_configs?: readonly { readonly targets: readonly string[] }[];
  readonly dns_sd_configs?: readonly {
    readonly names: readonly string[];
    readonly type: string;
    readonly port: number;
  }[];
};
type Compose = {
  readonly services: Readonly<Record<string, { readonly build?: unknown; readonly environment?: Record<string, string> }>>;
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly clusterIP?: string;
    readonly publishNotReadyAddresses?: boolean;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly { readonly ports: readonly { name: string; containerPort: number }[] }[];
      };
    };
  };
};

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { scrape_configs: jobs } = load(read('deploy/prometheus/prometheus.yml')) as { scrape_configs: Job[] };
const job = (name: string) => jobs.find(({ job_name }) => job_name === name) as Job;
const targetsOf = (name: string) => job(name).static_configs?.flatMap(({ targets }) => targets);
/** The address on which replicas listen in a container, unless a setting says otherwise. */
const [, containerHost] = /^ENV .*HOST=(\S+)/m.exec(read('Dockerfile')) ?? [];

describe('the example for Prometheus', () => {
  it('has a job for each way to deploy, and asks for /metrics', () => {
    expect(jobs.map(({ job_name }) => job_name)).to.deep.equal(['curvet-compose', 'curvet-systemd', 'curvet-kubernetes']);
    for (const { job_name, metrics_path = '/metrics' } of jobs) expect(metrics_path, job_name).to.equal('/metrics');
  });

  it('asks each replica of compose.yaml on its METRICS_PORT', () => {
    const { services } = load(read('compose.yaml')) as Compose;
    const replicas = Object.entries(services).filter(([, { build }]) => build !== undefined);
    const served = replicas.map(([name, { environment = {} }]) => {
      expect(environment, name).not.to.have.property('HOST');
      return `${name}:${environment.METRICS_PORT}`;
    });
    expect(containerHost).to.equal('0.0.0.0');
    expect(targetsOf('curvet-compose')).to.deep.equal(served);
  });

  it('asks each instance that the runbook enables for systemd', () => {
    const unit = read('deploy/systemd/curvet@.service');
    const [, environment = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const [, instances = ''] = /^systemctl enable --now (.*)$/m.exec(read('docs/operation.md')) ?? [];
    const served = [...instances.matchAll(/curvet@(\d+)/g)].map(([, instance = '']) => {
      const settings = Object.fromEntries(
        environment
          .replaceAll('%i', instance)
          .split(' ')
          .map((pair) => pair.split('=')),
      );
      return `${settings.HOST}:${settings.METRICS_PORT}`;
    });
    expect(served).to.have.length(2);
    expect(targetsOf('curvet-systemd')).to.deep.equal(served);
  });

  it('asks each pod of Kubernetes on its METRICS_PORT, ready or not', () => {
    const manifests = loadAll(read('deploy/kubernetes/curvet.yaml')) as Manifest[];
    const manifest = (kind: string, name = 'curvet') =>
      manifests.find(({ kind: its, metadata }) => its === kind && metadata.name === name) as Manifest;
    const [{ names, type, port } = { names: [], type: '', port: 0 }] = job('curvet-kubernetes').dns_sd_configs ?? [];
    // A headless Service has one address for each pod, so Prometheus finds every replica. Other Services have one for all pods.
    const [, service = ''] = /^([\w-]+)\.default\.svc\.cluster\.local$/.exec(String(names)) ?? [];
    const { clusterIP, publishNotReadyAddresses, selector, ports = [] } = manifest('Service', service).spec ?? {};
    expect([type, clusterIP, publishNotReadyAddresses]).to.deep.equal(['A', 'None', true]);
    const { template } = manifest('Deployment').spec ?? {};
    expect(template?.metadata.labels).to.deep.equal(selector);
    const [container] = template?.spec.containers ?? [];
    const metrics = container?.ports.find(({ name }) => name === ports[0]?.targetPort);
    const { METRICS_PORT, HOST = containerHost } = manifest('ConfigMap').data ?? {};
    expect([port, ports[0]?.port, metrics?.containerPort]).to.deep.equal(Array(3).fill(Number(METRICS_PORT)));
    expect(HOST).to.equal('0.0.0.0');
  });
});
