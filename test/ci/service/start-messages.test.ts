import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { checkConfigCommand } from '../../../src/cli/commands/check-config.js';
import { serviceUntil } from '../../../src/cli/serve.js';
import { readConfig } from '../../../src/config/config.js';
import { startService } from '../../../src/service/service.js';
import { CHAIN_ID, testChain } from '../../support/chain/chain.js';
import { deployEarlierMarket } from '../../support/chain/earlier-market.js';
import { answers, FakeNode, refusing } from '../../support/chain/node.js';
import { hasRedis, RedisServer } from '../../support/servers/redis.js';
import { callProgram } from '../../support/service/command.js';
import { listen } from '../../support/service/listen.js';
import { chainPid, chainPort, endProcesses, freshDirectory, isAlive, replicaEnv } from '../../support/service/process.js';
import { TIMEOUT_FACTOR, testTimes } from '../../support/times.js';

const NO_CODE = `0x${'12'.repeat(20)}`;

describe('a start of the service', () => {
  let directory: string;
  let outside: ReturnType<typeof replicaEnv> & { readonly EMBEDDED: string };

  before(async () => {
    directory = freshDirectory();
    outside = { ...replicaEnv(await testChain()), EMBEDDED: '1' };
  });
  after(endProcesses);

  /** Checks that the service ends with code 1, and with one line on stderr for each fault. Returns the lines. */
  const refusal = async (env: Record<string, string>): Promise<string> => {
    const place = { HOST: '127.0.0.1', PORT: '0', CHAIN_PORT: chainPort(), DATA_DIR: directory };
    const ready = new AbortController();
    const settings = { ...place, ...env, LOG_LEVEL: 'silent' };
    const { code, stdout, stderr } = await callProgram(serviceUntil(ready.signal), [], settings, () => ready.abort());
    expect([code, stdout], stderr).to.deep.equal([1, '']);
    expect(stderr).to.match(/^(curvet: [^\n]+\n)+$/);
    return stderr.replace(/^curvet: /gm, '').trimEnd();
  };

  it('names all invalid variables before it creates any file', async () => {
    const untouched = join(directory, 'not made');
    expect(await refusal({ PORT: 'four', DATA_DIR: untouched })).to.equal(
      'PORT: "four" is not accepted; it must be an integer from 0 to 65535',
    );
    expect(await refusal({ RPC_URL: outside.RPC_URL, DATA_DIR: untouched })).to.match(
      /^CONTRACT_ADDRESS: not set; .+\nSOCIAL_TEXT_PROXY: not set; .+\nDATABASE_URL: not set; .+$/,
    );
    const database = 'postgresql://127.0.0.1:1/none';
    expect(await refusal({ NODE_ENV: 'production', DATABASE_URL: database, DATA_DIR: untouched })).to.match(
      /^RPC_URL: not set; .+ when NODE_ENV is production; EMBEDDED=1 says that the embedded chain is meant$/,
    );
    expect(existsSync(untouched)).to.equal(false);
  });

  it('names DATA_DIR when it is a file', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: file })).to.match(/^DATA_DIR: ".*file" cannot be written: EEXIST/);
    expect(await refusal({ DATA_DIR: join(file, 'below') })).to.match(/^DATA_DIR: ".*below" cannot be written: ENOTDIR/);
  });

  it('names PORT and METRICS_PORT when they are in use', async () => {
    const other = createServer();
    const { port } = new URL(await listen(other));
    try {
      for (const name of ['PORT', 'METRICS_PORT']) {
        const next = Number(port) + 1;
        expect(await refusal({ [name]: port })).to.match(
          new RegExp(`^${name}: ${port} on .+ is in use; Curvet may run there already, and ${name}=${next} chooses another port$`),
        );
        expect(isAlive(chainPid(directory))).to.equal(false);
      }
    } finally {
      other.close();
    }
  });

  it('names CHAIN_ID when an RPC URL is on another chain, and CONTRACT_ADDRESS when it has no code', async () => {
    const other = await new FakeNode(answers('0x1')).open();
    const RPC_URL = `${outside.RPC_URL},${await refusing()},${other.url}`;
    for (const [change, line] of [
      [{ CHAIN_ID: '8453' }, 'CHAIN_ID: 8453, but RPC_URL is on chain 84532'],
      [{ RPC_URL }, 'CHAIN_ID: 84532, but RPC_URL (URL 3) is on chain 1'],
      [{ CONTRACT_ADDRESS: NO_CODE }, `CONTRACT_ADDRESS: "${NO_CODE}" has no code on chain 84532`],
    ] as const)
      expect(await refusal({ ...outside, ...change })).to.equal(line);
    await other.stop();
  });

  /** Starts and stops the service on the external chain. Returns its log lines of level warn or higher. */
  const warnings = async (env: Record<string, string>) => {
    const logged: { level: number; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    const place = { PORT: '0', DATA_DIR: freshDirectory(), TIMEOUT_FACTOR };
    await (await startService(readConfig({ ...outside, ...place, ...env }), log)).stop();
    return logged.map(({ level, msg }) => `${level} ${msg}`);
  };

  it('logs the warnings of check-config', async () => {
    const env = { ...outside, NODE_ENV: 'production', CORS_ORIGIN: 'https://a.test' };
    const { stdout: checked } = await callProgram(checkConfigCommand, [], env);
    const ready = new AbortController();
    const settings = { ...env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: freshDirectory() };
    const { stdout } = await callProgram(serviceUntil(ready.signal), [], settings, (text) => {
      if (text.includes('Curvet is ready')) ready.abort();
    });
    const lines = stdout.trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(logged.map(({ variable }) => variable)).to.deep.equal(['CORS_ORIGIN', 'REGISTRATION_SIGNATURE', 'PUBLIC_URL']);
    for (const { msg } of logged) expect(checked).to.include(`curvet: warning: ${msg}`);
  });

  describe('with Redis', () => {
    let redis: RedisServer;
    before(async function () {
      if (!hasRedis()) return this.skip();
      redis = await RedisServer.start('the-right-one');
      const admin = new Redis(redis.url);
      // The user `reader` may log in, but not run scripts, which the rate limits need.
      await admin.call('ACL', 'SETUSER', 'reader', 'on', '>another-one', '~*', '&*', '+@all', '-@scripting');
      await admin.quit();
    });
    after(() => redis?.stop());

    it('names REDIS_URL when Redis refuses the login, without the password', async () => {
      for (const [url, says] of [
        [redis.urlWith('a-wrong-one'), 'WRONGPASS '],
        [redis.urlWith('a-wrong-one', 'nobody'), 'WRONGPASS '],
        [redis.urlWith(''), 'NOAUTH '],
        [redis.urlWith('another-one', 'reader'), 'NOPERM '],
      ] as const) {
        const line = await refusal({ ...outside, REDIS_URL: url });
        expect(line, url).to.match(new RegExp(`^REDIS_URL: the value is not accepted; the server says: ${says}[^\n]+$`));
        expect(line).not.to.match(/a-wrong-one|another-one/);
      }
    });

    it('goes on without a warning if the login is right, and with one if Redis is unavailable', async () => {
      const quiet = { REGISTRATION_SIGNATURE: 'required' };
      expect(await warnings({ ...quiet, REDIS_URL: redis.url })).to.deep.equal([]);
      expect(await warnings({ ...quiet, REDIS_URL: 'redis://:a-wrong-one@127.0.0.1:1' })).to.deep.equal([
        '40 a part is unavailable',
      ]);
    });
  });

  it('warns once that the contract has no deadlines', async () => {
    const provider = new RpcProvider([outside.RPC_URL], CHAIN_ID, testTimes);
    // Account 7 deploys the contract, because the other tests count the nonces of the first account.
    const CONTRACT_ADDRESS = await deployEarlierMarket(provider, 7).finally(() => provider.destroy());
    const [warning, ...others] = await warnings({ CONTRACT_ADDRESS, REGISTRATION_SIGNATURE: 'required' });
    expect(others).to.deep.equal([]);
    expect(warning).to.match(
      /^40 the contract was deployed by an earlier version: quotes with a deadline are refused; .* has all functions$/,
    );
    expect(warning).not.to.contain('DATA_DIR');
  });
});
