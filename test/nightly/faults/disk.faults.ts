// Runs beside the simulation: it measures no time.

import { join } from 'node:path';
import { expect } from 'chai';
import { joinService } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { chainPid, commandOf, eventually, getJson, type Running, rpc, run, usedDirectory } from '../../support/service/process.js';
import { SmallDisk } from '../../support/service/small-disk.js';

describe('a service whose disk is full or read-only', function () {
  this.timeout(180_000);
  let disk: SmallDisk | undefined;
  let data: string;
  let key: string;
  let wallet: string;
  const confirmed: string[] = [];
  const started: Running[] = [];

  before(async function () {
    disk = SmallDisk.mount();
    if (disk === undefined) return this.skip();
    data = await usedDirectory(join(disk.directory, 'data'));
  });
  after(async () => {
    for (const service of started) if (service.alive) await service.stop('SIGKILL');
    const pid = data === undefined ? undefined : chainPid(data);
    if (pid !== undefined && commandOf(pid).includes('anvil')) process.kill(pid, 'SIGKILL');
    disk?.unmount();
  });

  function start(directory = data): Running {
    const service = run({ env: { DATA_DIR: directory, RATE_LIMITS: 'off' } });
    started.push(service);
    return service;
  }

  async function begin(): Promise<Running> {
    const service = start();
    await service.ready();
    return service;
  }

  /** Sends a post, and records it in `confirmed` if the service confirms it. Returns the status. 0 if there is no answer. */
  async function post(service: Running, text: string): Promise<number> {
    const response = await fetch(`${service.url}/api/feed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ text: `${text} ${'.'.repeat(200)}` }),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined);
    if (response?.status === 201) confirmed.push(text);
    return response?.status ?? 0;
  }

  const linesAbout = (service: Running, text: string) => service.log.filter((line) => JSON.stringify(line).includes(text));

  it('refuses writes with 503 while the disk is full, logs it once, and loses nothing', async () => {
    let service = await begin();
    ({ wallet, key } = await joinService(service, 'Full'));
    for (let i = 0; i < 5; i++) expect(await post(service, `Before ${i}`)).to.equal(201);
    const head = await rpc(service.rpcUrl, 'eth_blockNumber');
    disk?.fill();
    const statuses = new Map<number, number>();
    for (let i = 0; i < 100; i++) {
      const status = await post(service, `Full ${i}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const text = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    expect(
      [...statuses.keys()].filter((status) => ![201, 503].includes(status)),
      text,
    ).to.deep.equal([]);
    expect(statuses.get(503) ?? 0).to.be.greaterThan(10);
    const ready = () => getJson(`${service.url}/ready`);
    await eventually(async () => (await ready()).status === 503, 'it is ready on a full disk');
    expect((await ready()).body.database).to.include({ state: 'full' });
    expect(linesAbout(service, 'the disk of the database is full')).to.have.length(1);
    expect(service.log.filter(({ msg }) => msg === 'unexpected error')).to.deep.equal([]);
    expect((await getJson(`${service.url}/api/agents/full`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
    // On the full disk, the start may work or fail, because it depends on whether the database needs space.
    service = start();
    const isReady = await service.ready().then(
      () => true,
      () => false,
    );
    if (isReady) await service.stop();
    else expect(service.stderr).to.match(/^curvet: DATA_DIR: no space .*\n$/);
    disk?.free();
    service = await begin();
    expect(await rpc(service.rpcUrl, 'eth_blockNumber')).to.equal(head);
    expect(await post(service, 'After')).to.equal(201);
    await expectPosts(service);
    expect(await service.stop()).to.include({ code: 0 });
    print(`full: ${text}, one line in the log; ${confirmed.length} confirmed posts are stored`);
  });

  it('does not start on a read-only or full disk, and prints one line', async () => {
    disk?.fill();
    const fresh = start(join(disk?.directory ?? '', 'fresh'));
    expect(await fresh.exited).to.include({ code: 1 });
    expect(fresh.stderr).to.match(/^curvet: DATA_DIR: .*(space|full).*\n$/);
    disk?.free();
    expect(disk?.remount('ro')).to.equal(0);
    const refused = start();
    const { code } = await refused.exited;
    expect(disk?.remount('rw')).to.equal(0);
    expect(code).to.equal(1);
    expect(refused.stderr).to.match(/^curvet: DATA_DIR: ".*" cannot be written: .*\n$/);
    const service = await begin();
    await expectPosts(service);
    expect(await service.stop()).to.include({ code: 0 });
    print(`read-only: ${refused.stderr.trim().slice(0, 160)}`);
  });

  /** Checks that every confirmed post is stored. */
  async function expectPosts({ url }: Running): Promise<void> {
    const stored: string[] = [];
    for (let before = ''; ; ) {
      const { body } = await getJson(`${url}/api/feed?agent=${wallet}&type=STATUS&limit=100${before}`);
      const feed = body.feed as { id: string; text: string }[];
      stored.push(...feed.map(({ text }) => text.replace(/ \.*$/, '')));
      if (feed.length < 100) break;
      before = `&before=${feed.at(-1)?.id}`;
    }
    expect(confirmed.filter((text) => !stored.includes(text))).to.deep.equal([]);
  }
});
