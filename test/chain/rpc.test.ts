// Runs with few others: it measures times with a margin of 200 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RpcProvider, RpcUnavailable } from '../../src/chain/rpc.js';
import { TIMES, type Times } from '../../src/times.js';
import { answers, type Behaviour, drops, FakeNode, hangs, json, refusing, says, status, useless } from './node.js';

/** A tenth of the real timeouts, so that the tests are fast. */
const quick = {
  ...TIMES,
  rpcCall: 600,
  rpcHedge: 150,
  rpcLogs: 2000,
  rpcLogsHedge: 700,
  rpcCooldown: 500,
};
const ask = (provider: RpcProvider, method = 'web3_clientVersion') => provider.send(method, []);

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  return [await work, performance.now() - start];
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    (value) => {
      throw new Error(`expected a failure but got ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );
}

describe('JSON-RPC over several URLs', () => {
  const opened: { stop(): unknown }[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);

  const node = async (does: Behaviour): Promise<FakeNode> => {
    const made = await FakeNode.start(does);
    opened.push(made);
    return made;
  };
  const over = (urls: (FakeNode | string)[], times?: Times): RpcProvider => {
    const provider = new RpcProvider(
      urls.map((one) => (typeof one === 'string' ? one : one.url)),
      84532,
      times,
    );
    opened.push({ stop: () => provider.destroy() });
    return provider;
  };

  before(() => process.on('unhandledRejection', note));
  after(() => process.off('unhandledRejection', note));
  afterEach(async () => {
    for (const { stop } of opened.splice(0).map((one) => ({ stop: () => one.stop() }))) await stop();
    expect(unhandled.splice(0)).to.deep.equal([]);
  });

  it('asks only the first URL while it answers', async () => {
    const [a, b] = [await node(answers('a')), await node(answers('b'))];
    const provider = over([a, b]);
    for (let i = 0; i < 3; i++) expect(await ask(provider)).to.equal('a');
    expect([a.requests, b.requests]).to.deep.equal([3, 0]);
  });

  it('skips a URL that refuses the connection', async () => {
    const b = await node(answers('b'));
    const [answer, time] = await timed(ask(over([await refusing(), b])));
    expect(answer).to.equal('b');
    expect(time).to.be.below(500);
  });

  for (const [what, does] of Object.entries(useless)) {
    it(`skips a URL that returns ${what}`, async () => {
      const [a, b] = [await node(does), await node(answers('b'))];
      const [answer, time] = await timed(ask(over([a, b])));
      expect(answer).to.equal('b');
      expect(time).to.be.below(500);
      expect(a.requests).to.equal(1);
    });
  }

  it('skips a hanging URL within 2 s, and fails within 3 s when all hang', async () => {
    const [a, b] = [await node(hangs), await node(hangs)];
    const passing = over([a, await node(answers('c'))]);
    const dying = over([a, b]);
    const [[answer, passed], [error, died]] = await Promise.all([timed(ask(passing)), timed(failure(ask(dying)))]);
    expect(answer).to.equal('c');
    expect(passed).to.be.within(900, 2000);
    expect(error).to.be.instanceOf(RpcUnavailable);
    expect(died).to.be.within(2900, 3500);
    const [again, time] = await timed(ask(passing));
    expect([again, time < 500]).to.deep.equal(['c', true]);
  });

  it('skips a URL that hangs in the middle of its answer', async () => {
    const a = await node((response) => response.writeHead(200).write('{"jsonrpc":"2.0",'));
    expect(await ask(over([a, await node(answers('b'))], quick))).to.equal('b');
  });

  it('tries a failed URL last during its cooldown', async () => {
    const [a, b] = [await node(status(503)), await node(answers('b'))];
    const provider = over([a, b], quick);
    const start = performance.now();
    expect(await ask(provider)).to.equal('b');
    a.does = answers('a');
    expect(await ask(provider)).to.equal('b');
    expect(a.requests).to.equal(1);
    while ((await ask(provider)) !== 'a') await sleep(10);
    expect(performance.now() - start).to.be.within(quick.rpcCooldown - 20, quick.rpcCooldown + 400);
  });

  it('tries a hanging URL last during its cooldown', async () => {
    const [a, b] = [await node(hangs), await node(answers('b'))];
    const provider = over([a, b], quick);
    expect(await ask(provider)).to.equal('b');
    const start = performance.now();
    a.does = answers('a');
    while ((await ask(provider)) !== 'a') await sleep(10);
    expect(performance.now() - start).to.be.within(quick.rpcCooldown - 200, quick.rpcCooldown + 400);
  });

  it('tries URLs in their cooldown when the others fail, oldest failure first', async () => {
    const [a, b] = [await node(status(503)), await node(status(503))];
    const provider = over([a, b], { ...quick, rpcCooldown: 60_000 });
    expect(await failure(ask(provider))).to.be.instanceOf(RpcUnavailable);
    b.does = answers('b');
    expect(await ask(provider)).to.equal('b');
    a.does = answers('a');
    // Both URLs are in their cooldown. URL a failed more recently.
    expect(await ask(provider)).to.equal('b');
    expect([a.requests, b.requests]).to.deep.equal([2, 3]);
    b.does = status(503);
    expect(await ask(provider)).to.equal('a');
    expect(await ask(provider)).to.equal('a');
    expect([a.requests, b.requests]).to.deep.equal([4, 4]);
  });

  it('fails with RpcUnavailable as soon as all URLs have refused', async () => {
    const provider = over([await refusing(), await node(status(500)), await refusing()]);
    const [error, time] = await timed(failure(ask(provider)));
    expect(error).to.be.instanceOf(RpcUnavailable);
    expect(error.message).to.equal('ECONNREFUSED; HTTP 500; ECONNREFUSED');
    expect(time).to.be.below(500);
    // The error keeps its class in calls through ethers.
    expect(await failure(provider.getBlockNumber())).to.be.instanceOf(RpcUnavailable);
    expect(await failure(provider.getLogs({ fromBlock: 1, toBlock: 2 }))).to.be.instanceOf(RpcUnavailable);
    expect(await failure(provider.call({ to: `0x${'1'.repeat(40)}` }))).to.be.instanceOf(RpcUnavailable);
  });

  it('gives each URL its own timeout, which the late failure of another does not shorten', async () => {
    const late: Behaviour = (response) => setTimeout(() => status(503)(response, [], response.req), 220);
    const slowly: Behaviour = (response, calls) => setTimeout(() => answers('b')(response, calls, response.req), 140);
    const [a, b, c] = [await node(late), await node(slowly), await node(answers('c'))];
    expect(await ask(over([a, b, c], quick))).to.equal('b');
    expect(c.requests).to.equal(0);
  });

  it('uses the answer of the slow URL if it arrives first, and starts the cooldown of the other', async () => {
    const slowly: Behaviour = (response, calls) => setTimeout(() => answers('a')(response, calls, response.req), 250);
    const [a, b] = [await node(slowly), await node(hangs)];
    const provider = over([a, b], quick);
    expect(await ask(provider)).to.equal('a');
    b.does = answers('b');
    expect(await ask(provider)).to.equal('b');
  });

  it('ignores a late answer', async () => {
    let answerLate: () => void = () => {};
    const a = await node((response, calls) => {
      answerLate = () => answers('late')(response, calls, response.req);
    });
    const b = await node(answers('b'));
    const provider = over([a, b], quick);
    expect(await ask(provider)).to.equal('b');
    answerLate();
    expect(await ask(provider)).to.equal('b');
    expect(await failure(ask(over([a], quick)))).to.be.instanceOf(RpcUnavailable);
    answerLate();
    expect(await ask(provider)).to.equal('b');
  });

  it('returns an error of the chain without asking another URL', async () => {
    const code = { code: -32000, message: 'nonce too low' };
    const a = await node((response, [call]) => json(response, [{ jsonrpc: '2.0', id: call?.id, error: code }]));
    const bad = await node((response, [call]) =>
      response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, error: code })),
    );
    const b = await node(answers('b'));
    for (const first of [a, bad]) {
      const error = await failure(ask(over([first, b])));
      expect(error).to.not.be.instanceOf(RpcUnavailable);
      expect(error.message).to.include('nonce too low');
    }
    expect(b.requests).to.equal(0);
    expect(a.requests).to.equal(1);
  });

  for (const [what, error] of Object.entries({
    'the JSON-RPC code for too many requests': { code: -32005, message: 'limit exceeded' },
    'the code 429': { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
    'only a message': { code: -32000, message: 'Too Many Requests, slow down' },
  })) {
    it(`skips a URL that refuses a call with HTTP 200 and ${what}`, async () => {
      const limited: Behaviour = (response, calls) =>
        json(
          response,
          calls.map(({ id }, i) => (i === calls.length - 1 ? { jsonrpc: '2.0', id, error } : { id, result: 'a' })),
        );
      const a = await node(limited);
      const provider = over([a, await node(answers('b'))]);
      expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['b', 'b']);
      expect(await ask(provider)).to.equal('b');
      expect(a.requests).to.equal(1);
      expect(await failure(ask(over([a])))).to.be.instanceOf(RpcUnavailable);
    });
  }

  it('returns the error that a range of logs is too large, even with the code for too many requests', async () => {
    const error = { code: -32005, message: 'query returned more than 10000 results' };
    const a = await node((response, [call]) => json(response, [{ jsonrpc: '2.0', id: call?.id, error }]));
    const b = await node(answers('b'));
    const refused = await failure(ask(over([a, b]), 'eth_getLogs'));
    expect(refused).to.not.be.instanceOf(RpcUnavailable);
    expect(b.requests).to.equal(0);
  });

  it('does not delay a fast call by a slow read of logs', async () => {
    const slowLogs: Behaviour = (response, calls) => {
      if (calls.some(({ method }) => method === 'eth_getLogs'))
        setTimeout(() => says('{"jsonrpc":"2.0","id":1,"result":[]}')(response, calls, response.req), 400);
      else answers('a')(response, calls, response.req);
    };
    const a = await node(slowLogs);
    const provider = over([a, await node(answers('b'))], quick);
    const logs = timed(ask(provider, 'eth_getLogs'));
    const [, time] = await timed(ask(provider));
    expect(time).to.be.below(200);
    expect((await logs)[0]).to.deep.equal([]);
    expect(a.requests).to.equal(2);
  });

  describe('a transaction', () => {
    const send = (provider: RpcProvider) => provider.send('eth_sendRawTransaction', ['0x02']);

    it('goes to the next URL when the first refused it', async () => {
      const [a, b] = [await node(status(429)), await node(answers('b'))];
      expect(await send(over([await refusing(), a, b]))).to.equal('b');
      expect([a.requests, b.requests]).to.deep.equal([1, 1]);
    });

    it('is not sent again when the first URL may have accepted it', async () => {
      for (const does of [hangs, drops, status(502), says('garbage')]) {
        const [a, b] = [await node(does), await node(answers('b'))];
        expect(await failure(send(over([a, b], quick)))).to.be.instanceOf(RpcUnavailable);
        expect([a.requests, b.requests]).to.deep.equal([1, 0]);
      }
    });

    it('waits for a slow first URL', async () => {
      const slowly: Behaviour = (response, calls) => setTimeout(() => answers('a')(response, calls, response.req), 250);
      const [a, b] = [await node(slowly), await node(answers('b'))];
      expect(await send(over([a, b], quick))).to.equal('a');
      expect(b.requests).to.equal(0);
    });

    it('fails with the error of the chain', async () => {
      const error = { code: -32003, message: 'already known' };
      const a = await node((response, [call]) => json(response, [{ jsonrpc: '2.0', id: call?.id, error }]));
      expect((await failure(send(over([a])))).message).to.include('already known');
    });
  });

  it('sends the credentials of a URL and does not reveal them', async () => {
    const seen: (string | undefined)[] = [];
    const a = await node((response, calls, request) => {
      seen.push(request.headers.authorization);
      answers('a')(response, calls, request);
    });
    const url = a.url.replace('//', '//me:p%40ss@');
    expect(await ask(over([url]))).to.equal('a');
    expect(seen).to.deep.equal([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    a.does = status(500);
    expect((await failure(ask(over([url])))).message).to.equal('HTTP 500');
  });
});
