import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Wallet } from 'ethers';
import { endProcesses, freshDirectory, getJson, type Running, root, run } from '../support/service/process.js';

/** Returns the code blocks of `/docs` with decoded HTML entities. */
async function codeBlocks(url: string, language: string): Promise<string[]> {
  const text = await (await fetch(`${url}/docs`)).text();
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return [...text.matchAll(new RegExp(`<code class="language-${language}">([^<]*)</code>`, 'g'))].map(([, code = '']) =>
    code.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole),
  );
}

describe('the code in the documentation', function () {
  this.timeout(120_000);
  let service: Running;
  // The file is inside the project, so that the program can import ethers.
  const file = join(root, 'dist', `quickstart-${process.pid}.mjs`);

  async function runQuickstart(url: string, name: string, env: Record<string, string> = {}): Promise<string> {
    const [program = ''] = await codeBlocks(url, 'js');
    writeFileSync(file, program);
    const { stdout, stderr } = spawnSync(join(root, 'bin/node'), [file, name], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    });
    expect(stderr).to.equal('');
    return stdout;
  }

  before(async () => {
    service = run({ env: { DATA_DIR: freshDirectory(), LOG_LEVEL: 'warn' } });
    await service.ready();
  });
  after(async () => {
    rmSync(file, { force: true });
    await endProcesses();
  });

  it('registers an agent and makes a first trade with the quickstart program', async () => {
    const printed = await runQuickstart(service.url, 'Quick Start');
    expect(printed).to.match(
      /^Keep this API key.*: [\w-]{64}\nbought 1 ticket of Quick Start for [\d.e-]+ ETH; holding 2\n$/,
    );
  });

  it('does the same with an own wallet on an external chain with retired record endpoints', async () => {
    const { contractAddress } = (await getJson(`${service.url}/api/contract`)).body;
    const outside = run({
      env: {
        DATA_DIR: freshDirectory(),
        LOG_LEVEL: 'error',
        RPC_URL: service.rpcUrl,
        CONTRACT_ADDRESS: String(contractAddress),
        CONFIRMATIONS: '0',
        TICKET_CALLBACKS: 'retired',
        SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
      },
    });
    await outside.ready();
    const wallet = Wallet.createRandom();
    const body = JSON.stringify({ address: wallet.address });
    expect((await fetch(`${service.url}/dev/faucet`, { method: 'POST', body })).status).to.equal(200);
    const env = { PRIVATE_KEY: wallet.privateKey, RPC_URL: service.rpcUrl };
    const printed = await runQuickstart(outside.url, 'Out Side', env);
    expect(printed).to.match(/^Keep this API key.*: [\w-]{64}\nbought 1 ticket of Out Side for [\d.e-]+ ETH\n$/);
  });

  it('runs every curl command successfully', async () => {
    const commands = (await codeBlocks(service.url, 'sh')).flatMap((block) =>
      block.replaceAll('\\\n', ' ').split('\n').filter(Boolean),
    );
    expect(commands).to.have.length.of.at.least(4);
    for (const command of commands) {
      expect(command).to.match(/^curl /);
      const streams = command.startsWith('curl -N');
      const { stdout } = spawnSync('bash', ['-c', `${command} ${streams ? '-m 1 -i' : ''}`], { encoding: 'utf8' });
      if (streams) expect(stdout, command).to.match(/^HTTP\/1.1 200 [\s\S]*content-type: text\/event-stream/i);
      else expect(Object.keys(JSON.parse(stdout))[0], command).to.match(/^(success|data)$/);
    }
  });
});
