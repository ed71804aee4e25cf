import { expect } from 'chai';
import { type Chain, ethersChain } from '../../../../src/chain/chain.js';
import { RangeRefused } from '../../../../src/chain/logs/ranges.js';
import { RpcProvider } from '../../../../src/chain/rpc.js';
import { readCursor } from '../../../../src/index/cursor.js';
import { catchUp } from '../../../../src/index/ingest.js';
import { CHAIN_ID } from '../../../support/chain/chain.js';
import { storedFacts } from '../../../support/chain/facts.js';
import { expectWholeIndex, indexAll, together } from '../../../support/chain/indexed.js';
import { type Log, Relay } from '../../../support/chain/relay.js';
import { newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { withParts } from '../../../support/parts.js';
import type { Json } from '../../../support/service/graphql.js';
import { testTimes } from '../../../support/times.js';
import { useWorld, type World } from '../../../support/world.js';

describe('a trade that the index missed in an indexed block', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let relay: Relay;
  let provider: RpcProvider;
  let chain: Chain;
  let ada: TestAgent;
  let bob: TestAgent;
  let eve: TestAgent;

  before(async () => {
    relay = await Relay.start(world.chain.rpcUrl);
    provider = new RpcProvider([relay.url], CHAIN_ID, testTimes);
    chain = ethersChain(provider, { ...world.chain, chainId: CHAIN_ID });
    [ada, bob, eve] = [await newAgent(world), await newAgent(world), await newAgent(world)];
  });
  after(async () => {
    provider?.destroy();
    await relay?.stop();
  });

  const post = (other: World, who: TestAgent, txHash: string, of: TestAgent, amount = 1) =>
    other.ask('POST', '/api/tickets/buy', { key: who.key, body: { txHash, agentAddress: of.wallet, amount } });

  let indexed: string;
  let lost: string;
  /** Makes two purchases in one block and a later trade. The RPC hides the second purchase from the index. */
  beforeEach(async () => {
    world.logged.length = 0;
    await indexAll({ ...world.deps, chain });
    // Bob buys a ticket of Ada, and Eve a ticket of Bob: `together` lets the third wallet
    // buy from the first, the fourth from the second.
    const traders = [ada, bob, bob, eve].map(({ trader }) => trader);
    [indexed = '', lost = ''] = await together(world.chain, { traders });
    relay.omits = (log: Log) => log.transactionHash === lost;
    await ada.trader.buy(ada.wallet, 1);
    await indexAll({ ...world.deps, chain });
    const stored = (await storedFacts(world.deps)).transaction?.map(({ tx_hash }) => tx_hash);
    expect(stored).to.include(indexed).and.not.include(lost);
  });
  /**
   * Records the lost trade at a service with this market. Checks that the position
   * counts it, and that the index is whole afterwards.
   */
  const recordOver = async (over: Chain, amount?: number) => {
    await withParts(world, { chain: over }, async (other) => {
      const { position } = success(await post(other, eve, lost, bob)) as Json;
      expect(position.amount)
        .to.equal(amount ?? position.amount)
        .and.be.greaterThan(0);
    });
    await expectWholeIndex(world.deps);
  };
  const repairs = () => world.logged.filter(({ msg }) => String(msg).includes('lacked facts'));

  it('is stored with the trades after it when its trader records it', async () => {
    await recordOver(chain, 1);
    expect(repairs()).to.have.length(1);
  });

  it('is stored once when several requests record it concurrently', async () => {
    await withParts(world, { chain }, async (other) => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => post(other, eve, lost, bob)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409]);
    });
    await expectWholeIndex(world.deps);
    expect(repairs()).to.have.length(1);
  });

  /** A market that calls `onCheck` each time the service checks whether the block of the trade is still on the chain. */
  const checked = (onCheck: (hashes: (string | null)[], time: number) => Promise<(string | null)[]>): Chain => {
    let time = 0;
    return {
      ...chain,
      hashes: async (numbers) => {
        const hashes = await chain.hashes(numbers);
        // Only this check asks for two blocks: the block of the trade, and the last indexed block.
        return numbers.length === 2 ? onCheck(hashes, ++time) : hashes;
      },
    };
  };

  it('is stored even if the index advances while the block is read', async () => {
    let moved = 0;
    const moving = checked(async (hashes) => {
      await world.chain.provider.send('anvil_mine', ['0x1']);
      const before = await readCursor(world.deps);
      await catchUp({ ...world.deps, chain }, await world.deps.chain.blockNumber());
      if ((await readCursor(world.deps)).blockNumber > before.blockNumber) moved++;
      return hashes;
    });
    await recordOver(moving);
    // The index advances only at the first check. If it advanced at every retry, the retries would never end.
    expect(moved).to.equal(1);
  });

  it('is stored even if the node lacks the block for a moment', async () => {
    const once = checked(async (hashes, time) => (time === 1 ? hashes.map(() => null) : hashes));
    await recordOver(once);
  });

  it('is answered with 503 while the RPC refuses its block', async () => {
    const range = async () => {
      throw new RangeRefused('HTTP 504');
    };
    await withParts(world, { chain: { ...chain, range } }, async (other) => {
      const { status, body } = await post(other, eve, lost, bob);
      expect([status, body.code]).to.deep.equal([503, 'CHAIN_UNAVAILABLE']);
    });
    await recordOver(chain);
  });

  it('is not stored when the chain does not contain it', async () => {
    const stored = await storedFacts(world.deps);
    const before = await readCursor(world.deps);
    // Without its third argument, `range` reads the list of logs, in which the RPC hides the trade, and not the receipts.
    await withParts(world, { chain: { ...chain, range: (from, to) => chain.range(from, to) } }, async (other) => {
      // The receipt contains the log of the trade, but the block does not.
      expect((await post(other, eve, lost, bob)).status).to.equal(422);
    });
    expect(await storedFacts(world.deps)).to.deep.equal(stored);
    await withParts(world, { chain }, async (other) => {
      // A trade of another trader and a wrong amount are refused without reading the block again.
      expect((await post(other, eve, indexed, ada)).status).to.equal(422);
      expect((await post(other, eve, lost, bob, 2)).status).to.equal(422);
    });
    expect(await readCursor(world.deps)).to.deep.equal(before);
    expect(await storedFacts(world.deps)).to.deep.equal(stored);
    expect(repairs()).to.deep.equal([]);
  });

  it('is recorded without a position while the node cannot confirm the block', async () => {
    let times = 0;
    const never = checked(async (hashes) => {
      times++;
      return hashes.map(() => null);
    });
    await withParts(world, { chain: never }, async (other) => {
      const answer = await post(other, eve, lost, bob);
      expect(answer.status).to.equal(201);
      expect(answer.body.position).to.equal(null);
    });
    // The service makes five attempts.
    expect(times).to.equal(5);
  });
});
