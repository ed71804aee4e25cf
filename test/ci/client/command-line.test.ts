import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Wallet } from 'ethers';
import { curvet, nodeProcess, type Outcome, PROGRAM, pipes, runOn, textOf } from '../../support/client/command-line.js';
import { writeKeystore } from '../../support/client/home.js';
import { patientClock } from '../../support/client/scripted.js';
import { clockOf, useNamedWorld } from '../../support/client/traders.js';
import { drawWallet } from '../../support/market/traders.js';
import { endProcesses, eventually, freshDirectory } from '../../support/service/process.js';

const PASSWORD = 'a long password';

describe('the command line', () => {
  const world = useNamedWorld();
  let home: string;
  const printed: string[] = [];

  before(() => {
    home = freshDirectory();
  });
  after(endProcesses);

  const environment = (more: Record<string, string> = {}) => ({
    CURVET_HOME: home,
    CURVET_PASSWORD: PASSWORD,
    CURVET_URL: world.url,
    ...more,
  });
  async function call(args: readonly string[], env?: Record<string, string>, clock = clockOf(world)): Promise<Outcome> {
    const outcome = await curvet(args, environment(env), clock);
    printed.push(outcome.out, outcome.error);
    return outcome;
  }
  async function json(args: readonly string[], env?: Record<string, string>): Promise<Record<string, never>> {
    const { code, out, error } = await call([...args, '--json'], env);
    expect(code, error).to.equal(0);
    return JSON.parse(out);
  }

  it('creates an encrypted wallet with a fixed contract and fixed limits', async () => {
    expect((await call(['wallet', 'show'])).code).to.equal(3);
    expect((await call(['wallet', 'new'], { CURVET_PASSWORD: '' })).code).to.equal(3);
    expect((await call(['wallet', 'new', '--per-trade', '0.02', '--dry-run'])).code).to.equal(0);
    expect(readdirSync(home)).to.deep.equal([]);
    const { address, settings } = await json(['wallet', 'new', '--per-trade', '0.02']);
    expect(settings).to.deep.include({ url: world.url });
    expect(settings).to.have.nested.property('limits.perTrade', '0.02');
    expect(settings)
      .to.have.nested.property('limits.contract')
      .match(/^0x[0-9a-f]{40}$/);
    for (const file of ['keystore.json', 'config.json']) expect(statSync(join(home, file)).mode & 0o777).to.equal(0o600);
    const restored = await Wallet.fromEncryptedJson(readFileSync(join(home, 'keystore.json'), 'utf8'), PASSWORD);
    expect(restored.address.toLowerCase()).to.equal(address);
    expect(await json(['wallet', 'show'])).to.include({ address });
    const again = await call(['wallet', 'new']);
    expect(again.code).to.equal(3);
    expect(again.error).to.include('exists');
    await world.chain.faucet(String(address));
    // The commands below decrypt the keystore often, so this one replaces it: its key derivation is fast.
    await writeKeystore(home, restored, PASSWORD);
  });

  it('imports a wallet from the environment or a keystore file', async () => {
    const { privateKey, address } = drawWallet();
    const [first, second] = [freshDirectory(), freshDirectory()];
    const imported = await json(['wallet', 'import'], { CURVET_HOME: first, CURVET_PRIVATE_KEY: privateKey });
    expect(imported).to.include({ address: address.toLowerCase() });
    const file = join(first, 'keystore.json');
    expect(await json(['wallet', 'import', file], { CURVET_HOME: second })).to.include({
      address: address.toLowerCase(),
    });
    const wrong = { CURVET_HOME: freshDirectory(), CURVET_PASSWORD: 'wrong password' };
    expect(await call(['wallet', 'import', file], wrong)).to.deep.equal({
      code: 3,
      out: '',
      error: 'curvet: the password is wrong\nSet CURVET_PASSWORD to the password of the keystore.\n',
    });
    const long = { CURVET_HOME: freshDirectory(), CURVET_PRIVATE_KEY: `${privateKey}00` };
    const bad = await call(['wallet', 'import'], long);
    expect(bad.code).to.equal(3);
    expect(bad.error).to.not.include(privateKey.slice(2));
  });

  it('registers an agent, and stores its key encrypted and for this service only', async () => {
    expect((await call(['status'])).code).to.equal(3);
    expect((await json(['register', 'Command Line', '--dry-run'])).available).to.equal(true);
    const { agent } = await json(['register', 'Command Line', '--description', 'Types']);
    expect(agent).to.include({ agentId: 'command_line' });
    expect(statSync(join(home, 'agent.json')).mode & 0o777).to.equal(0o600);
    expect(await json(['status'])).to.have.nested.property('agent.agentId', 'command_line');
    const wrong = await call(['status'], { CURVET_PASSWORD: 'wrong password' });
    expect(wrong.code).to.equal(3);
    const { port } = new URL(world.url);
    expect((await call(['status', '--url', `http://localhost:${port}`])).code).to.equal(0);
    const elsewhere = await call(['status', '--url', 'http://127.0.0.1:1']);
    expect([elsewhere.code, elsewhere.error])
      .to.have.property('1')
      .match(/the stored key belongs to/);
  });

  it('quotes, buys, sells and shows the result', async () => {
    expect(await json(['quote', 'command_line', '2'])).to.include({ amount: 2, type: 'buy' });
    const started = world.clock.now().getTime();
    const plan = await json(['buy', 'command_line', '2', '--max-slippage', '1', '--dry-run']);
    expect(plan).to.include({ dryRun: true, amount: 2 });
    const soon = await json(['buy', 'command_line', '2', '--deadline', '60', '--dry-run']);
    for (const [{ deadline }, seconds] of [
      [plan, 600],
      [soon, 60],
    ] as const) {
      expect(Date.parse(String(deadline))).to.be.closeTo(started + seconds * 1000, 5000);
    }
    expect(readFileSync(join(home, 'journal.json'), 'utf8')).to.not.include('"buy"');
    const buy = ['buy', 'command_line', '2', '--thesis', 'Own tickets', '--confidence', '70', '--id', 'first'];
    const bought = await json(buy);
    expect(bought).to.deep.include({ id: 'first', continued: false });
    expect(bought).to.have.nested.property('position.amount', 3);
    expect(await json(buy)).to.include({ continued: true });
    expect((await json(['record'])).theses).to.have.nested.property('0.confidence', 70);
    const sold = await call(['sell', 'command_line', '1']);
    expect(sold.out).to.match(/^Sold 1 ticket of command_line for 0\.\d+ ETH; the wallet holds 2\n0x[0-9a-f]{64}\n$/);
    // The result was printed, so the next sale is a new one.
    expect(await json(['sell', 'command_line', '1'])).to.have.nested.property('position.amount', 1);
    expect(await json(['pnl'])).to.have.nested.property('realized.count', 2);
    expect((await call(['pnl', 'command_line'])).out).to.match(/^total +-?[\d.e-]+ ETH/);
  });

  it('posts, follows, verifies, and reads the feed', async () => {
    const other = { CURVET_HOME: freshDirectory() };
    const { address } = await json(['wallet', 'new'], other);
    await world.chain.faucet(String(address));
    await json(['register', 'Other Agent'], other);
    expect((await call(['post', 'Hello', '--dry-run'])).out).to.include('Nothing was sent');
    const { id } = await json(['post', 'Hello \u001b[31mred']);
    const feed = await call(['feed', '--type', 'status', '--limit', '1']);
    expect(feed.out).to.include(id).and.include('Command Line says: Hello [31mred');
    expect(await json(['follow', 'other_agent'])).to.include({ following: true });
    const watched = json(['watch', 'notifications', '--after', '0', '--count', '1'], other);
    expect((await watched).notification).to.include({ type: 'NEW_FOLLOWER' });
    const shown = await call(['watch', 'notifications', '--after', '0', '--count', '1'], other);
    expect(shown.out).to.match(/^[\d-]+T[\d:.]+Z {2}\d+ {2}Command Line follows you/);
    expect(await json(['follow', 'other_agent', '--undo'])).to.include({ following: false });
    const { agent } = (await json(['status'])) as Record<string, Record<string, string>>;
    const url = String(await world.deps.dev?.publish('typist', `My code is ${agent?.verificationCode}`));
    expect((await call(['verify', url])).out).to.equal('Command Line is verified as @typist\n');
  });

  const trades = ['bought by Command Line: 2 for 0.0001 ETH', 'sold by Command Line: 1 for 0.00008 ETH'];
  for (const [topic, expected] of Object.entries({
    feed: ['Command Line has registered', `Command Line ${trades[0]} (Own tickets)`, `Command Line ${trades[1]}`],
    theses: [`Command Line ${trades[0]} (Own tickets)`],
    trades: trades.map((trade) => `Command Line ${trade}`),
    prices: ['Command Line has 1 ticket at 0.00002 ETH', 'Command Line has 3 tickets at 0.00018 ETH'],
  })) {
    it(`watches ${topic}, and prints each event on a line for people, or as JSON`, async () => {
      const watch = ['watch', topic, '--after', '0', '--count', String(expected.length)];
      const lines = (await call(watch)).out.trimEnd().split('\n');
      const [head = '', first = ''] = /^(?:\S+Z {2})?(\d+) {2}/.exec(lines[0] ?? '') ?? [];
      // A line begins with the time of the event, then its sequence. A price has no time.
      expect(head.length > first.length + 2).to.equal(topic !== 'prices');
      expect(lines.map((line) => line.replace(/^(\S+Z {2})?\d+ {2}/, ''))).to.deep.equal(expected);
      const events = (await call([...watch, '--json'])).out.trimEnd().split('\n');
      expect(events.map((event) => JSON.parse(event).sequence)[0]).to.equal(first);
      expect(events).to.have.length(expected.length);
    });
  }

  it('watches until it is interrupted', async () => {
    const streams = pipes();
    const out = textOf(streams.stdout);
    const ended = runOn(streams, ['watch', 'trades', '--after', '0'], environment(), clockOf(world));
    await eventually(() => out().split('\n').length > 3, 'no trades were printed');
    streams.interrupt();
    expect(await ended).to.equal(0);
  });

  it('refuses a trade that the limits of the settings file do not allow', async () => {
    const path = join(home, 'config.json');
    const settings = JSON.parse(readFileSync(path, 'utf8'));
    for (const [changed, exit, code] of [
      [{ perTrade: '0.00000001' }, 5, 'LIMIT_EXCEEDED'],
      [{ contract: `0x${'12'.repeat(20)}` }, 5, 'UNTRUSTED_ANSWER'],
      [{ perTrade: 'much' }, 3, 'NOT_CONFIGURED'],
    ] as const) {
      writeFileSync(path, JSON.stringify({ ...settings, limits: { ...settings.limits, ...changed } }));
      const outcome = await call(['buy', 'command_line', '1', '--json']);
      expect([outcome.code, JSON.parse(outcome.error).error.code]).to.deep.equal([exit, code]);
    }
    writeFileSync(path, JSON.stringify(settings));
  });

  it('says why the agent cannot trade', async () => {
    // The Date header of the service has the time of the system, so the command needs a clock with that time, too.
    const examine = (args: readonly string[], env?: Record<string, string>) => call(args, env, patientClock);
    const healthy = await examine(['doctor']);
    expect(healthy.code, healthy.out).to.equal(0);
    // Doctor has 10 checks.
    expect(healthy.out.match(/^ok /gm)).to.have.length(10);
    const empty = { CURVET_HOME: freshDirectory() };
    await json(['wallet', 'new'], empty);
    const { code, out } = await examine(['doctor', '--json'], empty);
    expect(code).to.equal(10);
    const { findings } = JSON.parse(out) as { findings: { check: string; state: string; detail: string }[] };
    const problems = findings.filter(({ state }) => state === 'problem').map(({ check }) => check);
    expect(problems).to.deep.equal(['key', 'registration', 'gas']);
    expect(findings.find(({ check }) => check === 'gas')?.detail).to.match(/the wallet has 0 ETH, .* Send ether to 0x/);
    const away = await call(['doctor'], { ...empty, CURVET_URL: 'http://127.0.0.1:1' });
    expect([away.code, away.out])
      .to.have.property('1')
      .match(/^problem +service +no answer from 127.0.0.1:1/);
  });

  it('has stable exit codes', async () => {
    for (const [code, line, env] of [
      [0, ''],
      [2, 'buy command_line'],
      [2, 'buy command_line 21'],
      [2, 'buy command_line 1 --max-slippage 51'],
      [2, 'buy command_line 1 --deadline 9'],
      [2, 'buy command_line 1 --confidence 70'],
      [2, 'sell command_line 1 --thesis Sure --confidence 100'],
      [2, 'buy command_line 1 --id first'],
      [2, 'feed --unknown'],
      [3, 'post x', { CURVET_API_KEY: 'A'.repeat(64) }],
      [4, 'follow nobody_at_all'],
      [4, 'sell other_agent 1'],
      [7, 'buy command_line 1', { CURVET_RPC_URL: 'http://127.0.0.1:1' }],
    ] as const) {
      expect((await call(line.split(' ').filter(Boolean), env)).code, line).to.equal(code);
    }
  });

  it('is a program that takes arguments and environment, and returns the exit code', async () => {
    const args = ['follow', 'nobody_at_all', '--json'];
    const started = await nodeProcess([PROGRAM, ...args], environment());
    expect(started).to.deep.equal({ ...(await call(args)), error: started.error });
    expect(started).to.include({ code: 4, out: '' });
    expect(JSON.parse(started.error)).to.have.nested.property('error.code', 'AGENT_NOT_FOUND');
  });

  it('prints no secret', async () => {
    const wallet = await Wallet.fromEncryptedJson(readFileSync(join(home, 'keystore.json'), 'utf8'), PASSWORD);
    const all = printed.join('\n');
    expect(all).to.not.include(wallet.privateKey.slice(2));
    expect(all).to.not.include(PASSWORD);
    expect(all).to.not.match(/"apiKey"/);
    const journal = readFileSync(join(home, 'journal.json'), 'utf8');
    expect(journal).to.not.include('idempotencyKey');
  });
});
