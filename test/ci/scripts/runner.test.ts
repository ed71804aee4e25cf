import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { INTERRUPTIONS } from '../../support/processes.js';
import { hasRedis } from '../../support/servers/redis.js';
import { endProcesses, eventually, freshDirectory, isAlive, type Running, run } from '../../support/service/process.js';

/** Number of processes that the fixture leaves: the worker, its chain, its program, and Redis if it is installed. */
const LEFT = hasRedis() ? 4 : 3;
const FIXTURE = 'test/ci/scripts/leftover.fixture';

/**
 * Starts a test run of the fixture (leftover.fixture.ts). `end` says how the fixture ends. `pids` reads the ids of the processes
 * that it leaves.
 */
function startRunner(end: string): { runner: Running; pids: () => number[] } {
  const file = join(freshDirectory(), 'pids');
  const env = { LEFTOVER_PIDS: file, LEFTOVER_END: end };
  const runner = run({ program: ['../scripts/test.js', FIXTURE], env });
  return { runner, pids: () => readFileSync(file, 'utf8').split(' ').map(Number) };
}

describe('a test run that leaves a chain and a program behind', () => {
  after(endProcesses);

  const leftNothing = async (pids: readonly number[]) => {
    await eventually(() => !pids.some(isAlive), 'a process is left');
    const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith('curvet_test_'));
    await eventually(() => files().length === 0, 'the files of the run are left');
  };

  for (const [end, code] of Object.entries({ pass: 0, fail: 1 })) {
    it(`ends its processes and deletes its files when it exits with ${code}`, async () => {
      const { runner, pids } = startRunner(end);
      expect(await runner.exited).to.deep.equal({ code, signal: null });
      expect(pids().length).to.be.at.least(LEFT);
      await leftNothing(pids());
    });
  }

  for (const signal of [...INTERRUPTIONS, 'SIGKILL'] as const) {
    it(`ends its processes and deletes its files when it gets ${signal}`, async () => {
      const { runner, pids } = startRunner('wait');
      const started = () => {
        try {
          return pids().length >= LEFT;
        } catch {
          return false;
        }
      };
      await eventually(started, 'the fixture does not run');
      // The runner exits with 130 after any other signal. After SIGKILL it cannot clean up, and its worker does so instead.
      const exit = signal === 'SIGKILL' ? { code: null, signal } : { code: 130, signal: null };
      expect(await runner.stop(signal)).to.deep.equal(exit);
      await leftNothing(pids());
    });
  }
});
