// Server: it behaves differently on PostgreSQL or Redis.
import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import { readCursor } from '../../src/index/cursor.js';
import { CHAIN_ID } from '../support/chain/chain.js';
import { emptyIndex, expectWholeIndex } from '../support/chain/indexed.js';
import { serverUrl, testDatabase } from '../support/database.js';
import { startTraffic, type Traffic } from '../support/market/traffic.js';
import { childEnvironment } from '../support/processes.js';
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
      await world.chain.reset();
      await emptyIndex(world.deps);
      traffic = await startTraffic(world.chain, 11);
    });
    afterEach(async () => {
      for (const child of children.splice(0)) await kill(child);
    });

    async function startReplica(dies = 0): Promise<ChildProcess> {
      const { url } = await testDatabase();
      const program = new URL('./replica.js', import.meta.url).pathname;
      const { rpcUrl, contract } = world.chain;
      const given = [String(url), rpcUrl, contract, String(CHAIN_ID), String(dies)];
      const child = spawn(process.execPath, [program, ...given], {
        env: childEnvironment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await new Promise<void>((resolve, reject) => {
        child.stdout?.once('data', () => resolve());
        child.once('close', () => reject(new Error('the replica exited')));
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

    const reaches = (block: number): Promise<void> =>
      eventually(
        async () => (await readCursor(world.deps)).blockNumber >= block,
        `the index does not reach block ${block}`,
      );

    /** The backend pids of the connections that hold the leader lock. */
    async function leaders(): Promise<number[]> {
      const rows = await world.deps.sql<{ pid: number }>(
        `select l.pid from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
         where locktype = 'advisory' and granted and objid = 4711`,
      );
      return rows.map(({ pid }) => pid);
    }

    it('lose and duplicate no fact when they are killed before and after commits', async () => {
      await traffic.act(60);
      for (const dies of [1, 2, 3, 4, 5, 6]) {
        const child = await startReplica(dies);
        await eventually(() => child.signalCode === 'SIGKILL', 'the replica does not kill itself');
        expect((await readCursor(world.deps)).blockNumber).to.be.lessThan(await head());
      }
      await startReplica();
      await reaches(await head());
      await expectWholeIndex(world.deps);
    });

    it('index one at a time, and another takes over after a kill', async () => {
      const first = await startReplica();
      await eventually(async () => (await leaders()).length > 0, 'no replica leads');
      const second = await startReplica();
      const led = await leaders();
      await traffic.act(5);
      await reaches(await head());
      expect(await leaders()).to.deep.equal(led);
      await kill(first);
      await traffic.act(5);
      await reaches(await head());
      expect(await leaders())
        .to.have.length(1)
        .and.not.deep.equal(led);
      // The server terminates the leader's connection. The same or another replica becomes the leader.
      await world.deps.sql('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [await leaders()]);
      await traffic.act(5);
      await reaches(await head());
      expect(second.exitCode).to.equal(null);
      await expectWholeIndex(world.deps);
    });
  });
}
