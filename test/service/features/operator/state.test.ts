import { expect } from 'chai';
import { AppError } from '../../../../src/errors/errors.js';
import { readCursor } from '../../../../src/index/cursor.js';
import { catchUp } from '../../../../src/index/ingest.js';
import { outageOf } from '../../../../src/observe/database-errors.js';
import { serverUrl, testDatabase } from '../../../support/database.js';
import { replacing } from '../../../support/parts.js';
import { thrownBy } from '../../../support/refused.js';
import { queryAt } from '../../../support/servers/postgres.js';
import { runSql } from '../../../support/store.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';

describe('the state of the parts', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  /** Sets a value of a setting for all sessions that the database opens from now on. The embedded database has only one session. */
  async function set(name: string, value: string): Promise<void> {
    const { url } = await testDatabase();
    const change = `set ${name} = ${value}`;
    if (serverUrl === undefined || url === undefined) await world.deps.sql(change);
    else await queryAt(serverUrl, `alter database ${new URL(url).pathname.slice(1)} ${change}`);
  }

  /** Looks at the probes and the metrics a second later. */
  async function look() {
    world.clock.advance(1000);
    const ready = await world.ask('GET', '/ready');
    const health = await world.ask('GET', '/health');
    expect(health.status).to.equal(200);
    const { text } = (await world.ask('GET', '/metrics')).body as { text: string };
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { ready, health: health.body, value };
  }
  /** The log lines about outages, each as level, part and reason. */
  const outages = () =>
    world.logged
      .filter(({ part }) => part !== undefined)
      .map(({ level, part, reason }) => [level, part, reason].filter(Boolean).join(' '));
  /** Runs the work 8 times in parallel, so that it uses several sessions of the pool. */
  const all = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work));
  const write = (name: string) =>
    runSql(world.deps, 'insert into setting (name, value) values ($1, $1) on conflict do nothing', [name]);

  beforeEach(() => void world.logged.splice(0));

  it('is read-only while the database takes no writes, and ok once it takes them again in all sessions', async () => {
    expect((await look()).ready.status).to.equal(200);
    world.deps.databasePool?.renew();
    await set('default_transaction_read_only', 'on');
    expect(outageOf(await thrownBy(write('refused')))).to.include({ code: 'DATABASE_UNAVAILABLE' });
    expect(world.deps.outages.needsLook(), 'a refused write asks for a look').to.equal(true);
    const detail = 'the database is read-only';
    for (const time of ['first', 'second']) {
      const { ready, health, value } = await look();
      expect(ready.status, time).to.equal(503);
      expect(ready.body.database).to.deep.equal({ state: 'read-only', detail });
      expect(ready.body.index).to.include({ state: 'still', detail });
      expect(health).to.include({ database: 'read-only', index: 'still' });
      const values = ['ready', 'database_up', 'database_read_only', 'database_full', 'index_fault'];
      expect(values.map((name) => value(`curvet_${name}`))).to.deep.equal([0, 1, 1, 0, 0]);
      // Reads still work. They also open sessions, which stay read-only to their end.
      await all(() => world.deps.sql('select 1'));
    }
    expect(world.deps.outages.needsLook(), 'the next look is soon').to.equal(true);

    await set('default_transaction_read_only', 'off');
    const { ready, health, value } = await look();
    expect([ready.status, ready.body.database, health.database]).to.deep.equal([200, { state: 'ok' }, 'ok']);
    expect(value('curvet_database_read_only')).to.equal(0);
    await all(() => write('accepted'));
    expect(outages()).to.deep.equal([`40 database writes ${detail}`, '30 database writes']);
    expect(world.deps.outages.needsLook()).to.equal(false);
  });

  it('is full after a write that found no space, and ok once there is space again', async () => {
    const noSpace = () =>
      thrownBy(runSql(world.deps, `do $$ begin raise exception 'no space' using errcode = 'disk_full'; end $$`));
    await noSpace();
    expect(world.deps.outages.needsLook(), 'a refused write asks for a look').to.equal(true);
    expect((await look()).ready.status, 'the disk has space').to.equal(200);

    // The database can no longer store a temporary file, as on a full disk.
    await set('temp_file_limit', '0');
    world.deps.databasePool?.renew();
    expect((await look()).ready.status, 'no write has failed').to.equal(200);
    await noSpace();
    const detail = 'the disk of the database is full';
    for (const time of ['first', 'second']) {
      const { ready, health, value } = await look();
      expect([ready.status, ready.body.database], time).to.deep.equal([503, { state: 'full', detail }]);
      expect(ready.body.index).to.include({ state: 'ok' });
      expect(health).to.include({ database: 'full' });
      const values = ['ready', 'database_up', 'database_read_only', 'database_full'];
      expect(values.map((name) => value(`curvet_${name}`))).to.deep.equal([0, 1, 0, 1]);
      // A small write may succeed, because the files of the tables have free space.
      await write(time);
    }

    await set('temp_file_limit', '-1');
    world.deps.databasePool?.renew();
    const { ready, value } = await look();
    expect([ready.status, ready.body.database, value('curvet_database_full')]).to.deep.equal([200, { state: 'ok' }, 0]);
    expect(outages()).to.deep.equal([`40 database writes ${detail}`, '30 database writes']);
  });

  describe('with an index behind the chain', () => {
    const times = manualTimes();
    const indexed = async () => (await readCursor(world.deps)).blockNumber;
    const mine = (blocks: number) => world.chain.provider.send('anvil_mine', [`0x${blocks.toString(16)}`]);
    /** Advances the time. Returns the status of /ready, and the state of the index with its detail. */
    async function stateAfter(seconds: number) {
      times.advance(seconds * 1000);
      const { ready, health } = await look();
      const { state, detail } = ready.body.index as { state: string; detail?: string };
      expect(health.index).to.equal(state);
      return [ready.status, state, ...(detail === undefined ? [] : [detail])];
    }
    const timed = (work: () => Promise<void>) => replacing(world, { times }, work);

    it('is "still" after a minute without an indexed block, and ok once one is indexed', () =>
      timed(async () => {
        await catchUp(world.deps, await world.deps.chain.blockNumber());
        expect(await stateAfter(1000), 'nothing to index').to.deep.equal([200, 'ok']);
        await mine(5);
        expect(await stateAfter(1000)).to.deep.equal([200, 'ok']);
        await mine(5);
        expect(await stateAfter(59)).to.deep.equal([200, 'ok']);
        expect(await stateAfter(1)).to.deep.equal([503, 'still', 'no block was indexed for 60 s']);
        expect(await stateAfter(9)).to.deep.equal([503, 'still', 'no block was indexed for 69 s']);
        expect((await look()).value('curvet_index_still')).to.equal(1);
        await catchUp(world.deps, (await indexed()) + 1);
        expect(await stateAfter(0)).to.deep.equal([200, 'ok']);
        expect((await look()).value('curvet_index_still')).to.equal(0);
        expect(outages()).to.deep.equal(['40 index no block was indexed for 60 s', '30 index']);
      }));

    it('is ok while the index catches up, or if it waits only for CONFIRMATIONS', () =>
      timed(async () => {
        for (let i = 0; i < 4; i++) {
          expect(await stateAfter(59)).to.deep.equal([200, 'ok']);
          await catchUp(world.deps, (await indexed()) + 1);
        }
        const lag = (await world.deps.chain.blockNumber()) - (await indexed());
        const ofConfirmations = (confirmations: number) =>
          replacing(world, { config: { ...world.deps.config, confirmations } }, async () => {
            await stateAfter(0);
            return stateAfter(1000);
          });
        expect(lag).to.be.above(0);
        expect(await ofConfirmations(lag)).to.deep.equal([200, 'ok']);
        expect((await ofConfirmations(lag - 1))[1]).to.equal('still');
      }));

    it('counts the minute anew after the chain was unavailable', () =>
      timed(async () => {
        await catchUp(world.deps, await world.deps.chain.blockNumber());
        await mine(2);
        expect(await stateAfter(0)).to.deep.equal([200, 'ok']);
        const head = () => Promise.reject(new AppError('CHAIN_UNAVAILABLE'));
        const away = () => replacing(world, { chain: { ...world.deps.chain, head } }, () => stateAfter(1000));
        expect(await away()).to.deep.equal([503, 'ok']);
        expect(await stateAfter(1)).to.deep.equal([200, 'ok']);
      }));
  });
});
