import { expect } from 'chai';
import { type RpcProvider, RpcUnavailable } from '../../../src/chain/rpc.js';
import { TIMES } from '../../../src/config/timeouts.js';
import { reasonOf } from '../../../src/observe/outages.js';
import { answers, ask, drops, hangs, held, refusing, replies, says, status, useless, useNodes } from '../../support/chain/node.js';
import { outcomeOf, thrownBy } from '../../support/refused.js';
import { manualTimes } from '../../support/times.js';

describe('JSON-RPC over several URLs', () => {
  const { node, over, counted, asked, arrived } = useNodes();

  for (const [what, does] of Object.entries(useless)) {
    it(`skips a URL that returns ${what}`, async () => {
      const [a, b] = [await node(does), await node(answers('b'))];
      expect(await ask(over([a, b]))).to.equal('b');
      expect(a.requests).to.equal(1);
      expect(await counted(a)).to.deep.equal(['web3_clientVersion failed 1']);
      expect(await counted(b)).to.deep.equal(['web3_clientVersion answered 1']);
    });
  }

  it('fails with RpcUnavailable as soon as all URLs have refused', async () => {
    const provider = over([await refusing(), await node(status(500)), await refusing()]);
    const error = await thrownBy(ask(provider));
    expect(error).to.be.instanceOf(RpcUnavailable);
    expect(reasonOf(error)).to.equal('ECONNREFUSED; HTTP 500; ECONNREFUSED');
    // The methods that the provider has from ethers must throw the same class of error.
    expect(await thrownBy(provider.getBlockNumber())).to.be.instanceOf(RpcUnavailable);
    expect(await thrownBy(provider.getLogs({ fromBlock: 1, toBlock: 2 }))).to.be.instanceOf(RpcUnavailable);
    expect(await thrownBy(provider.call({ to: `0x${'1'.repeat(40)}` }))).to.be.instanceOf(RpcUnavailable);
  });

  for (const method of ['eth_gasPrice', 'eth_sendRawTransaction']) {
    it(`returns an error of the chain without asking another URL for ${method}`, async () => {
      const error = { code: -32000, message: 'nonce too low' };
      const a = await node(replies(() => ({ error })));
      const bad = await node((response, [call]) =>
        response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, error })),
      );
      const b = await node(answers('b'));
      for (const first of [a, bad]) {
        expect(await outcomeOf(ask(over([first, b]), method))).to.include('nonce too low');
        expect(await counted(first)).to.deep.equal([`${method} error 1`]);
      }
      expect(b.requests).to.equal(0);
      expect(a.requests).to.equal(1);
    });
  }

  for (const [what, error] of Object.entries({
    'the JSON-RPC code for too many requests': { code: -32005, message: 'limit exceeded' },
    'the code 429': { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
    'only a message': { code: -32000, message: 'Too Many Requests, slow down' },
  })) {
    it(`skips a URL that refuses a call with HTTP 200 and ${what}`, async () => {
      const a = await node(replies(({ method }) => (method === 'eth_gasPrice' ? { error } : { result: 'a' })));
      const provider = over([a, await node(answers('b'))]);
      expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['b', 'b']);
      expect(await ask(provider)).to.equal('b');
      expect(a.requests).to.equal(1);
      expect(await thrownBy(ask(over([a]), 'eth_gasPrice'))).to.be.instanceOf(RpcUnavailable);
    });
  }

  it('returns the error that a range of logs is too large, even with the code for too many requests', async () => {
    const error = { code: -32005, message: 'query returned more than 10000 results' };
    const a = await node(replies(() => ({ error })));
    const b = await node(answers('b'));
    expect(await outcomeOf(ask(over([a, b]), 'eth_getLogs'))).to.include('more than 10000 results');
    expect(b.requests).to.equal(0);
  });

  it('does not delay a fast call by a slow read of logs', async () => {
    const slow = held(says('{"jsonrpc":"2.0","id":1,"result":[]}'));
    const a = await node((response, calls, request) => {
      const isLogs = calls.some(({ method }) => method === 'eth_getLogs');
      (isLogs ? slow.does : answers('a'))(response, calls, request);
    });
    const provider = over([a, await node(answers('b'))]);
    const logs = ask(provider, 'eth_getLogs');
    expect(await ask(provider)).to.equal('a');
    await asked(a, 2);
    slow.answer();
    expect(await logs).to.deep.equal([]);
    expect(a.requests).to.equal(2);
  });

  describe('for a transaction', () => {
    const send = (provider: RpcProvider) => provider.send('eth_sendRawTransaction', ['0x02']);

    it('asks the next URL when the first has refused it', async () => {
      const [a, b] = [await node(status(429)), await node(answers('b'))];
      expect(await send(over([await refusing(), a, b]))).to.equal('b');
      expect([a.requests, b.requests]).to.deep.equal([1, 1]);
    });

    it('asks no other URL when the first may have accepted it', async () => {
      for (const does of [hangs, drops, status(502), says('garbage')]) {
        const [a, b] = [await node(does), await node(answers('b'))];
        const times = manualTimes();
        const error = thrownBy(send(over([a, b], times)));
        await asked(a);
        times.advance(TIMES.rpcCall);
        expect(await error).to.be.instanceOf(RpcUnavailable);
        expect([a.requests, b.requests]).to.deep.equal([1, 0]);
      }
    });

    it('waits for a slow first URL', async () => {
      const [slow, times] = [held(answers('a')), manualTimes()];
      const [a, b] = [await node(slow.does), await node(answers('b'))];
      const sent = send(over([a, b], times));
      await asked(a);
      times.advance(TIMES.rpcCall - 1);
      await arrived();
      slow.answer();
      expect(await sent).to.equal('a');
      expect(b.requests).to.equal(0);
    });
  });

  it('sends the credentials of a URL, and does not show them in an error', async () => {
    const seen: (string | undefined)[] = [];
    const a = await node((response, calls, request) => {
      seen.push(request.headers.authorization);
      answers('a')(response, calls, request);
    });
    const url = a.url.replace('//', '//me:p%40ss@');
    expect(await ask(over([url]))).to.equal('a');
    expect(seen).to.deep.equal([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    a.does = status(500);
    expect(reasonOf(await thrownBy(ask(over([url]))))).to.equal('HTTP 500');
  });

  it('shows the host of a URL without its key in the metric, and tells URLs of one host apart', async () => {
    const [a, b] = [await node(answers('a')), await node(answers('b'))];
    await ask(over([`${a.url}/v2/secret`, b]));
    expect(await counted(a)).to.deep.equal(['web3_clientVersion answered 1']);
    const twice = over([`${b.url}/v2/one`, `${b.url}/v2/two`]);
    await ask(twice);
    twice.demoteUrl();
    await ask(twice);
    expect(await counted(b)).to.deep.equal([1, 2].map((url) => `(URL ${url}) web3_clientVersion answered 1`));
  });
});
