import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { TradeRequest } from '../../../../client/src/curvet.js';
import { curvet } from '../../../support/client/command-line.js';
import { homeOf } from '../../../support/client/home.js';
import { type Connected, connect } from '../../../support/client/mcp.js';
import { FAILED, HAS_URL, LIMITED, type Refusal, sendUnless } from '../../../support/client/refusals.js';
import { type ClientTrader, clockOf, limitsOf, newClientTrader, useTradedAgent } from '../../../support/client/traders.js';
import { listen } from '../../../support/service/listen.js';
import { endProcesses } from '../../../support/service/process.js';

describe('the program curvet', () => {
  const { world, one, held } = useTradedAgent();
  const signedBy = async ({ signer }: ClientTrader) => world.chain.provider.getTransactionCount(signer.address);
  let bob: ClientTrader;
  let refusal: Refusal | undefined;
  let environment: Record<string, string>;
  let connected: Connected | undefined;
  const proxy = createServer(async (request, response) => {
    const [url, body] = [`${world.url}${request.url}`, await text(request)];
    const headers = request.headers as Record<string, string>;
    const { method = 'GET' } = request;
    const sent = { method, headers, ...(body && { body }) };
    const given = await sendUnless(refusal, url, () => fetch(url, sent));
    response.writeHead(given.status, { 'content-type': 'application/json' }).end(await given.text());
  });
  before(async () => {
    bob = await newClientTrader(world);
    const url = await listen(proxy);
    const home = await homeOf(bob.signer, 'a long password', { url, limits: limitsOf(world) });
    environment = { CURVET_HOME: home, CURVET_PRIVATE_KEY: bob.signer.privateKey, CURVET_API_KEY: bob.key };
  });
  beforeEach(() => {
    refusal = HAS_URL;
  });
  after(async () => {
    await connected?.close();
    await endProcesses();
    proxy.closeAllConnections();
    proxy.close();
  });
  const call = (...args: string[]) => curvet(args, environment, clockOf(world));
  const buy = (...args: string[]) => call('buy', one.agent, '1', ...args);
  const snapshot = () => world.chain.provider.send('evm_snapshot', []);

  it('refuses a thesis with a dollar sign before it signs, and suggests USD', async () => {
    const signed = await signedBy(bob);
    for (const more of [[], ['--dry-run']]) {
      const { code, out, error } = await buy('--thesis', 'x $5', ...more);
      expect([code, out]).to.deep.equal([4, '']);
      expect(error).to.match(/^curvet: thesis contains invalid characters\n.*"\$" \(write USD\)/);
    }
    expect(await signedBy(bob)).to.equal(signed);
  });

  it('exits with 11 until the thesis of a trade is recorded, trades once, and names the id', async () => {
    const [signed, already] = [await signedBy(bob), await held(bob)];
    const { code, out } = await buy('--thesis', 'see it');
    expect(code).to.equal(11);
    expect(out).to.match(/^Bought 1 ticket of \S+ for 0\.\d+ ETH; the wallet holds \d+\n0x[0-9a-f]{64}\n/);
    expect(out).to.match(/in block \d+, and its thesis is not recorded because: Thesis must not contain URLs\. Do this\. Do not/);
    expect(out).to.include('run the same trade under its id with a corrected thesis, or without one.');
    for (const [other, when] of [
      [LIMITED, 'in 600 seconds'],
      [FAILED, 'later'],
      [{ status: 403, code: 'CONTENT_HIDDEN', error: 'Hidden' }, 'with a corrected thesis, or without one'],
    ] as const) {
      refusal = other;
      expect((await buy('--thesis', 'see it')).out).to.include(`run the same trade under its id ${when}.`);
    }
    refusal = HAS_URL;
    const [, id = ''] = /--id (\S+)\n$/.exec(out) ?? [];
    const again = await buy('--thesis', 'see it', '--json');
    expect([again.code, JSON.parse(again.out).recordError.code]).to.deep.equal([11, HAS_URL.code]);
    refusal = undefined;
    const corrected = await buy('--thesis', 'corrected', '--id', id, '--json');
    expect([corrected.code, JSON.parse(corrected.out).trade.thesis]).to.deep.equal([0, 'corrected']);
    expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 1, already + 1]);
    for (const [name, given, said] of [
      ['lost', ['--thesis', 'first'], 'The recorded thesis is "first".'],
      ['none', [], 'The trade is recorded without a thesis.'],
    ] as const) {
      refusal = { ...FAILED, isLost: true };
      await buy('--id', name, ...given);
      refusal = undefined;
      const second = await buy('--id', name, '--thesis', 'second');
      expect([second.code, second.out.split('\n').at(-2)]).to.deep.equal([0, said]);
    }
    refusal = LIMITED;
    expect((await buy()).code).to.equal(0);
  });

  it('exits with 12 if a reorg has removed the trade, and trades again with --again', async () => {
    refusal = undefined;
    const before = await snapshot();
    expect((await buy('--id', 'gone')).code).to.equal(0);
    await world.chain.provider.send('evm_revert', [before]);
    const { code, error } = await buy('--id', 'gone');
    expect(code).to.equal(12);
    expect(error).to.match(/^curvet: the trade is no longer on the chain.*\n.*--again\.\nTransaction 0x[0-9a-f]{64}\n$/);
    expect((await buy('--id', 'gone', '--again')).code).to.equal(0);
  });

  it('says over MCP whether a trade is recorded, and trades once per tradeId', async () => {
    const [signed, already] = [await signedBy(bob), await held(bob)];
    const mcp = await connect(environment, { clock: clockOf(world) });
    connected = mcp;
    for (const { name, inputSchema } of (await mcp.client.listTools()).tools.slice(0, 2)) {
      const schema = JSON.stringify(inputSchema);
      expect(schema, name).to.include('no `$`, no `{`, no URL, at most 140 characters; write USD').and.include('"tradeId"');
    }
    const ask: TradeRequest = { agent: one.agent, amount: 1, thesis: 'see it' };
    const first = await mcp.call('buy', ask);
    expect(first).to.include({ recorded: false, ticketsHeld: already + 1, continued: false });
    expect(first.totalEth).to.match(/^0\.\d+$/);
    expect(first.recordError).to.include({ code: 'THESIS_HAS_URL', retryAfter: null });
    expect(first.outcome).to.match(/^Bought 1 on the chain in block \d+ for 0\.\d+ ETH\. The wallet holds \d+\./);
    expect(first.outcome).to.include(`not recorded because: ${HAS_URL.error}.`).and.include(first.tradeId);
    // The same call again, as a model may send it, signs nothing.
    const same = await mcp.call('buy', ask);
    expect(same).to.include({ tradeId: first.tradeId, hash: first.hash, continued: true });
    expect(same.outcome).to.include('this call signed nothing');
    const unfinished = async () => (await mcp.call('wallet_status')).unfinished.map(({ id }: { id: string }) => id);
    expect(await unfinished()).to.deep.equal([first.tradeId]);
    refusal = undefined;
    const corrected = { ...ask, thesis: 'corrected', tradeId: first.tradeId };
    for (let repeated = 0; repeated < 2; repeated++) {
      const done = await mcp.call('buy', corrected);
      expect(done).to.include({ recorded: true, recordError: null, hash: first.hash, totalEth: first.totalEth });
      expect(done.outcome).to.match(/ Recorded\.$/);
    }
    expect(await unfinished()).to.deep.equal([]);
    refusal = { ...FAILED, isLost: true };
    await mcp.call('sell', { ...ask, tradeId: 'sold', thesis: 'first' });
    refusal = undefined;
    const second = await mcp.call('sell', { ...ask, tradeId: 'sold', thesis: 'second' });
    expect(second).to.include({ recorded: true, thesis: 'first' });
    expect(second.outcome).to.match(/ Recorded\. The recorded thesis is "first"\.$/);
    await mcp.call('buy', { ...ask, tradeId: 'instead' });
    // Two purchases and a sale, although the calls above were more.
    expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 3, already + 1]);
    refusal = { status: 410, code: 'DEPRECATED', error: 'This endpoint is deprecated' };
    const retired = await mcp.call('sell', { agent: one.agent, amount: 1 });
    expect(retired).to.include({ recorded: false, recordError: null });
    expect(retired.outcome).to.match(/ Not recorded yet\. The service finds the trade on the chain by itself\.$/);
    refusal = undefined;
    expect(await mcp.refusal('buy', { ...ask, thesis: 'x $5' })).to.include({ code: 'INVALID_CHARACTERS' });
    const before = await snapshot();
    await mcp.call('buy', { ...ask, tradeId: 'reorged' });
    await world.chain.provider.send('evm_revert', [before]);
    const gone = await mcp.refusal('buy', { ...ask, tradeId: 'reorged' });
    expect(gone).to.include({ code: 'GONE', tradeId: 'reorged' }).and.have.property('hash');
    expect(await mcp.call('buy', { ...ask, tradeId: 'reorged', again: true })).to.include({
      ticketsHeld: already + 1,
    });
  });
});
