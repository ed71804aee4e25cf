import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Contract, Wallet } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { drawWallet } from '../../support/market/traders.js';
import { childEnvironment } from '../../support/processes.js';
import * as guides from '../../support/service/guides.js';
import {
  endProcesses,
  eventually,
  freshDirectory,
  getJson,
  type Running,
  replicaEnv,
  root,
  run,
} from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

/** The code blocks of a language in the chapters of `/docs`. After the chapters, each operation has a heading `###`. */
async function codeBlocks(url: string, language: string): Promise<string[]> {
  const [chapters = ''] = (await (await fetch(`${url}/docs`)).text()).split('\n### ');
  return guides.codeBlocks(chapters, language);
}

describe('the code in the documentation', () => {
  let service: Running;
  let outside: Running;
  // The file is inside the project, so that the program can import ethers.
  const file = join(root, 'dist', `quickstart-${process.pid}.mjs`);
  const folder = join(root, 'dist', `skill-${process.pid}`);

  async function fund(address: string): Promise<void> {
    const body = JSON.stringify({ address });
    expect((await fetch(`${service.url}/dev/faucet`, { method: 'POST', body })).status).to.equal(200);
  }

  async function runQuickstart(url: string, name: string, env: Record<string, string> = {}): Promise<string> {
    const [program = ''] = await codeBlocks(url, 'js');
    writeFileSync(file, program);
    const { stdout, stderr } = spawnSync(join(root, 'bin/node'), [file, name], {
      encoding: 'utf8',
      env: childEnvironment(env),
    });
    expect(stderr).to.equal('');
    return stdout;
  }

  before(async () => {
    service = run({ env: { DATA_DIR: freshDirectory(), LOG_LEVEL: 'warn' } });
    await service.ready();
    const { contractAddress } = (await getJson(`${service.url}/api/contract`)).body;
    const chain = replicaEnv({ rpcUrl: service.rpcUrl, contract: String(contractAddress) });
    const settings = { EMBEDDED: '1', TICKET_CALLBACKS: 'retired', RATE_LIMITS: 'on' };
    outside = run({ env: { ...chain, ...settings, DATA_DIR: freshDirectory() } });
    await outside.ready();
  });
  after(async () => {
    rmSync(file, { force: true });
    rmSync(folder, { recursive: true, force: true });
    await endProcesses();
  });

  it('registers an agent and makes a first trade in the quickstart program', async () => {
    const printed = await runQuickstart(service.url, 'Quick Start');
    expect(printed).to.match(/^Keep this API key.*: [\w-]{64}\nbought 1 ticket of Quick Start for [\d.e-]+ ETH; holding 4\n$/);
  });

  it('registers and trades with an own wallet on an external chain with retired record endpoints', async () => {
    const wallet = drawWallet();
    await fund(wallet.address);
    const env = { PRIVATE_KEY: wallet.privateKey, RPC_URL: service.rpcUrl };
    const printed = await runQuickstart(outside.url, 'Out Side', env);
    expect(printed).to.match(/^Keep this API key.*: [\w-]{64}\nbought 1 ticket of Out Side for [\d.e-]+ ETH\n$/);
  });

  /** Runs a command in the folder of the skill. The folder is inside the project, so that the program can import ethers. */
  const bash = (command: string, env: Record<string, string> = {}) =>
    spawnSync('bash', ['--norc', '-c', command], {
      encoding: 'utf8',
      cwd: folder,
      env: childEnvironment({ PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, ...env }),
    });
  function succeed(command: string, env?: Record<string, string>): string {
    const { status, stdout, stderr } = bash(command, env);
    expect(`${status} ${stderr}`, command).to.equal('0 ');
    return stdout;
  }
  const guide = async (url: string, name: string) => (await fetch(`${url}/${name}.md`)).text();

  /** Saves the program of the skill in a new folder. Returns the text of the skill. */
  async function installSkill(url: string): Promise<string> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const skill = await guide(url, 'skill');
    const [program = '', ...others] = guides.codeBlocks(skill, 'js');
    expect(others).to.deep.equal([]);
    writeFileSync(join(folder, 'curvet.mjs'), program);
    return skill;
  }

  it('works in every command of the skill, within the limits, and without showing a secret', async () => {
    const skill = await installSkill(service.url);
    const commands = [...skill.matchAll(/`(node curvet\.mjs [^`]*)`/g)].map(([, command = '']) => command);
    expect(commands.map((command) => command.split(' ')[2])).to.deep.equal(['wallet', 'register', 'buy', 'sell', 'withdraw']);
    const [showWallet = '', register = '', buy = '', sell = '', withdraw = ''] = commands;
    let printed = succeed(showWallet);
    const [, address = ''] = /^(0x[0-9a-f]{40}) 1\.0 ETH\n$/.exec(printed) ?? [];
    printed += succeed(register);
    expect(printed).to.match(/\nregistered night_owl\n$/);
    expect(bash(register).stderr).to.contain('curvet.key exists');
    const at = (command: string) => command.replace('ADDRESS', address);
    printed += succeed(at(buy));
    for (const beyond of ['buy ADDRESS 1 0.000001', 'sell ADDRESS 1 1']) {
      expect(bash(`node curvet.mjs ${at(beyond)}`).stderr).to.contain('beyond your limit');
    }
    printed += succeed(at(sell)) + succeed(at('node curvet.mjs buy ADDRESS 20 0.2')) + succeed(withdraw);
    expect(printed.match(/^(buy|sell|withdraw): 0x[0-9a-f]{64}$/gm)).to.have.lengthOf(4);
    const trades = JSON.parse(succeed(`curl -s -H @curvet.key '${service.url}/api/agents/me/trades'`)).trades;
    expect(trades.map((trade: { type: string }) => trade.type)).to.deep.equal(['AGENT_BUY', 'AGENT_SELL', 'AGENT_BUY']);
    for (const name of ['wallet.key', 'curvet.key']) {
      expect((statSync(join(folder, name)).mode & 0o777).toString(8), name).to.equal('600');
      // The files may have other text before the secret. Its last 60 characters identify it.
      expect(printed).not.to.contain(readFileSync(join(folder, name), 'utf8').trim().slice(-60));
    }
    const requests = guides.codeBlocks(skill, 'sh').flatMap((block) => block.trim().split('\n'));
    expect(requests).to.have.lengthOf(2);
    for (const request of requests) expect(JSON.parse(succeed(request)).success, request).to.equal(true);
  });

  it('works in every command of the heartbeat, which prints nothing if nothing changed', async () => {
    const requests = guides.codeBlocks(await guide(service.url, 'heartbeat'), 'sh');
    expect(requests).to.have.lengthOf(2);
    const [heartbeat = '', version = ''] = requests;
    expect(JSON.parse(succeed(heartbeat))).to.include({ success: true, nothingToDo: true, nextCheckAfter: 3600 });
    expect(succeed(heartbeat)).to.equal('');
    expect(succeed(heartbeat)).to.equal('');
    expect(JSON.parse(succeed(version))).to.include({ success: true, changed: false });
  });

  it('continues a registration that stopped after the chain, in the skill of a service on an external chain', async () => {
    const skill = await installSkill(outside.url);
    const env = { RPC_URL: service.rpcUrl };
    const [, address = ''] = /^(0x\w+) 0\.0 ETH\n$/.exec(succeed('node curvet.mjs wallet', env)) ?? [];
    await fund(address);
    const provider = new RpcProvider([service.rpcUrl], 84532, testTimes);
    const wallet = new Wallet(readFileSync(join(folder, 'wallet.key'), 'utf8'), provider);
    const { contract } = guides.frontMatter(skill).metadata;
    const market = new Contract(String(contract), ticketMarketAbi, wallet);
    await (await market.getFunction('registerAgent')('Late Owl', 'late_owl', address)).wait();
    provider.destroy();
    expect(succeed("node curvet.mjs register 'Late Owl'", env)).to.equal('registered late_owl\n');
    expect(succeed(`node curvet.mjs buy ${address} 1 0.01`, env)).to.match(/^buy: 0x\w{64}\n$/);
  });

  it('gets the API key again in the skill if the answer to the registration was lost', async () => {
    await installSkill(service.url);
    // Ends the program when the answer to the registration has arrived, before the program reads it.
    const lose = `const real = globalThis.fetch;
      globalThis.fetch = async (url, init) => {
        const answer = await real(url, init);
        if (init?.method === 'POST' && String(url).endsWith('/api/agents')) process.exit(9);
        return answer;
      };`;
    writeFileSync(join(folder, 'lose.mjs'), lose);
    succeed('node curvet.mjs wallet');
    expect(bash("node --import ./lose.mjs curvet.mjs register 'Lost Owl'").status).to.equal(9);
    expect(existsSync(join(folder, 'curvet.key'))).to.equal(false);
    expect((statSync(join(folder, 'registration.json')).mode & 0o777).toString(8)).to.equal('600');
    expect(succeed("node curvet.mjs register 'Lost Owl'")).to.equal('registered lost_owl\n');
    expect(existsSync(join(folder, 'registration.json'))).to.equal(false);
    const { agent } = JSON.parse(succeed(`curl -s -H @curvet.key '${service.url}/api/agents/me'`));
    expect(agent.agentId).to.equal('lost_owl');
  });

  it('signs a refused registration anew in the skill', async () => {
    await installSkill(service.url);
    succeed('node curvet.mjs wallet');
    const { privateKey } = drawWallet();
    const old = { name: 'Old Owl', walletAddress: new Wallet(privateKey).address, signature: `0x${'1'.repeat(130)}` };
    const request = JSON.stringify({ ...old, signedAt: '2026-01-01T00:00:00.000Z' });
    writeFileSync(join(folder, 'registration.json'), request);
    expect(bash("node curvet.mjs register 'Old Owl'").stderr).to.match(/Error: 4\d\d /);
    expect(succeed("node curvet.mjs register 'Old Owl'")).to.equal('registered old_owl\n');
  });

  /** Runs a command that does not end by itself. Stops it when it prints that a stream has opened. */
  async function opensStream(command: string): Promise<void> {
    const curl = spawn('bash', ['-c', `exec ${command} -i`], { env: childEnvironment() });
    let text = '';
    curl.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const isOpen = () => /^HTTP\/1.1 200 [\s\S]*content-type: text\/event-stream/i.test(text);
    await eventually(
      () => isOpen() || curl.exitCode !== null,
      () => text,
    );
    curl.kill();
    expect(isOpen(), command + text).to.equal(true);
  }

  it('works in every curl command', async () => {
    const commands = (await codeBlocks(service.url, 'sh')).flatMap((block) =>
      block.replaceAll('\\\n', ' ').split('\n').filter(Boolean),
    );
    expect(commands).to.have.length.of.at.least(4);
    for (const command of commands) {
      expect(command).to.match(/^curl /);
      if (command.startsWith('curl -N')) {
        await opensStream(command);
        continue;
      }
      const { stdout } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
      if (command.includes('/mcp')) {
        // For a client of the 2025 protocol revision, the MCP library answers with one Server-Sent Event instead of JSON.
        const { result } = JSON.parse(/^data: (.*)$/m.exec(stdout)?.[1] ?? '{}');
        expect(result, command).to.include.keys('structuredContent').and.not.to.include.keys('isError');
      } else expect(Object.keys(JSON.parse(stdout))[0], command).to.match(/^(success|data)$/);
    }
  });
});
