import { expect } from 'chai';
import { answers, ask, type Behaviour, type Call, json, says, status, useNodes } from '../../../support/chain/node.js';

describe('JSON-RPC batches', () => {
  const { node, over, counted } = useNodes();

  it('combine concurrent calls in one request and accept the answers in any order', async () => {
    const a = await node((response, calls) =>
      json(response, calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: `${method}!` })).reverse()),
    );
    const provider = over([a]);
    const methods = ['web3_clientVersion', 'eth_gasPrice', 'eth_protocolVersion'];
    const results = await Promise.all(methods.map((method) => ask(provider, method)));
    expect(results).to.deep.equal(methods.map((method) => `${method}!`));
    expect(a.requests).to.equal(1);
  });

  for (const [what, refuses] of Object.entries<Behaviour>({
    'an error without an id': says('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'),
    'HTTP 400': status(400, 'bad request'),
    'HTTP 413': status(413),
  })) {
    it(`are not sent again to an RPC that answers one with ${what}`, async () => {
      const a = await node((response, calls, request) => (calls.length > 1 ? refuses : answers('a'))(response, calls, request));
      const b = await node(answers('b'));
      const provider = over([a, b]);
      const both = () => Promise.all([ask(provider), ask(provider, 'eth_gasPrice')]);
      expect(await both()).to.deep.equal(['a', 'a']);
      // The refused batch, and its two calls one by one. After that, the URL gets only single calls.
      expect(a.requests).to.equal(3);
      expect(await both()).to.deep.equal(['a', 'a']);
      expect([a.requests, b.requests]).to.deep.equal([5, 0]);
      // `counted` reads the metrics of calls. The batch that the URL refused is not in them.
      expect(await counted(a)).to.deep.equal(['eth_gasPrice answered 2', 'web3_clientVersion answered 2']);
    });
  }

  // With `sameNode`, one node answers all calls of a batch.
  it('with `sameNode` run all calls on one node, one by one if it refuses the batch', async () => {
    const asked: string[] = [];
    const refusal =
      (name: string, refused: (calls: Call[]) => boolean): Behaviour =>
      (response, calls, request) => {
        asked.push(`${name}: ${calls.map(({ method }) => method).join(' ')}`);
        (refused(calls) ? status(500) : answers(name))(response, calls, request);
      };
    const a = await node(refusal('a', (calls) => calls.some(({ method }) => method === 'eth_getLogs')));
    const b = await node(refusal('b', () => false));
    const calls = ['web3_clientVersion', 'eth_getLogs', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
    const [chainId, logs, gasPrice] = await over([a, b]).batch(calls, { sameNode: true });
    expect([chainId, gasPrice]).to.deep.equal([0, 2].map((id) => ({ jsonrpc: '2.0', id, result: 'a' })));
    expect(logs).to.deep.equal({ id: 1, error: { code: -32000, message: 'HTTP 500' } });
    expect(asked).to.deep.equal([
      'a: web3_clientVersion eth_getLogs eth_gasPrice',
      'a: web3_clientVersion',
      'a: eth_getLogs',
      'a: eth_gasPrice',
    ]);
  });

  it('go to the next RPC when the first refuses the batch and its calls, or leaves out an answer', async () => {
    const incomplete: Behaviour = (response, [call]) =>
      says(`[{"jsonrpc":"2.0","id":${call?.id},"result":"a"}]`)(response, [], response.req);
    for (const does of [status(400), incomplete]) {
      const provider = over([await node(does), await node(answers('b'))]);
      expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['b', 'b']);
    }
  });

  it('with `sameNode` go to the next node when the first refuses every call', async () => {
    const [a, b] = [await node(status(500)), await node(answers('b'))];
    const calls = ['web3_clientVersion', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
    const replies = await over([a, b]).batch(calls, { sameNode: true });
    expect(replies).to.deep.equal([0, 1].map((id) => ({ jsonrpc: '2.0', id, result: 'b' })));
    expect([a.requests, b.requests]).to.deep.equal([2, 1]);
  });

  it('return the answers in the order of the calls', async () => {
    const a = await node((response, calls) => {
      const replies = calls.map(({ id, method }) =>
        method === 'eth_getLogs' ? { id, error: { code: 1, message: 'too many' } } : { id, result: method },
      );
      says(JSON.stringify(replies.reverse()))(response, [], response.req);
    });
    const calls = ['web3_clientVersion', 'eth_getLogs', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
    const provider = over([a, await node(answers('b'))]);
    expect(await provider.batch(calls)).to.deep.equal([
      { id: 0, result: 'web3_clientVersion' },
      { id: 1, error: { code: 1, message: 'too many' } },
      { id: 2, result: 'eth_gasPrice' },
    ]);
    expect(await provider.batch(calls.slice(0, 1))).to.deep.equal([{ id: 0, result: 'web3_clientVersion' }]);
    expect(a.requests).to.equal(2);
  });
});
