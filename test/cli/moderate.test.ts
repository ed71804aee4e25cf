// Server, CI: it starts a program, which works on PostgreSQL if DATABASE_URL is set.
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { main } from '../../src/cli/commands/moderate.js';
import { lockDirectory } from '../../src/store/data-directory.js';
import { openDatabase } from '../../src/store/database.js';
import { createDatabase, serverUrl } from '../support/database.js';
import { callProgram } from '../support/service/command.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { testTimes } from '../support/times.js';
import { useWorld } from '../support/world.js';

const SECRET = 'a-secret-of-the-tests-long-enough';

describe('npm run moderate', () => {
  const world = useWorld({ CRON_SECRET: SECRET });
  let env: Record<string, string>;
  const moderate = (...args: string[]) => callProgram(main, args, env);

  beforeEach(() => {
    env = { DATA_DIR: freshDirectory() };
  });
  after(endProcesses);

  /** The parsed output of a command that succeeds. */
  async function answer(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await moderate(...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }

  /** Registers an agent with a picture in the database that the environment names. */
  async function addAgent(): Promise<void> {
    const orm = await openDatabase(
      env.DATABASE_URL === undefined ? { directory: join(env.DATA_DIR ?? '', 'database') } : { url: env.DATABASE_URL },
      { times: testTimes },
    );
    await orm.em
      .fork()
      .getConnection()
      .execute(
        `insert into agent (wallet, name, agent_id, api_key_hash, verification_code, registration_ip, avatar_url, created_at)
         values (?, 'Scout', 'scout', ?, 'T-1', ?, 'https://pictures.example/x.png', now())`,
        [`0x${'1'.repeat(40)}`, Buffer.from('1'), Buffer.from('1')],
      );
    await orm.close(true);
  }

  it('works on the database when no service runs, and prints what happened', async () => {
    if (serverUrl !== undefined) env.DATABASE_URL = await createDatabase(serverUrl);
    expect(await answer('list')).to.deep.equal({ actions: [] });
    await addAgent();
    const agent = `0x${'1'.repeat(40)}`;
    for (const changed of [true, false]) {
      expect(await answer('hide', 'avatar', 'scout', 'Not its own')).to.deep.equal({ changed, agent });
    }
    const neutral = 'https://pictures.example/neutral.png';
    await answer('rename-avatar', agent, neutral, 'Neutral', '--by', 'ann');
    await answer('restore', 'avatar', 'Scout', 'Settled');
    const user = userInfo().username;
    const actions = (await answer('list')).actions as Record<string, unknown>[];
    expect(
      actions.map(({ action, operator, reason, avatarUrl }) => [action, operator, reason, avatarUrl]),
    ).to.deep.equal([
      ['restore', user, 'Settled', null],
      ['rename-avatar', 'ann', 'Neutral', neutral],
      ['hide', user, 'Not its own', null],
    ]);
    expect(await moderate('hide', 'texts', 'nobody', 'x')).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'curvet: Agent not found. Check the address or agentId; GET /api/search finds agents by name.\n',
    });
  });

  it('calls the running service that holds the embedded database', async () => {
    const unlock = lockDirectory(env.DATA_DIR ?? '', pino({ level: 'silent' }));
    try {
      expect(await moderate('list')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `curvet: DATA_DIR: "${env.DATA_DIR}" is in use by another process: stop the service, or set CRON_SECRET to its value\n`,
      });
      Object.assign(env, { PUBLIC_URL: world.url, CRON_SECRET: SECRET });
      expect(await answer('list')).to.deep.equal({ actions: [] });
      const unknown = await moderate('hide', 'post', 'x', 'x');
      expect([unknown.code, unknown.stderr.split('.')[0]]).to.deep.equal([1, 'curvet: Post not found']);
    } finally {
      unlock();
    }
  });

  for (const args of [
    [],
    ['list', 'all'],
    ['hide'],
    ['hide', 'name', 'scout', 'x'],
    ['hide', 'post', 'x'],
    ['list', '--all'],
    ['rename-avatar', 'scout', 'x'],
    ['delete', 'post', 'x', 'x'],
  ]) {
    it(`prints its usage instead of running ${JSON.stringify(args.join(' '))}`, async () => {
      const { code, stdout, stderr } = await moderate(...args);
      expect([code, stdout, stderr.split('\n')[0]]).to.deep.equal([
        1,
        '',
        'usage: npm run moderate -- hide post <id> <reason>',
      ]);
    });
  }
});
