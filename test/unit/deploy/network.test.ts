import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadAll } from 'js-yaml';
import { TIMES } from '../../../src/config/timeouts.js';
import { root } from '../../support/service/process.js';

type Labels = Readonly<Record<string, string>>;
type Selector = { readonly matchLabels: Labels };
type Peer = {
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
};
type Rule = {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly protocol: string; readonly port: string | number }[];
};
type Policy = {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
};
type Backend = { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
type Path = { readonly path: string; readonly pathType: string; readonly backend: Backend };
type Ingress = {
  readonly metadata: { readonly annotations: Labels };
  readonly spec: {
    readonly ingressClassName: string;
    readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
    readonly rules: readonly { readonly host: string; readonly http: { readonly paths: readonly Path[] } }[];
  };
};

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes.
const manifests = (file: string): any[] => loadAll(read(`deploy/kubernetes/${file}.yaml`));
const replicas = manifests('curvet');
const kind = (name: string) => replicas.find((manifest) => manifest.kind === name);
const settings = kind('ConfigMap').data;
const pod = kind('Deployment').spec.template;
const ports: { name: string; containerPort: number }[] = pod.spec.containers[0].ports;

describe('the Ingress for Kubernetes', () => {
  const [entrance, internal] = manifests('ingress') as [Ingress, Ingress];
  const annotation = ({ metadata }: Ingress, name: string) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];

  it('leads the host of PUBLIC_URL to the public port of the replicas, with TLS', () => {
    const host = new URL(settings.PUBLIC_URL).hostname;
    const [service] = replicas.filter((manifest) => manifest.kind === 'Service');
    for (const { spec } of [entrance, internal]) {
      expect([spec.ingressClassName, spec.rules.map((rule) => rule.host)]).to.deep.equal(['nginx', [host]]);
      const backend = { service: { name: service.metadata.name, port: { name: 'http' } } };
      const paths = spec.rules.flatMap(({ http }) => http.paths);
      expect(paths.map(({ path: _, ...rest }) => rest)).to.deep.equal([{ pathType: 'Prefix', backend }]);
    }
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).to.deep.equal(['http']);
    expect(entrance.spec.tls).to.deep.equal([{ hosts: [host], secretName: 'curvet-tls' }]);
  });

  it('closes /internal, and does not lead to /metrics, which has a port of its own', () => {
    const paths = [entrance, internal].map(({ spec }) => spec.rules[0]?.http.paths.map(({ path }) => path));
    expect(paths).to.deep.equal([['/'], ['/internal']]);
    // No client has this address, so the Ingress refuses everybody.
    expect(annotation(internal, 'whitelist-source-range')).to.equal('127.0.0.1/32');
    expect(Number(settings.METRICS_PORT)).to.equal(ports.find(({ name }) => name === 'metrics')?.containerPort);
  });

  it('keeps WebSockets and Server-Sent Events open between two signs of life, and does not buffer events', () => {
    // A sign of life is a WebSocket ping or a comment in a stream. The longest interval is `streamPing`, and late ones need some
    // room.
    for (const name of ['proxy-read-timeout', 'proxy-send-timeout'])
      expect(Number(annotation(entrance, name)) * 1000, name).to.be.above(4 * TIMES.streamPing);
    expect(annotation(entrance, 'proxy-buffering')).to.equal('off');
  });

  it('limits clients as the example of nginx does', () => {
    const [, connections] = /limit_conn curvet_connections (\d+);/.exec(read('deploy/nginx.conf')) ?? [];
    const [, rate] = /zone=curvet_requests:10m rate=(\d+)r\/s;/.exec(read('deploy/nginx.conf')) ?? [];
    const [, burst] = /limit_req zone=curvet_requests burst=(\d+) /.exec(read('deploy/nginx.conf')) ?? [];
    const [, size] = /client_max_body_size (\w+);/.exec(read('deploy/nginx.conf')) ?? [];
    expect(annotation(entrance, 'limit-connections')).to.equal(connections);
    expect(annotation(entrance, 'limit-rps')).to.equal(rate);
    expect(Number(rate) * Number(annotation(entrance, 'limit-burst-multiplier'))).to.equal(Number(burst));
    expect(annotation(entrance, 'proxy-body-size')).to.equal(size);
  });

  it('is the one proxy that the replicas trust', () => {
    expect(settings.TRUST_PROXY).to.equal('1');
    // The comments of the manifest tell the operator how to set the controller, so that it forwards the address of the client.
    for (const name of ['use-forwarded-headers', 'externalTrafficPolicy: Local'])
      expect(read('deploy/kubernetes/ingress.yaml')).to.include(name);
  });

  it('has annotations that are texts', () => {
    for (const { metadata } of [entrance, internal])
      for (const [name, value] of Object.entries(metadata.annotations)) expect(value, name).to.be.a('string');
  });
});

describe('the NetworkPolicy for Kubernetes', () => {
  const [{ spec: policy }] = manifests('network-policy') as [{ spec: Policy }];
  const inNamespace = (namespace: string, podLabels: Labels): Peer => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: { matchLabels: podLabels },
  });

  it('holds for the replicas, in both directions', () => {
    expect(policy.podSelector.matchLabels).to.deep.equal(pod.metadata.labels);
    expect(policy.policyTypes).to.deep.equal(['Ingress', 'Egress']);
  });

  it('lets the ingress controller and the scoring reach the public port, and Prometheus the metrics', () => {
    const [job] = manifests('scoring');
    const { labels } = job.spec.jobTemplate.spec.template.metadata;
    expect(labels).not.to.deep.equal(pod.metadata.labels);
    const reached = policy.ingress.map(({ from, ports: [port, ...others] }) => [from, port, others]);
    expect(reached).to.deep.equal([
      [
        [inNamespace('ingress-nginx', { 'app.kubernetes.io/name': 'ingress-nginx' }), { podSelector: { matchLabels: labels } }],
        { protocol: 'TCP', port: 'http' },
        [],
      ],
      [[inNamespace('monitoring', { 'app.kubernetes.io/name': 'prometheus' })], { protocol: 'TCP', port: 'metrics' }, []],
    ]);
    expect(ports.map(({ name }) => name)).to.deep.equal(['http', 'metrics']);
  });

  it('lets the replicas reach DNS and the ports of their settings, and no others', () => {
    const [dns, ...servers] = policy.egress;
    expect(dns?.to).to.deep.equal([inNamespace('kube-system', { 'k8s-app': 'kube-dns' })]);
    expect(dns?.ports.map(({ protocol, port }) => `${protocol} ${port}`)).to.deep.equal(['UDP 53', 'TCP 53']);
    const used = Object.values<string>(kind('Secret').stringData)
      .filter((value) => URL.canParse(value))
      .map((value) => new URL(value))
      .map(({ port, protocol }) => Number(port || (protocol === 'https:' && 443)));
    const open = servers.flatMap((rule) => rule.ports.map(({ port }) => Number(port)));
    expect(open).to.have.members([...new Set(used)]);
    for (const { to, ports } of servers) expect([to?.length, ports.length]).to.deep.equal([1, 1]);
  });

  it('keeps HTTPS of the replicas away from private networks and the metadata of clouds', () => {
    const https = policy.egress.find(({ ports }) => ports.some(({ port }) => port === 443));
    const { cidr, except = [] } = https?.to?.[0]?.ipBlock ?? {};
    expect(cidr).to.equal('0.0.0.0/0');
    const closed = new BlockList();
    for (const network of except) {
      const [address = '', prefix] = network.split('/');
      closed.addSubnet(address, Number(prefix));
    }
    // The first and the last address are the metadata services of clouds.
    for (const address of ['169.254.169.254', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.100.100.200'])
      expect(closed.check(address), address).to.equal(true);
    expect(closed.check('203.0.113.9')).to.equal(false);
  });
});
