// Runs with few others: it measures times with a margin of 400 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RpcProvider, RpcUnavailable } from '../../src/chain/rpc.js';
import { TIMES, type Times } from '../../src/times.js';
import { answers, type Behaviour, FakeNode, hangs, status } from './node.js';

const quick = {
  ...TIMES,
  rpcCall: 600,
  rpcHedge: 150,
  rpcLogs: 2000,
  rpcLogsHedge: 700,
  rpcCooldown: 100,
};
const ask = (provider: RpcProvider, method = 'web3_clientVersion') => provider.send(method, []);

describe('an RPC URL after a failure', () => {
  const opened: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stop();
  });
  const node = async (does: Behaviour): Promise<FakeNode> => {
    const made = await FakeNode.start(does);
    opened.push(made);
    return made;
  };
  const over = (nodes: FakeNode[], times?: Times): RpcProvider => {
    const provider = new RpcProvider(
      nodes.map(({ url }) => url),
      84532,
      times,
    );
    opened.push({ stop: () => provider.destroy() });
    return provider;
  };

  it('times out a read of logs within 6 s', async () => {
    const logs = over([await node(hangs), await node(hangs)]);
    const start = performance.now();
    const error = await ask(logs, 'eth_getLogs').catch((reason: Error) => reason);
    const time = performance.now() - start;
    expect(error).to.be.instanceOf(RpcUnavailable);
    expect(time).to.be.within(4000, 6000);
  });

  it('is tried last for three cooldowns when it contradicted the chain, and receives batches again', async () => {
    const takesNone: Behaviour = (response, calls, request) =>
      (calls.length > 1 ? status(400) : answers('a'))(response, calls, request);
    const [a, b] = [await node(takesNone), await node(answers('b'))];
    const provider = over([a, b], quick);
    expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['a', 'a']);
    expect(a.requests).to.equal(3);
    a.does = answers('a');
    provider.demoteUrl();
    const start = performance.now();
    expect(await ask(provider)).to.equal('b');
    while ((await ask(provider)) !== 'a') await sleep(10);
    expect(performance.now() - start).to.be.within(250, 700);
    await sleep(600);
    const before = a.requests;
    expect(await Promise.all([ask(provider), ask(provider, 'eth_gasPrice')])).to.deep.equal(['a', 'a']);
    expect(a.requests - before).to.equal(1);
  });
});
