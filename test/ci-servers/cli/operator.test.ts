import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { moderateCommand } from '../../../src/cli/commands/moderate.js';
import { reindexUntil } from '../../../src/cli/commands/reindex.js';
import { seasonCommand } from '../../../src/cli/commands/season.js';
import { openDatabase } from '../../../src/service/orm.js';
import { lockDirectory } from '../../../src/store/data-directory.js';
import { announced, freshSalt } from '../../support/chain/scripts.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { addAgent } from '../../support/market/rows.js';
import { childEnvironment } from '../../support/processes.js';
import { callProgram, type Outcome } from '../../support/service/command.js';
import { endProcesses, freshDirectory, replicaEnv, root } from '../../support/service/process.js';
import { storeOf } from '../../support/store.js';
import { TIMEOUT_FACTOR, testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

const SECRET = 'a-secret-of-the-tests-long-enough';

describe('the commands of the operator', () => {
  const world = useWorld({ CRON_SECRET: SECRET });
  let env: Record<string, string>;
  const season = (...args: string[]) => callProgram(seasonCommand, args, env);
  const moderate = (...args: string[]) => callProgram(moderateCommand, args, env);

  beforeEach(async () => {
    env = { DATA_DIR: freshDirectory() };
    if (serverUrl !== undefined) env.DATABASE_URL = await createDatabase(serverUrl);
  });
  after(endProcesses);

  /** Checks that the command succeeds, and returns its output as JSON. */
  async function answer(command: Promise<Outcome>): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await command;
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }
  /** Runs `work` as if the service at `world.url` used the data directory. The commands send `secret` as their CRON_SECRET. */
  async function besideService(secret: string, work: () => Promise<void>): Promise<void> {
    const unlock = lockDirectory(env.DATA_DIR ?? '', pino({ level: 'silent' }));
    env = { DATA_DIR: env.DATA_DIR ?? '', PUBLIC_URL: world.url, CRON_SECRET: secret };
    await work().finally(unlock);
  }

  /** Starts, scores, lists and ends a season that includes the time `now`, with one command for each step. */
  async function useEachCommand(now: Date): Promise<void> {
    const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const dates = { startDate: `${inDays(-1)}T00:00:00.000Z`, endDate: `${inDays(3)}T00:00:00.000Z` };
    const open = { number: 1, ...dates, isActive: true, isFrozen: false };
    expect(await answer(season('start', inDays(-1), inDays(3)))).to.deep.equal({ season: open });
    expect(await answer(season('score'))).to.deep.equal({ scored: [{ number: 1, agents: 0, isFrozen: false }] });
    expect(await answer(season('list'))).to.deep.equal({ seasons: [{ ...open, agentCount: 0 }] });
    expect((await season('start', inDays(0), inDays(1))).stderr).to.equal(
      'curvet: Season overlaps. Choose dates that no other season covers.\n',
    );
    expect((await answer(season('end', '1'))).season).to.include({ number: 1, isActive: false });
  }

  it('start, score, list and end seasons on the database when no service runs', async () => {
    // These commands use the real clock. A running service uses the clock of the test.
    Object.assign(env, { ...replicaEnv(world.chain), EMBEDDED: '1', SEASON_DAYS: '0' });
    await useEachCommand(new Date());
  });

  it('call the running service that holds the embedded database, with its CRON_SECRET', async () => {
    await besideService('some-other-secret', async () => {
      expect(await answer(season('list'))).to.deep.equal({ seasons: [] });
      expect(await season('score')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: 'curvet: Invalid credentials. Send the configured secret or signature.\n',
      });
    });
    await besideService(SECRET, async () => {
      await useEachCommand(world.clock.now());
      expect(await answer(moderate('list'))).to.deep.equal({ actions: [] });
      const unknown = await moderate('hide', 'post', 'x', 'x');
      expect([unknown.code, unknown.stderr.split('.')[0]]).to.deep.equal([1, 'curvet: Post not found']);
    });
  });

  /** Adds an agent with a picture to the database of the commands, and returns its wallet. */
  async function addScout(): Promise<string> {
    const orm = await openDatabase(
      env.DATABASE_URL === undefined ? { directory: join(env.DATA_DIR ?? '', 'database') } : { url: env.DATABASE_URL },
      { times: testTimes },
    );
    const deps = { ...world.deps, ...(await storeOf(orm)) };
    const { wallet } = await addAgent({ ...world, deps }, { name: 'Scout', avatarUrl: 'https://pictures.example/x.png' });
    await orm.close(true);
    return wallet;
  }

  it('hide, rename and restore content on the database when no service runs', async () => {
    expect(await answer(moderate('list'))).to.deep.equal({ actions: [] });
    const agent = await addScout();
    for (const changed of [true, false]) {
      expect(await answer(moderate('hide', 'avatar', 'scout', 'Not its own'))).to.deep.equal({ changed, agent });
    }
    const neutral = 'https://pictures.example/neutral.png';
    await answer(moderate('rename-avatar', agent, neutral, 'Neutral', '--by', 'ann'));
    await answer(moderate('restore', 'avatar', 'Scout', 'Settled'));
    const user = userInfo().username;
    const actions = (await answer(moderate('list'))).actions as Record<string, unknown>[];
    expect(actions.map(({ action, operator, reason, avatarUrl }) => [action, operator, reason, avatarUrl])).to.deep.equal([
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

  for (const [name, program, args] of [
    ['season', seasonCommand, ['list']],
    ['moderate', moderateCommand, ['list']],
    ['reindex', reindexUntil(AbortSignal.abort()), []],
  ] as const) {
    it(`log on stderr in the form of the service when ${name} runs`, async () => {
      const DATA_DIR = freshDirectory();
      // Each program logs a warning about a directory that other users can read.
      chmodSync(DATA_DIR, 0o755);
      const named = { OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=desk-7' };
      const settings = { ...replicaEnv(world.chain), EMBEDDED: '1', DATA_DIR, ...named };
      const { stderr } = await callProgram(program, args, settings);
      const { at, ...fields } = JSON.parse(stderr);
      expect(new Date(at).toISOString()).to.equal(at);
      expect(fields).to.include({ level: 40, instance: 'desk-7', pid: process.pid }).and.not.have.property('time');
      expect(fields.msg).to.match(/^DATA_DIR: \d+ files and directories were open to other users/);
    });
  }

  for (const [name, program, wrong] of [
    ['season -- list', seasonCommand, ['', 'score all', 'end', 'end one', 'start 2026-01-01', 'start now then']],
    [
      'moderate -- hide post <id> <reason>',
      moderateCommand,
      ['', 'list all', 'hide', 'hide name scout x', 'hide post x', 'list --all', 'rename-avatar scout x', 'delete post x x'],
    ],
  ] as const) {
    for (const args of wrong) {
      it(`print their usage instead of running ${name.split(' ')[0]} ${args}`, async () => {
        const { code, stdout, stderr } = await callProgram(program, args.split(' ').filter(Boolean), env);
        expect([code, stdout, stderr.split('\n')[0]]).to.deep.equal([1, '', `usage: npm run ${name}`]);
      });
    }
  }

  it('deploy the contract and verify it', () => {
    const env = { RPC_URL: world.chain.rpcUrl, SALT: freshSalt(), TIMEOUT_FACTOR };
    const run = (program: string, settings: Record<string, string>) =>
      spawnSync(process.execPath, [join(root, 'dist/scripts', program)], {
        encoding: 'utf8',
        env: childEnvironment({ ...env, ...settings }),
      });
    const deployed = run('deploy-contract.js', { DEPLOYER_KEY: devAccount(7).privateKey });
    expect(deployed.status, deployed.stderr).to.equal(0);
    const [, , address = ''] = announced.exec(deployed.stderr) ?? [];
    expect(deployed.stdout).to.match(new RegExp(`^CONTRACT_ADDRESS=${address}\nSTART_BLOCK=\\d+\n$`));
    const verified = run('verify-contract.js', { CONTRACT_ADDRESS: address });
    expect([verified.status, verified.stderr]).to.deep.equal([0, '']);
    expect(verified.stdout).to.match(/^The code at 0x\w+ is the build of/);
  });
});
