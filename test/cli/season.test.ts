import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createDatabase, serverUrl } from '../support/database.js';
import { runCommand } from '../support/service/command.js';
import { endProcesses, run, usedDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

const season = (args: readonly string[], environment: Record<string, string>) =>
  runCommand('dist/src/cli/season.js', args, environment);

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The parsed output of a command, from the database or the service, depending on the environment. */
async function answer(environment: Record<string, string>, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, error } = await season(args, environment);
  expect(code, error).to.equal(0);
  return JSON.parse(out);
}

describe('npm run season', () => {
  const world = useWorld();
  let directory: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'curvet-season-'));
  });
  after(async () => {
    await endProcesses();
    rmSync(directory, { recursive: true, force: true });
  });

  it('runs on the database when no service is running', async () => {
    const environment = {
      DATA_DIR: directory,
      ...(serverUrl === undefined ? {} : { DATABASE_URL: await createDatabase(serverUrl) }),
      RPC_URL: world.chain.rpcUrl,
      CONTRACT_ADDRESS: world.chain.contract,
      SOCIAL_TEXT_PROXY: 'http://posts.test/{url}',
      START_BLOCK: '1',
      SEASON_DAYS: '0',
    };
    const dates = { startDate: `${inDays(-1)}T00:00:00.000Z`, endDate: `${inDays(3)}T00:00:00.000Z` };
    const open = { number: 1, ...dates, isActive: true, isFrozen: false };
    expect(await answer(environment, 'start', inDays(-1), inDays(3))).to.deep.equal({ season: open });
    expect(await answer(environment, 'score')).to.deep.equal({ scored: [{ number: 1, agents: 0, isFrozen: false }] });
    expect(await answer(environment, 'list')).to.deep.equal({ seasons: [{ ...open, agentCount: 0 }] });
    expect((await answer(environment, 'end', '1')).season).to.include({ number: 1, isActive: false });
  });

  it('calls the running service with its CRON_SECRET', async () => {
    const data = await usedDirectory();
    const secret = { CRON_SECRET: 'a secret of the tests, long enough' };
    const service = run({ env: { DATA_DIR: data, ...secret } });
    await service.ready();
    const refused = await season(['score'], { DATA_DIR: data });
    expect([refused.code, refused.error]).to.deep.equal([
      1,
      `curvet: DATA_DIR: "${data}" is in use by another process: stop the service, or set CRON_SECRET to its value\n`,
    ]);
    const wrong = await season(['score'], {
      DATA_DIR: data,
      PUBLIC_URL: service.url,
      CRON_SECRET: 'some other secret',
    });
    expect([wrong.code, wrong.error]).to.deep.equal([
      1,
      'curvet: Invalid credentials. Send the configured secret or signature.\n',
    ]);
    const environment = { DATA_DIR: data, PUBLIC_URL: service.url, ...secret };
    // The service started season 1 at its first start.
    expect(((await answer(environment, 'list')).seasons as object[])[0]).to.include({ number: 1, isActive: true });
    expect(await answer(environment, 'score')).to.deep.equal({ scored: [{ number: 1, agents: 0, isFrozen: false }] });
    const overlap = await season(['start', inDays(0), inDays(1)], environment);
    expect([overlap.code, overlap.error]).to.deep.equal([
      1,
      'curvet: Season overlaps. Choose dates that no other season covers.\n',
    ]);
    expect((await answer(environment, 'end', '1')).season).to.include({ number: 1, isActive: false });
    await service.stop();
  });

  it('prints its usage', async () => {
    for (const args of [
      [],
      ['score', 'all'],
      ['end'],
      ['end', 'one'],
      ['start', '2026-01-01'],
      ['start', 'now', 'then'],
    ]) {
      const { code, error } = await season(args, { DATA_DIR: directory });
      expect(code).to.equal(1);
      expect(error).to.match(/^usage: npm run season -- list\n/);
    }
  });
});
