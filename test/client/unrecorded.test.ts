// CI: it makes many trades on the chain, which take seconds, and starts the command line.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { CurvetOptions, TradeRequest } from '../../client/src/curvet.js';
import { listen } from '../support/service/listen.js';
import { endProcesses } from '../support/service/process.js';
import { curvet } from './support/command-line.js';
import { homeOf } from './support/home.js';
import { connect } from './support/mcp.js';
import { type ClientTrader, clockOf, limitsOf, newClientTrader, thrown, useTradedAgent } from './support/traders.js';

type Refusal = { readonly status: number; readonly code: string; readonly error: string; readonly retryAfter?: number };
const HAS_URL: Refusal = { status: 400, code: 'THESIS_HAS_URL', error: 'Thesis must not contain URLs' };
const LIMITED: Refusal = { status: 429, code: 'RATE_LIMITED', error: 'Too many requests', retryAfter: 600 };
const answerOf = ({ status, retryAfter, ...body }: Refusal) =>
  Response.json(
    { success: false, ...body, hint: 'Do this.', ...(retryAfter ? { retryAfter } : {}) },
    { status, headers: retryAfter ? { 'retry-after': String(retryAfter) } : {} },
  );

describe('a trade of the client that the service does not record', () => {
  const { world, one, held } = useTradedAgent();
  after(endProcesses);
  const isRecord = (url: string) => /\/api\/tickets\/(buy|sell)$/.test(url);

  /** A trader for whom the service refuses the record of a trade, until `refusal` is cleared. */
  async function refused(given: Refusal, options: Partial<CurvetOptions> = {}) {
    const state = { refusal: given as Refusal | undefined };
    const fetch: typeof globalThis.fetch = async (input, init) =>
      state.refusal && isRecord(String(input)) ? answerOf(state.refusal) : globalThis.fetch(input, init);
    return Object.assign(await newClientTrader(world, { fetch, ...options }), { state });
  }
  const signedBy = async ({ signer }: ClientTrader) => world.chain.provider.getTransactionCount(signer.address);
  const recorded = async ({ curvet }: ClientTrader) =>
    (await curvet.agents.trades().take(5)).map(({ thesis }: { readonly thesis: string | null }) => thesis);

  for (const [what, thesis, code] of [
    ['a dollar sign', 'x $5', 'INVALID_CHARACTERS'],
    ['a brace', 'x {5}', 'INVALID_CHARACTERS'],
    ['a URL', 'see https://curvet.test/x', 'THESIS_HAS_URL'],
    ['141 characters', 'x'.repeat(141), 'FIELD_TOO_LONG'],
  ] as const) {
    it(`is refused before it is signed, also in a dry run, if its thesis has ${what}`, async () => {
      const bob = await newClientTrader(world);
      const signed = await signedBy(bob);
      for (const tried of [
        bob.curvet.trade.buy({ ...one, thesis }),
        bob.curvet.trade.dryRun('buy', { ...one, thesis }),
      ]) {
        const error = await thrown(tried);
        expect(error).to.include({ code, status: 400 });
        if (thesis.includes('$')) expect(error).to.have.property('hint').include('"$" (write USD)');
      }
      expect([await bob.entries(), await signedBy(bob)]).to.deep.equal([[], signed]);
    });
  }

  it('has what the chain says, and why it is not recorded, and its thesis is corrected under the same id', async () => {
    const bob = await refused(HAS_URL);
    const [signed, ask] = [await signedBy(bob), { ...one, id: 'one', thesis: 'see it' }];
    const first = await bob.curvet.trade.buy(ask);
    const { hint, ...why } = { ...first.recordError };
    expect(why).to.deep.equal({ code: 'THESIS_HAS_URL', error: HAS_URL.error, retryAfter: null });
    expect(first).to.include({ trade: null, ticketsHeld: 1, thesis: 'see it', continued: false });
    bob.state.refusal = undefined;
    const corrected = await bob.curvet.trade.buy({ ...ask, thesis: 'corrected' });
    expect(corrected).to.include({ hash: first.hash, continued: true, recordError: null, total: first.total });
    expect(corrected.trade).to.include({ thesis: 'corrected', total: first.total });
    expect(await recorded(bob)).to.deep.equal(['corrected']);
    // What is recorded stays. Without a thesis, the call only continues.
    const { thesis: _, ...bare } = ask;
    expect((await bob.curvet.trade.buy(bare)).trade).to.include({ thesis: 'corrected' });
    expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'TRADE_ID_REUSED' });
    expect(await thrown(bob.curvet.trade.sell({ ...ask }))).to.include({ code: 'TRADE_ID_REUSED' });
    expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 1, 1]);
  });

  it('can be recorded without its thesis, or with the one that it has', async () => {
    for (const [more, expected] of [
      [{ thesis: '' }, null],
      [{}, 'see it'],
    ] as const) {
      const bob = await refused(HAS_URL);
      await bob.curvet.trade.buy({ ...one, id: 'one', thesis: 'see it' });
      bob.state.refusal = undefined;
      expect((await bob.curvet.trade.buy({ ...one, id: 'one', ...more })).trade).to.include({ thesis: expected });
    }
  });

  it('is continued by the same call without an id until its thesis is recorded, and says how long to wait', async () => {
    const bob = await refused(LIMITED);
    const ask = { ...one, thesis: 'wait' };
    const { recordError, hash } = await bob.curvet.trade.buy(ask);
    expect(recordError).to.include({ code: 'RATE_LIMITED', retryAfter: 600 });
    expect(await bob.curvet.trade.buy(ask)).to.include({ hash, continued: true, trade: null });
    bob.state.refusal = undefined;
    expect(await bob.curvet.trade.buy(ask)).to.include({ hash, continued: true, recordError: null });
    expect(await recorded(bob)).to.deep.equal(['wait']);
    expect(await bob.curvet.trade.buy(ask)).to.include({ continued: false });
    expect(await held(bob)).to.equal(2);
  });

  it('is recorded by a retry of the client if the service is limited for seconds, away, or busy with it', async () => {
    for (const refusal of [
      { ...LIMITED, retryAfter: 30 },
      { status: 503, code: 'DATABASE_UNAVAILABLE', error: 'Database unavailable', retryAfter: 5 },
      { status: 409, code: 'REQUEST_IN_PROGRESS', error: 'Request in progress', retryAfter: 1 },
    ]) {
      const clock = clockOf(world);
      const sleep = async (milliseconds: number) => {
        if (milliseconds >= refusal.retryAfter * 1000) bob.state.refusal = undefined;
        await clock.sleep(milliseconds);
      };
      const bob = await refused(refusal, { clock: { ...clock, sleep } });
      const { recordError, trade } = await bob.curvet.trade.buy({ ...one, thesis: 'retried' });
      expect([recordError, trade?.thesis]).to.deep.equal([null, 'retried']);
    }
  });

  it('has ended without a thesis, because nothing is lost', async () => {
    const bob = await refused(LIMITED);
    expect(await bob.curvet.trade.buy(one)).to.have.nested.property('recordError.code', 'RATE_LIMITED');
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: false, ticketsHeld: 2 });
    bob.state.refusal = { status: 410, code: 'DEPRECATED', error: 'This endpoint is deprecated' };
    expect(await bob.curvet.trade.sell(one)).to.include({ recordError: null, trade: null, ticketsHeld: 1 });
  });

  it('asks the service as often without a thesis as with one', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (String(input).startsWith(world.url)) asked.push(new URL(String(input)).pathname);
      return globalThis.fetch(input, init);
    };
    const bob = await newClientTrader(world, { fetch });
    await bob.curvet.trade.buy(one);
    await bob.curvet.trade.buy({ ...one, thesis: 'counted' });
    expect(asked).to.deep.equal([
      ...['/api/contract', '/api/tickets/quote', '/api/tickets/buy', '/api/tickets/quote', '/api/tickets/buy'],
    ]);
  });

  describe('over the command line and MCP', () => {
    let bob: ClientTrader;
    let refusal: Refusal | undefined;
    let environment: Record<string, string>;
    const proxy = createServer(async (request, response) => {
      const [url, body] = [`${world.url}${request.url}`, await text(request)];
      const headers = request.headers as Record<string, string>;
      const { method = 'GET' } = request;
      const sent = { method, headers, ...(body && { body }) };
      const given = refusal && isRecord(url) ? answerOf(refusal) : await fetch(url, sent);
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
    after(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const call = (...args: string[]) => curvet(args, environment, clockOf(world));
    const buy = (...args: string[]) => call('buy', one.agent, '1', ...args);
    const snapshot = () => world.chain.provider.send('evm_snapshot', []);

    it('refuses a thesis before the signature, and offers to write USD', async () => {
      const signed = await signedBy(bob);
      for (const more of [[], ['--dry-run']]) {
        const { code, out, error } = await buy('--thesis', 'x $5', ...more);
        expect([code, out]).to.deep.equal([4, '']);
        expect(error).to.match(/^curvet: thesis contains invalid characters\n.*"\$" \(write USD\)/);
      }
      expect(await signedBy(bob)).to.equal(signed);
    });

    it('exits with 11 until the thesis is recorded, trades once, and names the id', async () => {
      const [signed, already] = [await signedBy(bob), await held(bob)];
      const { code, out } = await buy('--thesis', 'see it');
      expect(code).to.equal(11);
      expect(out).to.match(/^Bought 1 ticket of \S+ for 0\.\d+ ETH; the wallet holds \d+\n0x[0-9a-f]{64}\n/);
      expect(out).to.match(
        /in block \d+, and its thesis is not recorded because: Thesis must not contain URLs\. Do this\. Do not/,
      );
      const [, id = ''] = /--id (\S+)\n$/.exec(out) ?? [];
      const again = await buy('--thesis', 'see it', '--json');
      expect([again.code, JSON.parse(again.out).recordError.code]).to.deep.equal([11, HAS_URL.code]);
      refusal = undefined;
      const corrected = await buy('--thesis', 'corrected', '--id', id, '--json');
      expect([corrected.code, JSON.parse(corrected.out).trade.thesis]).to.deep.equal([0, 'corrected']);
      expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 1, already + 1]);
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
      expect(error).to.match(
        /^curvet: the trade is no longer on the chain.*\n.*--again\.\nTransaction 0x[0-9a-f]{64}\n$/,
      );
      expect((await buy('--id', 'gone', '--again')).code).to.equal(0);
    });

    it('says in words what happened, and trades once per tradeId', async () => {
      const [signed, already] = [await signedBy(bob), await held(bob)];
      const mcp = await connect(environment, { clock: clockOf(world) });
      for (const { name, inputSchema } of (await mcp.client.listTools()).tools.slice(0, 2)) {
        const schema = JSON.stringify(inputSchema);
        expect(schema, name)
          .to.include('no `$`, no `{`, no URL, at most 140 characters; write USD')
          .and.include('"tradeId"');
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
      refusal = undefined;
      const corrected = { ...ask, thesis: 'corrected', tradeId: first.tradeId };
      for (let repeated = 0; repeated < 2; repeated++) {
        const done = await mcp.call('buy', corrected);
        expect(done).to.include({ recorded: true, recordError: null, hash: first.hash, totalEth: first.totalEth });
        expect(done.outcome).to.match(/Recorded\.$/);
      }
      expect([await signedBy(bob), await held(bob)]).to.deep.equal([signed + 1, already + 1]);
      expect(await mcp.refusal('buy', { ...ask, thesis: 'x $5' })).to.include({ code: 'INVALID_CHARACTERS' });
      const before = await snapshot();
      await mcp.call('buy', { ...ask, tradeId: 'reorged' });
      await world.chain.provider.send('evm_revert', [before]);
      const gone = await mcp.refusal('buy', { ...ask, tradeId: 'reorged' });
      expect(gone).to.include({ code: 'GONE', tradeId: 'reorged' }).and.have.property('hash');
      expect(await mcp.call('buy', { ...ask, tradeId: 'reorged', again: true })).to.include({
        ticketsHeld: already + 2,
      });
      await mcp.close();
    });
  });
});
