// CI: it indexes a chain during each fault, which is expensive.
import { expect } from 'chai';
import { ethersMarket } from '../../src/chain/market.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { readCursor } from '../../src/index/cursor.js';
import { type Indexer, startIndexer } from '../../src/index/indexer.js';
import { CHAIN_ID } from '../support/chain/chain.js';
import { storedFacts } from '../support/chain/facts.js';
import { alone, emptyIndex } from '../support/chain/indexed.js';
import { FAULTS, type Fault, Relay } from '../support/chain/relay.js';
import { oracle } from '../support/market/oracle.js';
import { seeded, shuffled, startTraffic } from '../support/market/traffic.js';
import { withParts } from '../support/parts.js';
import { seed } from '../support/seed.js';
import { eventually } from '../support/service/process.js';
import { manualTimes } from '../support/times.js';
import { useWorld } from '../support/world.js';

describe(`two RPC URLs that fail in turn (seed ${seed})`, () => {
  const world = useWorld();
  const relays: Relay[] = [];
  let provider: RpcProvider | undefined;
  let indexer: Indexer | undefined;
  /** The timers of the timeouts of calls, and of the pauses of the index. */
  const [calls, pauses] = [manualTimes(), manualTimes()];

  after(async () => {
    await indexer?.stop();
    provider?.destroy();
    for (const relay of relays) await relay.stop();
  });

  it('leave the index complete and the replica ready within 10 s of the last fault', async () => {
    await emptyIndex(world.deps);
    const traffic = await startTraffic(world.chain, 7);
    relays.push(await Relay.start(world.chain.rpcUrl, seed), await Relay.start(world.chain.rpcUrl, seed + 1));
    provider = new RpcProvider(
      relays.map(({ url }) => url),
      CHAIN_ID,
      calls,
    );
    const market = ethersMarket(provider, { ...world.chain, chainId: CHAIN_ID });
    // With an external chain, the index does not trust a single node that lags.
    const config = { ...world.deps.config, chainEmbedded: false };
    indexer = startIndexer(
      { ...world.deps, config, market, times: pauses },
      { leadership: alone, pollMs: 50, auditMs: 1000 },
    );
    const random = seeded(seed);
    const second = shuffled(FAULTS, random);
    const pairs = shuffled(FAULTS, random).map((fault, i): [Fault, Fault] => [fault, second[i] as Fault]);
    // In the last pair both URLs hang, so the test also covers the timeouts.
    for (const faults of [...pairs, ['hang', 'hang'] as const]) {
      await Promise.all(relays.map((relay, i) => relay.turn(faults[i])));
      for (let round = 0; round < 12; round++) {
        await traffic.act(1);
        for (const times of [calls, pauses]) times.advance(100);
      }
    }
    await Promise.all(relays.map((relay) => relay.turn(undefined)));
    await traffic.act(2);
    const head = await world.deps.market.blockNumber();
    const expected = oracle((await world.deps.market.range(1, head)).facts);
    // Calls that hang end with their timeout. From here on, time passes only during the pauses of the index, and while a URL that
    // hung waits for the next question. Calls in flight have a longer timeout.
    calls.advance(calls.rpcLogs);
    const isIdle = () => calls.waiting.every((milliseconds) => milliseconds <= calls.rpcRetry);
    const before = pauses.now();
    await withParts(world, { market }, async (other) => {
      const ready = async () =>
        (await readCursor(world.deps)).blockNumber >= head && (await other.ask('GET', '/ready')).status === 200;
      const whole = async () => JSON.stringify(await storedFacts(world.deps)) === JSON.stringify(expected);
      await eventually(
        async () => {
          if ((await ready()) && (await whole())) return true;
          pauses.advance(pauses.waiting[0] ?? 0);
          if (isIdle()) calls.advance(calls.rpcRetry);
          return false;
        },
        async () => `not ready: ${JSON.stringify([await readCursor(world.deps), world.logged.slice(-5)])}`,
      );
      expect(pauses.now() - before + calls.rpcLogs + calls.rpcRetry).to.be.lessThan(10_000);
    });
  });
});
