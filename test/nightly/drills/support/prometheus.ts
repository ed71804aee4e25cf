import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { HANG_MS } from '../../../support/hang.js';
import { childEnvironment } from '../../../support/processes.js';
import { freePort } from '../../../support/servers/ports.js';
import { eventually, root } from '../../../support/service/process.js';

export const hasPrometheus = (): boolean => spawnSync('prometheus', ['--version'], { timeout: HANG_MS }).status === 0;

type Alert = { readonly state: string; readonly labels: Readonly<Record<string, string>> };

/** Prometheus with the example configuration. Only its jobs and its intervals are replaced. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  /** `targets` are addresses that serve /metrics, such as `127.0.0.1:9464`. */
  static async start(targets: readonly string[]): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'curvet-prometheus-'));
    const from = join(root, 'deploy/prometheus');
    copyFileSync(join(from, 'alerts.yml'), join(directory, 'alerts.yml'));
    const example = load(readFileSync(join(from, 'prometheus.yml'), 'utf8').replaceAll('15s', '1s')) as object;
    const scrape_configs = [{ job_name: 'curvet', static_configs: [{ targets }] }];
    writeFileSync(join(directory, 'prometheus.yml'), dump({ ...example, scrape_configs }));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${address}`],
      { cwd: directory, env: childEnvironment(), stdio: 'ignore' },
    );
    const prometheus = new Prometheus(`http://${address}`, directory, child);
    await eventually(async () => {
      const answer = await fetch(`http://${address}/-/ready`).catch(() => undefined);
      return answer?.ok === true;
    }, 'Prometheus does not answer');
    return prometheus;
  }

  /** The value of a PromQL expression. undefined if it has no value. */
  async value(expression: string): Promise<number | undefined> {
    const { data } = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    const [, value] = data.result[0]?.value ?? [];
    return value === undefined ? undefined : Number(value);
  }

  /** The alerts that fire now, each as its name and its instance. */
  async firing(): Promise<string[]> {
    const { data } = await this.#get('/api/v1/alerts');
    const alerts = (data.alerts as Alert[]).filter(({ state }) => state === 'firing');
    return alerts.map(({ labels }) => [labels.alertname, labels.instance].filter(Boolean).join(' ')).sort();
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes.
  async #get(path: string): Promise<any> {
    return (await fetch(this.url + path)).json();
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await exited;
    rmSync(this.directory, { recursive: true, force: true });
  }
}
