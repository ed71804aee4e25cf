import { expect } from 'chai';
import { RpcUnavailable } from '../../../src/chain/rpc.js';
import { TIMES } from '../../../src/config/timeouts.js';
import { reasonOf } from '../../../src/observe/outages.js';
import { answers, ask, type Behaviour, hangs, held, refusing, status, useNodes } from '../../support/chain/node.js';
import { thrownBy } from '../../support/refused.js';
import { eventually } from '../../support/service/process.js';
import { type ManualTimes, manualTimes } from '../../support/times.js';

describe('the RPC provider', () => {
  const { node, over, counted, asked, arrived } = useNodes();
  /** Begins a call with two URLs, and advances the clock until the second is asked too, because the first has not answered. */
  async function hedged(first: Behaviour, second: Behaviour) {
    const [a, b, times] = [await node(first), await node(second), manualTimes()];
    const provider = over([a, b], times);
    const answer = ask(provider);
    await asked(a);
    times.advance(TIMES.rpcHedge);
    return { a, b, times, provider, answer };
  }
  /** Lets the background question to a hanging URL time out, and lets the next one begin. */
  async function askAgain(times: ManualTimes): Promise<void> {
    times.advance(TIMES.rpcCall);
    await eventually(() => times.waiting[0] === TIMES.rpcRetry);
    times.advance(TIMES.rpcRetry);
  }

  for (const [where, does] of Object.entries<Behaviour>({
    'before its answer': hangs,
    'in the middle of its answer': (response) => response.writeHead(200).write('{"jsonrpc":"2.0",'),
  })) {
    it(`skips a URL after one second if it hangs ${where}`, async () => {
      const [a, b, times] = [await node(does), await node(answers('b')), manualTimes()];
      const provider = over([a, b], times);
      const answer = ask(provider);
      await asked(a);
      expect(times.waiting).to.deep.equal([1000, 3000]);
      times.advance(1000);
      expect(await answer).to.equal('b');
      expect(times.waiting, 'only the question in the background').to.deep.equal([3000]);
      expect(await counted(a)).to.deep.equal(['web3_clientVersion cancelled 1']);
      expect(await ask(provider)).to.equal('b');
    });
  }

  it('fails after three seconds when all URLs hang', async () => {
    const [a, b, times] = [await node(hangs), await node(hangs), manualTimes()];
    const error = thrownBy(ask(over([a, b], times)));
    await asked(a);
    times.advance(1000);
    await asked(b);
    times.advance(1000);
    expect(times.waiting, 'the call').to.deep.equal([1000]);
    times.advance(1000);
    expect(await error).to.be.instanceOf(RpcUnavailable);
    for (const url of [a, b]) expect(await counted(url)).to.deep.equal(['web3_clientVersion failed 1']);
  });

  it('lets only the first calls wait for a URL that hangs, until it answers again', async () => {
    const [a, times] = [await node(hangs), manualTimes()];
    const provider = over([a], times);
    const first = [thrownBy(ask(provider)), thrownBy(provider.send('eth_sendRawTransaction', ['0x02']))];
    await asked(a, 2);
    times.advance(TIMES.rpcCall);
    for (const error of first) expect(await error).to.be.instanceOf(RpcUnavailable);
    // The third request is the first one that the provider makes in the background.
    await asked(a, 3);
    const later = ['eth_gasPrice', 'eth_getLogs', 'eth_sendRawTransaction'].map((method) => thrownBy(ask(provider, method)));
    for (const error of later) expect(reasonOf(await error)).to.equal('all URLs hang');
    expect(times.waiting).to.deep.equal([TIMES.rpcCall]);

    // The URL is asked again in the background, one request at a time, until it answers.
    await askAgain(times);
    await asked(a, 4);
    expect(a.asked.slice(2)).to.deep.equal(['eth_getBlockByNumber', 'eth_getBlockByNumber']);
    a.does = status(503);
    await askAgain(times);
    await asked(a, 5);
    await eventually(async () => reasonOf(await thrownBy(ask(provider))) === 'HTTP 503');
    a.does = answers('a');
    expect(await ask(provider)).to.equal('a');
    expect(times.waiting).to.deep.equal([]);
  });

  it('leaves out only the URLs that hang', async () => {
    const { a, b, times, provider, answer } = await hedged(hangs, status(503));
    const error = thrownBy(answer);
    await asked(b);
    await arrived();
    times.advance(TIMES.rpcCall - TIMES.rpcHedge);
    expect(reasonOf(await error)).to.equal('no answer in time; HTTP 503');
    b.does = answers('b');
    expect([await ask(provider), await ask(provider, 'eth_gasPrice')]).to.deep.equal(['b', 'b']);
    expect(a.asked).to.deep.equal(['web3_clientVersion', 'eth_getBlockByNumber']);
  });

  it('tries a failed URL last for ten seconds', async () => {
    const [a, b, times] = [await node(status(503)), await node(answers('b')), manualTimes()];
    const provider = over([a, b], times);
    expect(await ask(provider)).to.equal('b');
    a.does = answers('a');
    times.advance(9999);
    expect(await ask(provider)).to.equal('b');
    expect(a.requests).to.equal(1);
    times.advance(1);
    expect(await ask(provider)).to.equal('a');
  });

  it('tries a hanging URL last until it answers, and for ten more seconds', async () => {
    const { a, times, provider, answer } = await hedged(hangs, answers('b'));
    expect(await answer).to.equal('b');
    await asked(a, 2);
    await askAgain(times);
    await asked(a, 3);
    // A transaction is sent to one URL only. This must be the URL that answers.
    expect([await ask(provider), await ask(provider, 'eth_sendRawTransaction')]).to.deep.equal(['b', 'b']);
    a.does = answers('a');
    await askAgain(times);
    await asked(a, 4);
    await eventually(() => times.waiting.length === 0);
    times.advance(TIMES.rpcCooldown - 1);
    expect(await ask(provider)).to.equal('b');
    times.advance(1);
    expect(await ask(provider)).to.equal('a');
    expect(a.asked).to.deep.equal(['web3_clientVersion', ...Array(3).fill('eth_getBlockByNumber'), 'web3_clientVersion']);
  });

  for (const method of ['eth_call', 'eth_getLogs']) {
    it(`keeps a URL in use that hangs only for ${method}`, async () => {
      const times = manualTimes();
      const a = await node((...given) => (given[1][0]?.method === method ? hangs : answers('a'))(...given));
      const provider = over([a], times);
      const error = thrownBy(ask(provider, method));
      await asked(a);
      expect(await ask(provider)).to.equal('a');
      // The timeout of `eth_getLogs`. That of `eth_call` is shorter.
      times.advance(TIMES.rpcLogs);
      expect(reasonOf(await error)).to.equal('no answer in time');
      expect([await ask(provider), times.waiting]).to.deep.equal(['a', []]);
    });
  }

  it('tries URLs in their cooldown when the others fail, oldest failure first', async () => {
    const [a, b] = [await node(status(503)), await node(status(503))];
    const times = manualTimes();
    const provider = over([a, b], times);
    const askLater = () => {
      times.advance(1);
      return ask(provider);
    };
    expect(await thrownBy(askLater())).to.be.instanceOf(RpcUnavailable);
    b.does = answers('b');
    expect(await askLater()).to.equal('b');
    a.does = answers('a');
    // Both URLs are in their cooldown. URL a failed more recently, so URL b is asked first.
    expect(await askLater()).to.equal('b');
    expect([a.requests, b.requests]).to.deep.equal([2, 3]);
    b.does = status(503);
    expect(await askLater()).to.equal('a');
    expect(await askLater()).to.equal('a');
    expect([a.requests, b.requests]).to.deep.equal([4, 4]);
  });

  it('gives each URL its own timeout, which the late failure of another does not shorten', async () => {
    const [late, slow, times] = [held(status(503)), held(answers('b')), manualTimes()];
    const [a, b, c] = [await node(late.does), await node(slow.does), await node(answers('c'))];
    const answer = ask(over([a, b, c], times));
    await asked(a);
    times.advance(TIMES.rpcHedge);
    await asked(b);
    times.advance(TIMES.rpcHedge - 1);
    late.answer();
    await arrived();
    slow.answer();
    expect(await answer).to.equal('b');
    expect(c.requests).to.equal(0);
  });

  it('uses the answer of a slow URL if it arrives first, and starts the cooldown of that URL', async () => {
    const slow = held(answers('a'));
    const { b, provider, answer } = await hedged(slow.does, hangs);
    await asked(b);
    slow.answer();
    expect(await answer).to.equal('a');
    b.does = answers('b');
    expect(await ask(provider)).to.equal('b');
  });

  it('keeps a slow URL in use while no other one answers', async () => {
    const times = manualTimes();
    let slow = held(answers('a'));
    const a = await node((...given) => slow.does(...given));
    const provider = over([a, await refusing()], times);
    for (let call = 1; call <= 3; call++) {
      slow = held(answers('a'));
      const answer = ask(provider);
      await asked(a, call);
      times.advance(TIMES.rpcHedge);
      await arrived();
      slow.answer();
      expect(await answer).to.equal('a');
    }
  });

  it('times out a read of logs after five seconds, and asks the next URL after 1.9', async () => {
    const [a, b, times] = [await node(hangs), await node(hangs), manualTimes()];
    const error = thrownBy(ask(over([a, b], times), 'eth_getLogs'));
    await asked(a);
    expect(times.waiting).to.deep.equal([1900, 5000]);
    times.advance(1900);
    await asked(b);
    times.advance(3100);
    expect(await error).to.be.instanceOf(RpcUnavailable);
  });

  it('avoids a URL that contradicted the chain for three cooldowns, and batches that it refused for six', async () => {
    const takesNone: Behaviour = (response, calls, request) =>
      (calls.length > 1 ? status(400) : answers('a'))(response, calls, request);
    const [a, b, times] = [await node(takesNone), await node(answers('b')), manualTimes()];
    const provider = over([a, b], times);
    const askTwice = async () => {
      const before = a.requests;
      expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['a', 'a']);
      return a.requests - before;
    };
    expect(await askTwice()).to.equal(3);
    a.does = answers('a');
    // The index calls this when an answer contradicts the chain.
    provider.demoteUrl();
    times.advance(3 * TIMES.rpcCooldown - 1);
    expect(await ask(provider)).to.equal('b');
    times.advance(1);
    expect(await ask(provider)).to.equal('a');
    // The six cooldowns began with the refused batch, so three of them are over.
    times.advance(3 * TIMES.rpcCooldown - 1);
    expect(await askTwice()).to.equal(2);
    times.advance(1);
    expect(await askTwice()).to.equal(1);
  });
});
