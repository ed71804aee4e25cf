import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkConfigCommand } from '../../../src/cli/commands/check-config.js';
import { callProgram } from '../../support/service/command.js';
import { listen } from '../../support/service/listen.js';
import { endProcesses, freshDirectory, run } from '../../support/service/process.js';

const CONTRACT_ADDRESS = `0x${'11'.repeat(20)}`;
const ACCEPTED = 'curvet: a start accepts these settings\n';
const check = (env: Record<string, string>, ...args: string[]) => callProgram(checkConfigCommand, args, env);

describe('npm run check-config', () => {
  after(endProcesses);

  it('accepts settings without a fault', async () => {
    expect(await check({})).to.deep.equal({ code: 0, stdout: ACCEPTED, stderr: '' });
  });

  it('prints a line for each fault, without secrets, and exits with code 1', async () => {
    const { code, stdout, stderr } = await check({
      NODE_ENV: 'production',
      PORT: 'four',
      SECRET_KEY: 'change-me-please',
    });
    expect([code, stdout.includes(ACCEPTED)]).to.deep.equal([1, false]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => /^curvet: (\w+): /.exec(line)?.[1])).to.deep.equal([
      'PORT',
      'SECRET_KEY',
      'DATABASE_URL',
      'RPC_URL',
    ]);
    expect(stderr).to.not.include('change-me');
  });

  it('prints the warnings of a start, also beside faults', async () => {
    const warnings =
      'curvet: warning: the environment has a variable that resembles a setting: is it mistyped? PROT may mean PORT.\n' +
      'curvet: warning: PUBLIC_URL is not set in production: claim URLs, guides and signatures name the address of this process\n';
    const env = { NODE_ENV: 'production', EMBEDDED: '1', PROT: '1' };
    expect(await check(env)).to.deep.equal({ code: 0, stdout: warnings + ACCEPTED, stderr: '' });
    expect(await check({ ...env, CHAIN_ID: '0' })).to.include({ code: 1, stdout: warnings });
  });

  it('asks no host, takes no port and makes no directory', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end();
    });
    const { host, hostname, port } = new URL(await listen(server));
    const DATA_DIR = join(freshDirectory(), 'not made');
    const program = run({
      env: {
        HOST: hostname,
        PORT: port,
        METRICS_PORT: port,
        DATA_DIR,
        CONTRACT_ADDRESS,
        DATABASE_URL: `postgresql://${host}/x`,
        REDIS_URL: `redis://${host}`,
        RPC_URL: `http://${host}`,
        SOCIAL_TEXT_PROXY: `http://${host}/{url}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
        REGISTRATION_SIGNATURE: 'required',
      },
      program: ['cli/check-config.js'],
    });
    expect(await program.exited).to.include({ code: 0 });
    expect([program.stdout, program.stderr]).to.deep.equal([ACCEPTED, '']);
    // This connection shows that the server is reachable. It is the first, so the command has not connected.
    await new Promise((closed) => connect(Number(port), hostname).on('close', closed).resume());
    expect(connections).to.equal(1);
    expect(existsSync(DATA_DIR)).to.equal(false);
    server.close();
  });

  it('answers --help, and refuses other arguments', async () => {
    expect((await check({}, '--help')).stdout).to.match(/^usage: npm run check-config\n/);
    expect(await check({}, '--fix')).to.include({ code: 1, stdout: '' });
  });
});
