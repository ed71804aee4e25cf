import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { type HDNodeWallet, Wallet } from 'ethers';
import type { Entry } from '../../../client/src/curvet.js';
import { systemClock } from '../../../src/deps.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { homeOf } from '../../support/client/home.js';
import { type Connected, type ConnectOptions, connect } from '../../support/client/mcp.js';
import { patientClock } from '../../support/client/scripted.js';
import { clockOf, limitsOf, useNamedWorld, withoutMining } from '../../support/client/traders.js';
import { HANG_MS } from '../../support/hang.js';
import { newAgent } from '../../support/market/agents.js';
import { drawWallet, ticketsOf } from '../../support/market/traders.js';
import { childEnvironment } from '../../support/processes.js';
import { listen } from '../../support/service/listen.js';
import { endProcesses, eventually, freshDirectory, root } from '../../support/service/process.js';

const PASSWORD = 'a long password of a wallet';
const LOCAL = ['buy', 'sell', 'register', 'withdraw', 'wallet_status'];

describe('curvet mcp', () => {
  const world = useNamedWorld();
  let signer: HDNodeWallet;
  let wallet: string;
  let home: string;
  let ada: string;
  const printed: string[] = [];
  const open: Connected[] = [];

  const environment = (more: Record<string, string> = {}) => ({
    CURVET_HOME: home,
    CURVET_PASSWORD: PASSWORD,
    CURVET_URL: world.url,
    ...more,
  });
  async function start(more?: Record<string, string>, options?: ConnectOptions): Promise<Connected> {
    const connected = await connect(environment(more), { clock: clockOf(world), ...options });
    open.push(connected);
    return connected;
  }
  const held = () => ticketsOf(world.chain, ada, wallet);
  const file = (name: string) => readFileSync(join(home, name), 'utf8');
  const entries = (): Entry[] => JSON.parse(file('journal.json')).entries;

  before(async () => {
    const limits = { ...limitsOf(world), perTrade: '0.02', perDay: '0.5', gas: '0.002' };
    signer = drawWallet();
    wallet = signer.address.toLowerCase();
    home = await homeOf(signer, PASSWORD, { url: world.url, limits });
    await world.chain.faucet(wallet);
    ada = (await newAgent(world, { name: 'Ada' })).wallet;
  });
  afterEach(async () => {
    for (const connected of open.splice(0)) {
      printed.push(connected.printed());
      await connected.close();
    }
  });
  after(endProcesses);

  it('says what is missing before the wallet is registered', async () => {
    const { refusal } = await start();
    expect(await refusal('heartbeat')).to.include({ error: 'Missing API key' });
    const empty = await start({ CURVET_HOME: freshDirectory() });
    expect(await empty.refusal('buy', { agent: 'ada', amount: 1 })).to.include({ code: 'NOT_CONFIGURED' });
    expect(await empty.refusal('wallet_status'))
      .to.have.property('hint')
      .include('curvet wallet new');
  });

  it('registers the wallet, stores its key in a private file, and uses it at once', async () => {
    const { call } = await start();
    expect(await call('register', { name: 'Model', dryRun: true })).to.include({ dryRun: true, available: true });
    const registered = await call('register', { name: 'Model', description: 'Trades by MCP', firstTickets: 1 });
    expect(registered).to.include({ agentId: 'model', walletAddress: wallet });
    expect(registered).to.not.have.property('apiKey');
    expect(statSync(join(home, 'agent.json')).mode & 0o777).to.equal(0o600);
    // The tools of the service use the new API key immediately.
    expect(await call('heartbeat')).to.have.nested.property('agent.agentId', 'model');
  });

  for (const revision of ['auto', 'legacy'] as const) {
    it(`offers every tool of the service unchanged, and its own tools (${revision})`, async () => {
      const { client } = await start({}, { revision });
      const direct = new Client({ name: 'direct', version: '1' }, { versionNegotiation: { mode: revision } });
      await direct.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`)));
      const [{ tools }, { tools: ofService }] = [await client.listTools(), await direct.listTools()];
      await direct.close();
      expect(tools.map(({ name }) => name)).to.deep.equal([...LOCAL, ...ofService.map(({ name }) => name)]);
      expect(tools.slice(LOCAL.length)).to.deep.equal(ofService);
      expect(ofService.length).to.be.above(10);
      for (const { name, annotations, outputSchema } of tools.slice(0, LOCAL.length)) {
        expect(annotations?.destructiveHint, name).to.equal(!['withdraw', 'wallet_status'].includes(name));
        expect(annotations?.readOnlyHint, name).to.equal(name === 'wallet_status');
        expect(outputSchema?.type, name).to.equal('object');
      }
    });
  }

  it('checks a trade without signing, buys, sells, and tells what is left', async () => {
    const { call } = await start();
    const plan = await call('buy', { agent: 'ada', amount: 3, maxSlippage: 1, dryRun: true });
    expect(plan).to.include({ dryRun: true, side: 'buy', amount: 3 });
    expect(plan.boundEth).to.match(/^0\.\d+$/);
    expect(await held()).to.equal(0);
    const bought = await call('buy', { agent: 'ada', amount: 3, maxSlippage: 1, thesis: 'By a model', confidence: 70 });
    expect((await call('get_theses', { agent: 'model' })).theses[0]).to.include({ thesis: 'By a model', confidence: 70 });
    expect(bought).to.include({ dryRun: false, recorded: true, continued: false, ticketsHeld: 3 });
    const sold = await call('sell', { agent: ada, amount: 1 });
    expect(sold).to.include({ ticketsHeld: 2, recorded: true });
    expect(await held()).to.equal(2);
    // The answer to the first sale was written, so a call with the same arguments is a new sale.
    expect(await call('sell', { agent: ada, amount: 1 })).to.include({ ticketsHeld: 1, continued: false });
    // A call with the same id is the same trade, also after its answer was written.
    const named = { agent: ada, amount: 1, id: 'monday' };
    expect(await call('buy', named)).to.include({ ticketsHeld: 2, continued: false });
    expect(await call('buy', named)).to.include({ ticketsHeld: 2, continued: true });
    expect(await held()).to.equal(2);
    const status = await call('wallet_status');
    expect(status).to.deep.include({ address: wallet, chainId: CHAIN_ID, unfinished: [] });
    expect(status).to.have.deep.property('limits', { perTradeEth: '0.02', perDayEth: '0.5', gasEth: '0.002' });
    expect(Number(status.leftTodayEth)).to.be.within(0.4, 0.5);
    expect(Number(status.balanceEth)).to.be.within(0.9, 1);
  });

  it('refuses unknown arguments, unknown tools and private keys, and repeats no key in its error', async () => {
    const { refusal } = await start();
    const config = file('config.json');
    const secret = `0x${'ab'.repeat(32)}`;
    const buy = { agent: ada, amount: 1 };
    const keyed = 'an argument has the form of a private key. No tool needs one';
    for (const [tool, given, expected] of [
      ['buy', { ...buy, limits: { perTrade: '100' } }, { code: 'USAGE' }],
      ['buy', { ...buy, perTrade: '100' }, { code: 'USAGE' }],
      ['buy', { ...buy, privateKey: secret }, { code: 'USAGE' }],
      ['buy', { ...buy, id: secret }, { code: 'USAGE' }],
      ['buy', { ...buy, amount: 21 }, { code: 'USAGE' }],
      ['buy', { ...buy, confidence: 70 }, { code: 'USAGE', error: 'confidence needs a thesis' }],
      ['sell', { ...buy, confidence: 70, dryRun: true }, { code: 'USAGE', error: 'confidence needs a thesis' }],
      ['buy', { ...buy, thesis: 'Up', confidence: 100 }, { code: 'USAGE' }],
      ['buy', { amount: 1 }, { error: 'agent is missing' }],
      ['wallet_status', { perDay: '1' }, { code: 'USAGE' }],
      ['post', { content: secret }, { code: 'USAGE', error: keyed }],
      ['follow', { agent: secret }, { code: 'USAGE', error: keyed }],
      ['get_agent', { agent: 'nobody_here' }, { error: 'Agent not found' }],
      ['no_such_tool', {}, { error: 'the service refuses tools/call: Unknown tool: no_such_tool' }],
    ] as const) {
      const error = await refusal(tool, given);
      expect(error).to.include(expected);
      expect(JSON.stringify(error)).to.not.include(secret);
    }
    const hashes = { txHash: secret, idempotencyKey: secret };
    expect(await refusal('record_trade', { action: 'buy', ...buy, ...hashes })).to.include({
      error: 'Transaction verification failed',
    });
    expect(file('config.json')).to.equal(config);
  });

  it('keeps to the limits that its settings have at its start, and counts earlier trades', async () => {
    const config = file('config.json');
    const settings = JSON.parse(config);
    // The limit of the day is exactly what earlier trades can have taken, so nothing is left.
    const spent = entries().reduce((sum, { atMost }) => sum + BigInt(atMost), 0n);
    const perDay = `0.${String(spent).padStart(18, '0')}`;
    for (const limit of [{ perTrade: '0.000001' }, { perDay }]) {
      const limits = { ...settings.limits, ...limit };
      writeFileSync(join(home, 'config.json'), JSON.stringify({ ...settings, limits }));
      const { refusal, call } = await start();
      // A change of the settings has no effect on a running command.
      writeFileSync(join(home, 'config.json'), config);
      const status = await call('wallet_status');
      expect(status).to.have.nested.property('limits.perTradeEth', limits.perTrade);
      if ('perDay' in limit) expect(status).to.include({ leftTodayEth: '0' });
      const { code, error } = await refusal('buy', { agent: ada, amount: 1 });
      expect([code, /perTrade|perDay/.exec(String(error))?.[0]]).to.deep.equal(['LIMIT_EXCEEDED', ...Object.keys(limit)]);
    }
  });

  it('buys once if it ends before the transaction is mined, and the call is repeated', async () => {
    const [already, signed] = [await held(), entries().length];
    const ask = { agent: 'ada', amount: 1, thesis: 'Cut short' };
    await withoutMining(world, async () => {
      const { refusal, close } = await start();
      expect(await refusal('buy', ask)).to.include({ code: 'TRADE_PENDING' });
      await close();
    });
    const { call } = await start();
    expect((await call('wallet_status')).unfinished).to.have.length(1);
    expect(await call('buy', ask)).to.include({ continued: true, ticketsHeld: already + 1 });
    expect(await held()).to.equal(already + 1);
    expect(entries()).to.have.length(signed + 1);
    // The answer has arrived, so the next call with the same arguments is another purchase.
    expect(await call('buy', ask)).to.include({ continued: false, ticketsHeld: already + 2 });
  });

  for (const when of ['before', 'after'] as const) {
    it(`buys once if its process is killed ${when} the transaction is sent, and the call is repeated`, async () => {
      const [already, signed] = [await held(), entries().length];
      let pid: number | null = null;
      const proxy = createServer(async (request, response) => {
        const body = await text(request);
        const isSent = body.includes('eth_sendRawTransaction');
        if (isSent && when === 'before') return void process.kill(Number(pid), 'SIGKILL');
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(world.chain.rpcUrl, { method: 'POST', headers, body });
        if (isSent) process.kill(Number(pid), 'SIGKILL');
        response.end(await answer.text());
      });
      const command = { command: join(root, 'bin/node'), args: [join(root, 'client/bin/curvet.js'), 'mcp'] };
      const env = childEnvironment(environment({ CURVET_RPC_URL: await listen(proxy) })) as Record<string, string>;
      const transport = new StdioClientTransport({ ...command, env, stderr: 'ignore' });
      // The process of the command has the time of the system, so the service gets that time, too.
      Object.assign(world.deps, { clock: systemClock });
      try {
        // In the mode `auto`, the client would start a second process, with which it probes the protocol.
        const client = new Client({ name: 'victim', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
        await client.connect(transport, { timeout: HANG_MS });
        ({ pid } = transport);
        const ask = { agent: 'ada', amount: 1, thesis: `Killed ${when}` };
        const cut = client.callTool({ name: 'buy', arguments: ask }, { timeout: HANG_MS });
        expect(await cut.catch((error: Error) => error)).to.be.instanceOf(Error);
        expect(entries().at(-1)).to.include({ state: 'signed', open: true });
        const { call } = await start({}, { clock: patientClock });
        expect(await call('buy', ask)).to.include({ continued: true, ticketsHeld: already + 1 });
        expect(entries()).to.have.length(signed + 1);
      } finally {
        Object.assign(world.deps, { clock: world.clock });
        proxy.closeAllConnections();
        proxy.close();
      }
    });
  }

  it('signs and writes nothing with --dry-run', async () => {
    const [before, journal] = [await held(), file('journal.json')];
    const { call, refusal, client } = await start({}, { args: ['--dry-run'] });
    await client.listTools();
    expect(await call('buy', { agent: 'ada', amount: 1 })).to.include({ dryRun: true });
    expect(await call('get_price', { agent: ada })).to.be.an('object');
    expect(await refusal('post', { text: 'Nothing' })).to.include({ code: 'NOT_CONFIGURED' });
    expect([await held(), file('journal.json')]).to.deep.equal([before, journal]);
  });

  for (const revision of ['auto', 'legacy'] as const) {
    it(`offers its own tools while the service is unavailable, and tells when it has the others (${revision})`, async () => {
      const line = await FaultyLine.to(world.url);
      await line.close();
      // Sleeps of 5 seconds or more are the pauses between attempts. They last until the service is back.
      const back = Promise.withResolvers<void>();
      const { sleep, ...clock } = clockOf(world);
      const patient = { ...clock, sleep: (ms: number) => (ms >= 5000 ? back.promise : sleep(ms)) };
      const told: (readonly string[])[] = [];
      const onTools = (names: readonly string[]) => told.push(names);
      const env = { CURVET_HOME: freshDirectory(), CURVET_URL: line.url };
      const { client } = await start(env, { revision, clock: patient, onTools });
      try {
        expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(LOCAL);
        await line.open();
        back.resolve();
        await eventually(() => told.length > 0, 'the client was not told');
        expect(told).to.have.length(1);
        expect(told[0]?.slice(0, LOCAL.length)).to.deep.equal(LOCAL);
        expect(told[0]).to.include('heartbeat');
      } finally {
        await line.close();
      }
    });
  }

  it('prints no secret', async () => {
    const { privateKey } = await Wallet.fromEncryptedJson(file('keystore.json'), PASSWORD);
    // Everything that the commands of the tests above have printed.
    const all = printed.join('\n');
    expect(all.length).to.be.above(10_000);
    expect(all).to.not.include(privateKey.slice(2)).and.not.include(PASSWORD);
    expect(all).to.not.match(/"apiKey": ?"/);
  });
});
