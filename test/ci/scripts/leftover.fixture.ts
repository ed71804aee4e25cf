// A test that runner.test.ts runs. It leaves processes behind that the runner could miss: a chain, which has its own process group;
// Redis, which overwrites the environment in which the runner looks for the name of the run; and a program. It writes all their ids
// to the file that `LEFTOVER_PIDS` names.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { testChain } from '../../support/chain/chain.js';
import { childEnvironment } from '../../support/processes.js';
import { hasRedis, RedisServer } from '../../support/servers/redis.js';

it('the fixture ends in the way that a variable says', async () => {
  await testChain();
  if (hasRedis()) await RedisServer.start();
  spawn(process.execPath, ['-e', 'require("node:net").createServer().listen(0)'], {
    detached: true,
    env: childEnvironment(),
  });
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  writeFileSync(String(process.env.LEFTOVER_PIDS), [process.pid, ...children].join(' '));
  if (process.env.LEFTOVER_END === 'fail') throw new Error('as the variable says');
  if (process.env.LEFTOVER_END === 'wait') await new Promise(() => {});
});
