// CI: the index searches the chain for contradictions, which is expensive.
import { expect } from 'chai';
import type { Market } from '../../src/chain/market.js';
import { AppError } from '../../src/errors.js';
import { readCursor } from '../../src/index/cursor.js';
import { applyRange } from '../../src/index/ingest.js';
import { firstAfter, useLossyIndex, withSupply } from '../support/chain/lossy-index.js';
import type { Log, Relay } from '../support/chain/relay.js';
import { useWorld } from '../support/world.js';

describe('an index that contradicts the chain', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);

  /** Makes a trade, of which the node returns a wrong supply. */
  async function contradict(node: Relay): Promise<void> {
    node.distort = ({ method }, result) =>
      method === 'eth_getLogs' ? (result as Log[]).map((log) => withSupply(log, 4711)) : result;
    node.lacks.add('eth_getBlockReceipts');
    await suite.traffic.traders[4]?.buy(suite.traffic.traders[0]?.wallet ?? '', 1);
  }

  it('recovers from a contradiction without the audit of states', async () => {
    const { market, nodes } = await suite.over(2);
    await suite.traffic.act(5);
    suite.start(market, { auditMs: Number.POSITIVE_INFINITY });
    await suite.becomesWhole();
    const { found, omits } = firstAfter(await suite.head());
    for (const node of nodes) node.omits = omits;
    const hashes = await suite.together();
    await suite.until(async () => (await readCursor(world.deps)).blockNumber >= (await suite.head()));
    expect(await suite.isWhole()).to.equal(false);
    const agent = suite.traffic.traders[hashes.indexOf(found.hash ?? '')]?.wallet ?? '';
    await suite.traffic.traders[5]?.buy(agent, 2);
    await suite.becomesWhole();
    expect(suite.said('indexing failed')).to.not.deep.equal([]);
  });

  it('stops only after every RPC URL has returned the contradiction', async () => {
    const { market, nodes } = await suite.over(3);
    await suite.traffic.act(4);
    suite.start(market, {}, { START_BLOCK: 7 });
    await suite.becomesWhole();
    const asked = nodes.map(() => 0);
    for (const [i, node] of nodes.entries()) {
      node.distort = ({ method }, result) => {
        if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return result;
        asked[i] = (asked[i] ?? 0) + 1;
        return method === 'eth_getLogs'
          ? (result as Log[]).map((log) => withSupply(log, 4711))
          : (result as { logs: Log[] }[]).map((r) => ({ ...r, logs: r.logs.map((log) => withSupply(log, 4711)) }));
      };
    }
    await suite.traffic.traders[4]?.buy(suite.traffic.traders[0]?.wallet ?? '', 1);
    await suite.until(async () => (await readCursor(world.deps)).fault !== null);
    expect((await readCursor(world.deps)).fault).to.match(
      /contradicts the index .*npm run reindex from a START_BLOCK \(now 7\) before the contract's block/,
    );
    expect(asked.filter((count) => count === 0)).to.deep.equal([]);
    // The world's own market returns what the chain contains.
    const { blockNumber } = await readCursor(world.deps);
    const next = await world.deps.market.range(blockNumber + 1, await suite.head());
    expect(await applyRange(world.deps, next)).to.equal(false);
  });

  it('retries after a stop and continues when the chain is correct again', async () => {
    const { market, node } = await suite.over(1);
    await suite.traffic.act(4);
    suite.start(market);
    await suite.becomesWhole();
    await contradict(node);
    const stopped = async () => (await readCursor(world.deps)).fault !== null;
    await suite.until(stopped);
    node.distort = undefined;
    await suite.until(async () => !(await stopped()));
    world.logged.length = 0;
    await suite.becomesWhole();
  });

  it('stops even if the search for the cause fails each time', async () => {
    const { market, node } = await suite.over(1);
    await suite.traffic.act(4);
    const failing: Market = { ...market, stateAt: () => Promise.reject(new AppError('RATE_LIMITED')) };
    suite.start(failing, { auditMs: Number.POSITIVE_INFINITY });
    await suite.becomesWhole();
    await contradict(node);
    await suite.until(async () => (await readCursor(world.deps)).fault !== null);
    expect(suite.said('repairing the index failed')).to.not.deep.equal([]);
  });
});
