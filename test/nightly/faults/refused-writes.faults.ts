// Runs beside the simulation: it measures no time.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { joinService } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { give, PostgresServer, postgresPrograms } from '../../support/servers/postgres.js';
import { endProcesses, eventually, freshDirectory, getJson, type Running, run } from '../../support/service/process.js';
import { SmallDisk } from '../../support/service/small-disk.js';

describe('a PostgreSQL that answers and takes no writes', function () {
  this.timeout(180_000);
  const servers: PostgresServer[] = [];
  let disk: SmallDisk | undefined;

  before(function () {
    if (postgresPrograms() !== undefined) return;
    print('skipped: initdb and postgres are not installed');
    this.skip();
  });
  afterEach(async () => {
    await endProcesses();
    for (const server of servers.splice(0)) await server.stop();
    disk?.unmount();
  });

  const added = (server: PostgresServer): PostgresServer => {
    servers.push(server);
    return server;
  };
  const start = (url: string): Running => run({ env: { DATABASE_URL: url, DATA_DIR: freshDirectory(), RATE_LIMITS: 'off' } });
  const probe = async (service: Running, path: '/ready' | '/health') => {
    const { status, body } = await getJson(service.url + path);
    return { status, database: body.database };
  };
  const isReady = async (service: Running) => (await probe(service, '/ready')).status === 200;
  /**
   * The log lines about outages, each as level (40: warn, 30: info), part and reason. The line about the end of an outage has no
   * reason.
   */
  const outages = ({ log }: Running) =>
    log.filter(({ part }) => part !== undefined).map(({ level, part, reason }) => [level, part, reason].filter(Boolean).join(' '));
  /** Registers an agent. Returns a function that sends a post of this agent and resolves to the status. */
  async function poster(service: Running): Promise<(text: string) => Promise<number>> {
    const { key } = await joinService(service, 'Poster');
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    return async (text) => {
      const body = JSON.stringify({ text: `${text} ${'.'.repeat(200)}` });
      return (await fetch(`${service.url}/api/feed`, { method: 'POST', headers, body })).status;
    };
  }

  it('is noticed after a failover until it is promoted, also by a service that starts meanwhile', async () => {
    const primary = added(await PostgresServer.start());
    const line = await FaultyLine.to(primary.url);
    const service = start(line.url);
    await service.ready();
    const post = await poster(service);
    expect(await post('Before')).to.equal(201);
    const standby = added(await primary.standby());
    await primary.kill();
    line.redirect(standby.url);
    await eventually(async () => (await probe(service, '/ready')).status === 503, 'it does not see the standby');
    await eventually(async () => (await probe(service, '/health')).database === 'read-only', 'it does not see why');
    expect(await post('Refused')).to.equal(503);

    const second = start(line.url);
    await second.until(() => outages(second).length === 1, 'it does not say that it waits');
    expect(outages(second)[0]).to.include('40 database DATABASE_URL: the database is read-only');

    await standby.promote();
    await second.ready();
    expect(outages(second)).to.have.lengthOf(2);
    await eventually(() => isReady(service), 'it is not ready after the promotion');
    expect(await post('After')).to.equal(201);
    const ofWrites = outages(service).filter((text) => text.includes('writes'));
    expect(ofWrites).to.deep.equal(['40 database writes the database is read-only', '30 database writes']);
    await line.close();
  });

  it('is noticed by the service when its disk is full, until there is space', async function () {
    disk = SmallDisk.mount();
    if (disk === undefined) return this.skip();
    give(disk.directory);
    const directory = join(disk.directory, 'server');
    mkdirSync(directory);
    const server = added(await PostgresServer.start(give(directory)));
    const service = start(server.url);
    await service.ready();
    const post = await poster(service);
    disk.fill();
    const statuses = new Map<number, number>();
    for (let i = 0; i < 100; i++) {
      const status = await post(`Full ${i}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const text = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    // The first posts may succeed, because the files of the tables have free space.
    expect(
      [...statuses.keys()].filter((status) => ![201, 503].includes(status)),
      text,
    ).to.deep.equal([]);
    expect(statuses.get(503) ?? 0).to.be.above(10);
    await eventually(async () => (await probe(service, '/health')).database === 'full', 'it does not see the full disk');
    const state = { state: 'full', detail: 'the disk of the database is full' };
    expect(await probe(service, '/ready')).to.deep.equal({ status: 503, database: state });
    expect((await getJson(`${service.url}/api/agents`)).status, 'a read').to.equal(200);
    disk.free();
    await eventually(() => isReady(service), 'it is not ready when there is space');
    expect(await post('After')).to.equal(201);
    expect(outages(service)).to.deep.equal([`40 database writes ${state.detail}`, '30 database writes']);
    expect(await service.stop()).to.include({ code: 0 });
    print(`full: ${text}`);
  });
});
