import { expect } from 'chai';
import { ethersChain } from '../../../../src/chain/chain.js';
import { CHAIN_ID } from '../../../support/chain/chain.js';
import { useNodes } from '../../../support/chain/node.js';
import { type Log, Relay } from '../../../support/chain/relay.js';
import { startTraffic } from '../../../support/market/traffic.js';
import { thrownBy } from '../../../support/refused.js';
import { useWorld } from '../../../support/world.js';

describe('an RPC answer', () => {
  const world = useWorld();
  const { over } = useNodes();
  let bad: Relay;
  let good: Relay;
  let hash: string;
  let wallet: string;

  before(async () => {
    const traffic = await startTraffic(world.chain, 3);
    await traffic.act(6);
    wallet = traffic.traders[0]?.wallet ?? '';
    hash = (await traffic.traders[0]?.buy(wallet, 1))?.hash ?? '';
    [bad, good] = [await Relay.start(world.chain.rpcUrl), await Relay.start(world.chain.rpcUrl)];
  });
  after(async () => {
    for (const relay of [bad, good]) await relay?.stop();
  });

  /** A market over two URLs: the first returns malformed answers, the second is correct. */
  function market() {
    good.latest.length = 0;
    return ethersChain(over([bad, good]), { ...world.chain, chainId: CHAIN_ID });
  }
  const nonsense: readonly unknown[] = [null, 42, true, '', 'garbage', '0xzz', {}, [null], [{}]];
  const other = `0x${'12'.repeat(32)}`;
  const logs = (change: (log: Log) => unknown) => (result: unknown) => (result as Log[]).map(change);
  const fields = (change: Record<string, unknown>) => (result: unknown) => ({ ...(result as object), ...change });

  const spoilt: Record<string, Record<string, (result: unknown) => unknown>> = {
    eth_getLogs: {
      'a log of another contract': logs((log) => ({ ...log, address: other.slice(0, 42) })),
      'a log of a block outside the range': logs((log) => ({ ...log, blockNumber: '0xfffff' })),
      'a log without topics': logs((log) => ({ ...log, topics: null })),
      'a removed log': logs((log) => ({ ...log, removed: true })),
      'a log with half a byte of data': logs((log) => ({ ...log, data: '0x123' })),
      'an invalid block number': logs((log) => ({ ...log, blockNumber: 'latest' })),
    },
    eth_getBlockByNumber: {
      'the header of another block': fields({ number: '0xfffff' }),
      'a header without a hash': fields({ hash: undefined }),
      'a header without a time': fields({ timestamp: undefined }),
      'an invalid bloom filter': fields({ logsBloom: '0x12' }),
    },
    eth_getTransactionReceipt: {
      'the receipt of another transaction': fields({ transactionHash: other }),
      'a receipt without logs': fields({ logs: null }),
    },
  };
  const reads: Record<string, (over: ReturnType<typeof market>) => Promise<unknown>> = {
    eth_blockNumber: (over) => over.blockNumber(),
    eth_getBalance: (over) => over.etherBalance(world.chain.contract),
    eth_call: (over) => over.feeSplit(),
    eth_getLogs: async (over) => over.range(1, await world.deps.chain.blockNumber()),
    eth_getBlockByNumber: (over) => over.hashes([2, 3]),
    eth_getTransactionReceipt: async (over) => (await over.receipt(hash))?.blockHash,
  };
  for (const [method, read] of Object.entries(reads)) {
    it(`makes the provider ask the next URL if it is malformed: ${method}`, async () => {
      const right = await read(world.deps.chain);
      // `null` is a valid answer to these methods: the node has no such block or receipt.
      const mayBeNull = ['eth_getBlockByNumber', 'eth_getTransactionReceipt'].includes(method);
      const changes = [
        ...nonsense.filter((result) => result !== null || !mayBeNull).map((result) => () => result),
        ...Object.values(spoilt[method] ?? {}),
      ];
      for (const change of changes) {
        bad.distort = (call, result) => (call.method === method ? change(result) : result);
        expect(await read(market()), change.toString()).to.deep.equal(right);
        expect(good.asked).to.include(method);
      }
    });
  }

  it('causes CHAIN_UNAVAILABLE if it answers eth_call but does not fit the ABI', async () => {
    // Replaces all digits after the leading zeros with `f`, so the positions and lengths in the answer are far too large.
    const text = (result: unknown) => String(result).replace(/[1-9a-f][0-9a-f]*0*$/, (name) => 'f'.repeat(name.length));
    for (const change of [() => '0xffffffffff', () => '0x', text]) {
      bad.distort = ({ method }, result) => (method === 'eth_call' ? change(result) : result);
      expect(await thrownBy(market().agent(wallet)), change.toString()).to.include({ code: 'CHAIN_UNAVAILABLE' });
    }
  });

  for (const [name, bloom] of Object.entries({ null: null, '0x': '0x', 'only zeros': `0x${'00'.repeat(256)}` })) {
    it(`is accepted without a bloom filter, and receipts give the logs that it omits (${name})`, async () => {
      const receipt = await world.deps.chain.receipt(hash);
      const block = receipt?.blockNumber ?? 0;
      for (const node of [bad, good]) {
        node.distort = ({ method }, result) =>
          method === 'eth_getBlockByNumber' ? { ...(result as object), logsBloom: bloom } : result;
        node.omits = () => true;
      }
      try {
        // Both nodes omit all logs from lists. Without a bloom filter nothing reveals that, except receipts, which `true` requests.
        expect((await market().range(block, block)).facts).to.deep.equal([]);
        const range = await market().range(block, block, true);
        expect(range.facts.map(({ txHash }) => txHash)).to.deep.equal([hash]);
        expect(range.complete).to.equal(true);
      } finally {
        for (const node of [bad, good]) Object.assign(node, { distort: undefined, omits: undefined });
      }
    });
  }
});
