import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createProxy } from '../../../../scripts/cluster/proxy.js';
import { freePort } from '../../../support/servers/ports.js';
import { listen } from '../../../support/service/listen.js';
import { type Running, run } from '../../../support/service/process.js';

const REPLICAS = 2;
/** Time between the removal of a replica from the proxy and its stop. Requests that the proxy has sent arrive in this time. */
const DRAIN_MS = 500;

type Settings = Readonly<Record<string, string>>;

/** Two replicas on fixed ports behind a proxy. The drill changes their settings as the runbook says. */
export class Fleet {
  readonly replicas: Running[] = [];
  /** The URL of the proxy, to which clients send their requests. */
  url = '';
  readonly proxy: Server = createProxy(() => this.#upstreams);
  #upstreams: { readonly url: string; readonly isAlive: boolean }[] = [];

  private constructor(
    readonly urls: readonly string[],
    public settings: Settings,
  ) {}

  static async start(settings: Settings): Promise<Fleet> {
    const urls: string[] = [];
    while (urls.length < REPLICAS) urls.push(`http://127.0.0.1:${await freePort()}`);
    const fleet = new Fleet(urls, settings);
    fleet.url = await listen(fleet.proxy);
    for (const i of urls.keys()) await fleet.#start(i);
    return fleet;
  }

  /** Changes settings, and restarts one replica after the other. The proxy stops using a replica before it stops. */
  async roll(change: Settings): Promise<void> {
    this.settings = { ...this.settings, ...change };
    for (const i of this.urls.keys()) {
      await this.#stop(i);
      await this.#start(i);
    }
  }

  /** Changes settings while no replica runs. Returns for how many milliseconds no replica ran. */
  async restartTogether(change: Settings): Promise<number> {
    this.settings = { ...this.settings, ...change };
    await Promise.all(this.urls.map((_, i) => this.#stop(i)));
    const stopped = performance.now();
    await Promise.all(this.urls.map((_, i) => this.#start(i)));
    return performance.now() - stopped;
  }

  async #start(i: number): Promise<void> {
    const url = this.urls[i] as string;
    const replica = run({ env: { ...this.settings, PORT: new URL(url).port } });
    await replica.ready();
    this.replicas[i] = replica;
    this.#upstreams.push({ url, isAlive: true });
  }

  async #stop(i: number): Promise<void> {
    this.#upstreams = this.#upstreams.filter(({ url }) => url !== this.urls[i]);
    await sleep(DRAIN_MS);
    expect(await (this.replicas[i] as Running).stop()).to.include({ code: 0 });
  }
}
