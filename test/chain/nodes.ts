import { expect } from 'chai';
import { RpcProvider } from '../../src/chain/rpc.js';
import { eventually } from '../support/service/process.js';
import { type ManualTimes, manualTimes } from '../support/times.js';
import { answers, type Behaviour, FakeNode } from './node.js';

export const ask = (provider: RpcProvider, method = 'web3_clientVersion') => provider.send(method, []);

/** The error of work that must fail. */
export const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    (value) => {
      throw new Error(`expected a failure but got ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );

/** Starts nodes and providers for the tests of the calling suite, and stops them after each test. */
export function useNodes() {
  const opened: { stop(): unknown }[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  before(() => process.on('unhandledRejection', note));
  after(() => process.off('unhandledRejection', note));
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stop();
    expect(unhandled.splice(0)).to.deep.equal([]);
  });

  const node = async (does: Behaviour): Promise<FakeNode> => {
    const made = await FakeNode.start(does);
    opened.push(made);
    return made;
  };
  /** A provider whose clock stands still until the test turns it, so an answer without a turn needed no timeout. */
  const over = (urls: readonly (FakeNode | string)[], times: ManualTimes = manualTimes()): RpcProvider => {
    const provider = new RpcProvider(
      urls.map((one) => (typeof one === 'string' ? one : one.url)),
      84532,
      times,
    );
    opened.push({ stop: () => provider.destroy() });
    return provider;
  };
  /** Waits until the node has received this number of requests. */
  const asked = (of: FakeNode, requests = 1) => eventually(() => of.requests === requests);
  /** Lets an answer that was sent before arrive: a later request of this process is answered after it. */
  const arrived = async () => void (await ask(over([await node(answers('later'))])));
  return { node, over, asked, arrived };
}
