// Server, CI: it starts a program, which works on PostgreSQL if DATABASE_URL is set.
import { expect } from 'chai';
import { pino } from 'pino';
import { main } from '../../src/cli/commands/season.js';
import { lockDirectory } from '../../src/store/data-directory.js';
import { createDatabase, serverUrl } from '../support/database.js';
import { callProgram } from '../support/service/command.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

const SECRET = 'a-secret-of-the-tests-long-enough';

describe('npm run season', () => {
  const world = useWorld({ CRON_SECRET: SECRET });
  let env: Record<string, string>;
  const season = (...args: string[]) => callProgram(main, args, env);

  beforeEach(() => {
    env = { DATA_DIR: freshDirectory() };
  });
  after(endProcesses);

  /** The parsed output of a command that succeeds. */
  async function answer(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await season(...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }

  /** Starts, scores, lists and ends a season that is active at the time. */
  async function useEachCommand(now: Date): Promise<void> {
    const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const dates = { startDate: `${inDays(-1)}T00:00:00.000Z`, endDate: `${inDays(3)}T00:00:00.000Z` };
    const open = { number: 1, ...dates, isActive: true, isFrozen: false };
    expect(await answer('start', inDays(-1), inDays(3))).to.deep.equal({ season: open });
    expect(await answer('score')).to.deep.equal({ scored: [{ number: 1, agents: 0, isFrozen: false }] });
    expect(await answer('list')).to.deep.equal({ seasons: [{ ...open, agentCount: 0 }] });
    expect((await season('start', inDays(0), inDays(1))).stderr).to.equal(
      'curvet: Season overlaps. Choose dates that no other season covers.\n',
    );
    expect((await answer('end', '1')).season).to.include({ number: 1, isActive: false });
  }

  it('runs on the database when no service is running', async () => {
    if (serverUrl !== undefined) env.DATABASE_URL = await createDatabase(serverUrl);
    Object.assign(env, {
      EMBEDDED: '1',
      RPC_URL: world.chain.rpcUrl,
      CONTRACT_ADDRESS: world.chain.contract,
      SOCIAL_TEXT_PROXY: 'http://posts.test/{url}',
      START_BLOCK: '1',
      SEASON_DAYS: '0',
    });
    await useEachCommand(new Date());
  });

  it('calls the running service with its CRON_SECRET', async () => {
    const unlock = lockDirectory(env.DATA_DIR ?? '', pino({ level: 'silent' }));
    try {
      expect(await season('score')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `curvet: DATA_DIR: "${env.DATA_DIR}" is in use by another process: stop the service, or set CRON_SECRET to its value\n`,
      });
      Object.assign(env, { PUBLIC_URL: world.url, CRON_SECRET: 'some-other-secret' });
      expect(await season('score')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: 'curvet: Invalid credentials. Send the configured secret or signature.\n',
      });
      env.CRON_SECRET = SECRET;
      await useEachCommand(world.clock.now());
    } finally {
      unlock();
    }
  });

  for (const args of [
    [],
    ['score', 'all'],
    ['end'],
    ['end', 'one'],
    ['start', '2026-01-01'],
    ['start', 'now', 'then'],
  ]) {
    it(`prints its usage instead of running ${JSON.stringify(args.join(' '))}`, async () => {
      const { code, stdout, stderr } = await season(...args);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^usage: npm run season -- list\n/);
    });
  }
});
