// Nightly: it depends on real time.
import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import { ensureCursor, readCursor } from '../../src/core/trading/commands/cursor.js';
import { CHAIN_ID } from '../support/chain/chain.js';
import { storedFacts } from '../support/chain/facts.js';
import { emptyTables, serverUrl, testDatabase } from '../support/database.js';
import { oracle } from '../support/market/oracle.js';
import { seeded, startTraffic, type Traffic } from '../support/market/traffic.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

// Replicas are processes that a test kills. They need a PostgreSQL server, because the embedded database has one
// process.
if (serverUrl !== undefined) {
  describe('replicas that index', () => {
    const world = useWorld();
    const children: ChildProcess[] = [];
    let traffic: Traffic;

    beforeEach(async () => {
      const { orm } = await testDatabase();
      await Promise.all([emptyTables(orm), world.chain.reset()]);
      await ensureCursor(world.deps, async () => 1);
      traffic = await startTraffic(world.chain, 11);
    });
    afterEach(async () => {
      for (const child of children.splice(0)) await kill(child);
    });

    async function startReplica(blocksAtOnce: number): Promise<ChildProcess> {
      const { url } = await testDatabase();
      const program = new URL('./replica.js', import.meta.url).pathname;
      const { rpcUrl, contract } = world.chain;
      const given = [String(url), rpcUrl, contract, String(CHAIN_ID), String(blocksAtOnce)];
      const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      await new Promise<void>((resolve, reject) => {
        child.stdout?.once('data', () => resolve());
        child.once('exit', () => reject(new Error('the replica exited')));
      });
      return child;
    }

    async function kill(child: ChildProcess): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }

    const head = (): Promise<number> => world.deps.market.blockNumber();
    const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

    const reaches = (block: number): Promise<void> =>
      eventually(
        async () => (await readCursor(world.deps)).blockNumber >= block,
        `the index does not reach block ${block}`,
      );

    async function expectWhole(): Promise<void> {
      const { facts } = await world.deps.market.range(1, await head());
      expect(await storedFacts(world.deps)).to.deep.equal(oracle(facts));
    }

    /** The backend pids of the connections that hold the leader lock. */
    async function leaders(): Promise<number[]> {
      const rows = await world.deps.sql<{ pid: number }>(
        `select l.pid from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
         where locktype = 'advisory' and granted and objid = 4711`,
      );
      return rows.map(({ pid }) => pid);
    }

    it('lose and duplicate no fact when they are killed at random times', async () => {
      await traffic.act(60);
      const random = seeded(3);
      let kills = 0;
      for (; kills < 6 && (await readCursor(world.deps)).blockNumber < (await head()); kills++) {
        const { blockNumber } = await readCursor(world.deps);
        const child = await startReplica(1);
        await reaches(blockNumber + 1);
        await pause(random() * 60);
        await kill(child);
      }
      expect(kills).to.be.greaterThan(1);
      await startReplica(1000);
      await reaches(await head());
      await expectWhole();
    });

    it('index one at a time, and another takes over within 10 s after a kill', async () => {
      const first = await startReplica(1000);
      while ((await leaders()).length === 0) await pause(20);
      const second = await startReplica(1000);
      const led = await leaders();
      await traffic.act(5);
      await reaches(await head());
      expect(await leaders()).to.deep.equal(led);
      await kill(first);
      const died = Date.now();
      await traffic.act(5);
      await reaches(await head());
      expect(Date.now() - died).to.be.lessThan(10_000);
      expect(await leaders())
        .to.have.length(1)
        .and.not.deep.equal(led);
      // The server terminates the leader's connection. The same or another replica becomes the leader.
      await world.deps.sql('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [await leaders()]);
      await traffic.act(5);
      await reaches(await head());
      expect(second.exitCode).to.equal(null);
      await expectWhole();
    });
  });
}
