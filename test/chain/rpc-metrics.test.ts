import { expect } from 'chai';
import { RpcProvider } from '../../src/chain/rpc.js';
import { openMetrics } from '../../src/observe/metrics.js';
import { manualTimes } from '../support/times.js';
import { answers, type Behaviour, type FakeNode, hangs, json, says, status } from './node.js';
import { ask, failure, useNodes } from './nodes.js';

describe('the metric of RPC calls', () => {
  const { node, asked } = useNodes();

  /** A provider, and what it has counted: URL, method and result, and how many seconds at least. */
  function counting(nodes: readonly FakeNode[], paths: readonly string[] = []) {
    const [times, { rpcCalls }] = [manualTimes(), openMetrics()];
    const urls = nodes.map(({ url }, i) => `${url}${paths[i] ?? ''}`);
    const provider = new RpcProvider(urls, 84532, times, { metric: rpcCalls });
    const counted = async () =>
      (await rpcCalls.get()).values
        .filter(({ metricName, value }) => metricName?.endsWith('_count') && value > 0)
        .map(({ labels: { url, method, result }, value }) => `${url} ${method} ${result} ${value}`)
        .sort();
    return { provider, times, counted };
  }
  const hostOf = ({ url }: FakeNode) => new URL(url).host;

  const error: Behaviour = says('{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted"}}');
  for (const [what, does, result] of [
    ['an answer', answers('a'), 'answered'],
    ['an error that the node answers', error, 'error'],
    ['HTTP 503', status(503), 'failed'],
    ['a limited URL', status(429), 'failed'],
    ['no JSON-RPC', says('<html>'), 'failed'],
  ] as const) {
    it(`has the result of ${what}`, async () => {
      const a = await node(does);
      const { provider, counted } = counting([a]);
      await ask(provider, 'eth_gasPrice').catch(() => {});
      provider.destroy();
      expect(await counted()).to.deep.equal([`${hostOf(a)} eth_gasPrice ${result} 1`]);
    });
  }

  it('counts each call of a batch by its method, also of a batch that the URL refuses', async () => {
    const a = await node((response, calls) =>
      calls.length > 1
        ? void response.writeHead(413).end()
        : json(response, [{ jsonrpc: '2.0', id: calls[0]?.id, result: '0x1' }]),
    );
    const { provider, counted } = counting([a]);
    const calls = ['eth_gasPrice', 'eth_chainId', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
    await provider.batch(calls);
    await provider.batch(calls);
    provider.destroy();
    expect(await counted()).to.deep.equal([
      `${hostOf(a)} eth_chainId answered 2`,
      `${hostOf(a)} eth_gasPrice answered 4`,
    ]);
  });

  it('does not blame a URL that another one has overtaken, and blames all that let a call wait', async () => {
    const [slow, fast] = [await node(hangs), await node(answers('fast'))];
    const { provider, times, counted } = counting([slow, fast]);
    const answer = ask(provider, 'eth_gasPrice');
    await asked(slow);
    times.advance(times.rpcHedge);
    expect(await answer).to.equal('fast');
    expect(await counted()).to.deep.equal(
      [`${hostOf(slow)} eth_gasPrice overtaken 1`, `${hostOf(fast)} eth_gasPrice answered 1`].sort(),
    );
    fast.does = hangs;
    const waiting = failure(ask(provider, 'eth_call'));
    await asked(fast, 2);
    times.advance(times.rpcCall);
    await waiting;
    expect(await counted()).to.include(`${hostOf(fast)} eth_call failed 1`);
    provider.destroy();
  });

  it('shows the host of a URL without its key, and tells URLs of one host apart', async () => {
    const [a, b] = [await node(answers('a')), await node(answers('b'))];
    const alone = counting([a, b], ['/v2/secret', '']);
    await ask(alone.provider);
    alone.provider.destroy();
    expect(await alone.counted()).to.deep.equal([`${hostOf(a)} web3_clientVersion answered 1`]);
    const twice = counting([a, a], ['/v2/one', '/v2/two']);
    await ask(twice.provider);
    twice.provider.demoteUrl();
    await ask(twice.provider);
    twice.provider.destroy();
    expect(await twice.counted()).to.deep.equal([
      `${hostOf(a)} (URL 1) web3_clientVersion answered 1`,
      `${hostOf(a)} (URL 2) web3_clientVersion answered 1`,
    ]);
  });
});
