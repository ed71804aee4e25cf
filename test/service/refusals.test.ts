import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { answers, FakeNode, refusing } from '../chain/node.js';
import { testChain } from '../support/chain/chain.js';
import { endProcesses, freshDirectory, getJson, root, run, usedDirectory } from '../support/service/process.js';

const PROXY = 'https://proxy.test/{url}';

describe('a refused start of the service', () => {
  let directory: string;
  let outside: { RPC_URL: string; CONTRACT_ADDRESS: string; SOCIAL_TEXT_PROXY: string };

  before(async () => {
    directory = await usedDirectory();
    const chain = await testChain();
    outside = { RPC_URL: chain.rpcUrl, CONTRACT_ADDRESS: chain.contract, SOCIAL_TEXT_PROXY: PROXY };
  });
  after(endProcesses);

  /** Checks that the service exits with code 1 and a single line on stderr. Returns that line. */
  const refusal = async (env: Record<string, string>): Promise<string> => {
    const service = run({ env: { DATA_DIR: directory, ...env } });
    const exit = await Promise.race([service.exited, service.ready().then(() => service.stop())]);
    expect(exit, service.stdout + service.stderr).to.include({ code: 1, signal: null });
    expect(service.readyLine).to.equal(undefined);
    expect(service.stderr).to.match(/^curvet: [^\n]+\n$/);
    return service.stderr.slice('curvet: '.length, -1);
  };

  it('names an invalid variable before it creates any file', async () => {
    const untouched = join(directory, 'not made');
    expect(await refusal({ PORT: 'four', DATA_DIR: untouched })).to.equal(
      'PORT: "four" is not accepted; it must be an integer from 0 to 65535',
    );
    expect(await refusal({ RPC_URL: outside.RPC_URL, DATA_DIR: untouched })).to.match(/^CONTRACT_ADDRESS: not set; /);
    expect(existsSync(untouched)).to.equal(false);
  });

  it('names DATA_DIR when it is a file', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: file })).to.match(/^DATA_DIR: ".*file" cannot be written: EEXIST/);
    expect(await refusal({ DATA_DIR: join(file, 'below') })).to.match(
      /^DATA_DIR: ".*below" cannot be written: ENOTDIR/,
    );
  });

  it('names PORT when it is in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
    );
    try {
      expect(await refusal({ PORT: String(port) })).to.match(new RegExp(`^PORT: ${port} .*EADDRINUSE$`));
    } finally {
      other.close();
    }
  });

  it('names RPC_URL when it is unreachable, without showing its value', async () => {
    const dead = { ...outside, RPC_URL: `${await refusing()}/secret` };
    expect(await refusal(dead)).to.equal(
      'RPC_URL: the value is not accepted; asked for the chain, it says: ECONNREFUSED',
    );
  });

  it('names CHAIN_ID when the RPC is on another chain', async () => {
    expect(await refusal({ ...outside, CHAIN_ID: '8453' })).to.equal('CHAIN_ID: 8453, but RPC_URL is on chain 84532');
  });

  it('names CHAIN_ID when a later RPC URL is on another chain', async () => {
    const other = await FakeNode.start(answers('0x1'));
    const urls = `${outside.RPC_URL},${await refusing()},${other.url}`;
    expect(await refusal({ ...outside, RPC_URL: urls })).to.equal('CHAIN_ID: 84532, but RPC_URL (URL 3) is on chain 1');
    await other.stop();
  });

  it('names CONTRACT_ADDRESS when it has no code', async () => {
    const nobody = `0x${'12'.repeat(20)}`;
    expect(await refusal({ ...outside, CONTRACT_ADDRESS: nobody })).to.equal(
      `CONTRACT_ADDRESS: "${nobody}" has no code on chain 84532`,
    );
  });

  it('names DATABASE_URL when it is unreachable, without showing the password', async () => {
    const line = await refusal({ DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/curvet' });
    expect(line).to.match(/^DATABASE_URL: the value is not accepted; the server says: .*ECONNREFUSED/);
    expect(line).to.not.include('hunter2');
  });
});

describe('a data directory', () => {
  after(endProcesses);

  it('may contain spaces and umlauts and may be relative to the working directory', async () => {
    const cwd = freshDirectory('curvet späte wörter ');
    const data = await usedDirectory(join(cwd, 'größe 10', 'meine daten'));
    const service = run({ cwd, env: { DATA_DIR: './größe 10/meine daten' } });
    await service.ready();
    expect((await getJson(`${service.url}/ready`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
    expect(service.stderr).to.equal('');
    expect(readdirSync(data).sort()).to.deep.equal(['chain', 'database', 'lock']);
    expect(readdirSync(cwd)).to.deep.equal(['größe 10']);
  });

  const nobody = 65_534;
  const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const main = join(root, 'dist/src/main.js');
  // Only root can switch to another user, and that user must have read access to this checkout.
  const other = spawnSync(asNobody[0] as string, [...asNobody.slice(1), 'test', '-r', main], { timeout: 5000 });
  if (other.status === 0) {
    it('works for an unprivileged user who owns it', async () => {
      const home = freshDirectory();
      const directory = await usedDirectory();
      for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
        lchownSync(join(directory, entry), nobody, nobody);
      }
      for (const place of [directory, home]) {
        chownSync(place, nobody, nobody);
        chmodSync(place, 0o700);
      }
      const service = run({ prefix: asNobody, cwd: directory, env: { DATA_DIR: directory, HOME: home } });
      await service.ready();
      expect((await getJson(`${service.url}/ready`)).status).to.equal(200);
      expect(await service.stop()).to.include({ code: 0 });
      expect(readdirSync(home)).to.deep.equal([]);
    });

    it('is refused in one line when the user cannot enter it', async () => {
      const directory = freshDirectory();
      mkdirSync(join(directory, 'data'));
      const service = run({ prefix: asNobody, cwd: '/', env: { DATA_DIR: join(directory, 'data') } });
      expect(await service.exited).to.include({ code: 1 });
      expect(service.stderr).to.match(/^curvet: DATA_DIR: "[^\n]*" cannot be written: [^\n]+\n$/);
    });
  }
});
