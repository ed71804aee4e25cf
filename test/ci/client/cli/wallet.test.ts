import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { Secrets } from '../../../../client/src/cli/io.js';
import { curvet, pipes, runOn, textOf } from '../../../support/client/command-line.js';
import { homeOf } from '../../../support/client/home.js';
import { patientClock } from '../../../support/client/scripted.js';
import { clockOf, limitsOf, useNamedWorld } from '../../../support/client/traders.js';
import { newAgent } from '../../../support/market/agents.js';
import { endProcesses, freshDirectory } from '../../../support/service/process.js';

describe('the command line of curvet', () => {
  const world = useNamedWorld();
  after(endProcesses);

  const call = (args: readonly string[], CURVET_HOME: string, more: Record<string, string> = {}) =>
    curvet(args, { CURVET_HOME, CURVET_URL: world.url, CURVET_PASSWORD: 'a long password', ...more }, clockOf(world));

  it('names the faucet to a new wallet without ether, and funds the wallet there', async () => {
    const home = freshDirectory();
    await call(['wallet', 'new'], home);
    const poor = await call(['register', 'Newcomer'], home);
    expect([poor.code, poor.error.split('\n')[0]]).to.deep.equal([9, 'curvet: the wallet has 0 ETH']);
    expect(poor.error).to.include('"curvet faucet" sends 1 ETH');
    expect((await call(['faucet', '--dry-run'], home)).out).to.match(/^Dry run: would fund 0x[0-9a-f]{40}\./);
    expect((await call(['register', 'Newcomer'], home)).code).to.equal(9);
    expect((await call(['faucet'], home)).out).to.match(/^Sent 1 ETH to 0x[0-9a-f]{40}\n$/);
    expect((await call(['register', 'Newcomer'], home)).code).to.equal(0);
    expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
  });

  it('says that a service without an embedded chain has no faucet', async () => {
    const home = freshDirectory();
    await call(['wallet', 'new'], home);
    const { dev } = world.deps;
    Object.assign(world.deps, { dev: undefined });
    try {
      const { code, error } = await call(['faucet'], home);
      expect([code, error])
        .to.have.property('1')
        .match(/the service has no faucet\nOnly an embedded chain has one\. Send ether/);
      expect(code).to.equal(4);
    } finally {
      Object.assign(world.deps, { dev });
    }
  });

  it('withdraws the fees of the agent', async () => {
    const agent = await newAgent(world);
    const settings = { url: world.url, limits: limitsOf(world) };
    const home = await homeOf(agent.trader.signer, 'a long password', settings);
    const run = (...args: string[]) => call(args, home, { CURVET_API_KEY: agent.key });
    const none = await run('withdraw');
    expect([none.code, none.error.split('\n')[0]]).to.deep.equal([
      9,
      'curvet: 0 ETH of fees are pending, and a withdrawal needs 0.001 ETH',
    ]);
    await agent.trader.buy(agent.wallet, 20);
    expect((await run('withdraw', '--dry-run')).out).to.equal('Dry run: 0.00287 ETH would be withdrawn. Nothing was signed.\n');
    expect((await run('withdraw')).out).to.match(/^Withdrew 0\.00287 ETH\n0x[0-9a-f]{64}\n$/);
    expect((await run('withdraw', '--json')).code).to.equal(9);
  });

  it('does not hide words of its messages that equal a short secret', async () => {
    const home = freshDirectory();
    await call(['wallet', 'new'], home);
    const wrong = await call(['faucet'], home, { CURVET_PASSWORD: 'wrong', CURVET_URL: 'http://127.0.0.1:1' });
    expect(wrong.error).to.not.include('[secret]');
    const short = await call(['status'], home, { CURVET_PASSWORD: 'wrong', CURVET_API_KEY: 'the' });
    expect(short.error).to.not.include('[secret]');
  });

  it('reads the text of a post from standard input', async () => {
    const { key } = await newAgent(world);
    for (const dryRun of [['--dry-run'], []]) {
      const streams = pipes();
      const [out, error] = [textOf(streams.stdout), textOf(streams.stderr)];
      streams.stdin.end('Two lines\nof a post\n');
      const env = { CURVET_HOME: freshDirectory(), CURVET_URL: world.url, CURVET_API_KEY: key };
      const code = await runOn(streams, ['post', '-', ...dryRun], env, patientClock);
      expect([code, error()]).to.deep.equal([0, '']);
      expect(out()).to.match(dryRun.length > 0 ? /would post "Two lines\nof a post"/ : /^Posted /);
    }
    const { feed } = (await world.ask('GET', '/api/feed?type=STATUS&limit=1')).body;
    expect(feed).to.have.nested.property('0.text', 'Two lines\nof a post');
  });
});

describe('the secrets of the command line', () => {
  const KEY = 'Ab1_'.repeat(16);
  const secrets = new Secrets();
  // Secrets of fewer than 8 characters are not hidden, and those of 32 or more are hidden inside of words, too.
  for (const secret of ['wrong', 'password', `0x${'5e'.repeat(32)}`, KEY, 'a "quoted" one']) secrets.keep(secret);

  for (const [text, hidden] of [
    ['the password is wrong', 'the [secret] is wrong'],
    ['passwords and mypassword stay', 'passwords and mypassword stay'],
    ['password=password, "password".', '[secret]=[secret], "[secret]".'],
    [JSON.stringify({ text: 'line\npassword\tend' }), '{"text":"line\\n[secret]\\tend"}'],
    [`x${'5e'.repeat(32)}5`, 'x[secret]5'],
    [`key${KEY}key`, 'key[secret]key'],
    [JSON.stringify('a "quoted" one'), '"[secret]"'],
  ] as const) {
    it(`are the only hidden parts of ${text.slice(0, 40)}`, () => {
      expect(secrets.hide(text)).to.equal(hidden);
    });
  }
});
