// CI: it starts the runner as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasRedis } from '../faults/support/redis.js';
import { childEnvironment, INTERRUPTIONS } from '../support/processes.js';
import { endProcesses, eventually, freshDirectory, isAlive, root } from '../support/service/process.js';

/** The worker, its chain, its program and its Redis. */
const LEFT = hasRedis() ? 4 : 3;
const FIXTURE = 'test/scripts/leftover.fixture';

function startRunner(end: string): { runner: ChildProcess; pids: () => number[] } {
  const file = join(freshDirectory(), 'pids');
  const runner = spawn(join(root, 'bin/node'), [join(root, 'dist/scripts/test.js'), FIXTURE], {
    env: childEnvironment({ LEFTOVER_PIDS: file, LEFTOVER_END: end }),
    stdio: 'ignore',
  });
  return { runner, pids: () => readFileSync(file, 'utf8').split(' ').map(Number) };
}

describe('a test run that leaves a chain and a program behind', () => {
  after(endProcesses);

  const leftNothing = async (pids: readonly number[]) => {
    await eventually(() => !pids.some(isAlive), 'a process is left');
    const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith('curvet_test_'));
    await eventually(() => files().length === 0, 'the files of the run are left');
  };

  for (const [end, code] of [
    ['pass', 0],
    ['fail', 1],
  ] as const) {
    it(`ends and deletes all of it when it exits with ${code}`, async () => {
      const { runner, pids } = startRunner(end);
      expect(await once(runner, 'exit')).to.deep.equal([code, null]);
      expect(pids().length).to.be.at.least(LEFT);
      await leftNothing(pids());
    });
  }

  for (const signal of [...INTERRUPTIONS, 'SIGKILL'] as const) {
    it(`ends and deletes all of it when it gets ${signal}`, async () => {
      const { runner, pids } = startRunner('wait');
      const started = () => {
        try {
          return pids().length >= LEFT;
        } catch {
          return false;
        }
      };
      await eventually(started, 'the fixture does not run');
      const exited = once(runner, 'exit');
      runner.kill(signal);
      expect(await exited).to.deep.equal(signal === 'SIGKILL' ? [null, signal] : [130, null]);
      await leftNothing(pids());
    });
  }
});
