import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../src/store/database.js';
import { createDatabase, serverUrl } from '../support/database.js';
import { runCommand } from '../support/service/command.js';
import { endProcesses, run, usedDirectory } from '../support/service/process.js';

const moderate = (args: readonly string[], environment: Record<string, string>) =>
  runCommand('dist/src/cli/moderate.js', args, environment);

describe('npm run moderate', () => {
  let directory: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'curvet-moderate-'));
  });
  after(async () => {
    await endProcesses();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Registers an agent with a picture in the database that the environment names. */
  async function addAgent(target: { url: string } | { directory: string }): Promise<void> {
    const orm = await openDatabase(target);
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
    const url = serverUrl === undefined ? undefined : await createDatabase(serverUrl);
    const environment: Record<string, string> = {
      DATA_DIR: directory,
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    };
    const list = await moderate(['list'], environment);
    expect([list.code, JSON.parse(list.out)], list.error).to.deep.equal([0, { actions: [] }]);
    await addAgent(url === undefined ? { directory: join(directory, 'database') } : { url });
    const agent = `0x${'1'.repeat(40)}`;
    for (const changed of [true, false]) {
      const { code, out, error } = await moderate(['hide', 'avatar', 'scout', 'Not its own'], environment);
      expect([code, JSON.parse(out)], error).to.deep.equal([0, { changed, agent }]);
    }
    const neutral = 'https://pictures.example/neutral.png';
    expect((await moderate(['rename-avatar', agent, neutral, 'Neutral', '--by', 'ann'], environment)).code).to.equal(0);
    expect((await moderate(['restore', 'avatar', 'Scout', 'Settled'], environment)).code).to.equal(0);
    const { actions } = JSON.parse((await moderate(['list'], environment)).out);
    const user = userInfo().username;
    expect(
      actions.map(({ action, operator, reason, avatarUrl }: Record<string, unknown>) => [
        action,
        operator,
        reason,
        avatarUrl,
      ]),
    ).to.deep.equal([
      ['restore', user, 'Settled', null],
      ['rename-avatar', 'ann', 'Neutral', neutral],
      ['hide', user, 'Not its own', null],
    ]);
    const unknown = await moderate(['hide', 'texts', 'nobody', 'x'], environment);
    expect([unknown.code, unknown.error]).to.deep.equal([
      1,
      'curvet: Agent not found. Check the address or agentId; GET /api/search finds agents by name.\n',
    ]);
  });

  it('calls the running service that holds the embedded database', async () => {
    const data = await usedDirectory();
    const secret = { CRON_SECRET: 'a secret of the tests, long enough' };
    const service = run({ env: { DATA_DIR: data, ...secret } });
    await service.ready();
    const refused = await moderate(['list'], { DATA_DIR: data });
    expect([refused.code, refused.error]).to.deep.equal([
      1,
      `curvet: DATA_DIR: "${data}" is in use by another process: stop the service, or set CRON_SECRET to its value\n`,
    ]);
    const environment = { DATA_DIR: data, PUBLIC_URL: service.url, ...secret };
    const list = await moderate(['list'], environment);
    expect([list.code, JSON.parse(list.out)], list.error).to.deep.equal([0, { actions: [] }]);
    const unknown = await moderate(['hide', 'post', 'x', 'x'], environment);
    expect([unknown.code, unknown.error.split('.')[0]]).to.deep.equal([1, 'curvet: Post not found']);
    await service.stop();
  });

  it('prints its usage', async () => {
    const wrong = [
      [],
      ['list', 'all'],
      ['hide'],
      ['hide', 'name', 'scout', 'x'],
      ['hide', 'post', 'x'],
      ['list', '--all'],
    ];
    for (const args of [...wrong, ['rename-avatar', 'scout', 'x'], ['delete', 'post', 'x', 'x']]) {
      const { code, error } = await moderate(args, { DATA_DIR: directory });
      expect([code, error.split('\n')[0]], args.join(' ')).to.deep.equal([
        1,
        'usage: npm run moderate -- hide post <id> <reason>',
      ]);
    }
  });
});
