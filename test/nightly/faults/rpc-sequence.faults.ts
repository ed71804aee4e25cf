// Runs beside the simulation: the RPCs are slow, not the processors.
import { expect } from 'chai';
import { FAULTS, type Fault } from '../../support/chain/relay.js';
import { shuffled } from '../../support/market/traffic.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { useRpcReplicas } from './support/rpc-replicas.js';

/** The duration of each pair of faults. */
const PAIR_MS = 3000;
/** Maximum time after the last fault until all replicas are ready and the index is whole. */
const READY_MS = 10_000;

describe(`three replicas over two RPC URLs that fail in turn (seed ${seed})`, () => {
  const world = useRpcReplicas(seed);
  const random = seeded(seed);

  async function expectRecovery(what: string): Promise<void> {
    await Promise.all(world.relays.map((relay) => relay.turn(undefined)));
    const time = await world.recovery(READY_MS);
    print(`${what}: ready and whole ${time} ms after the last fault`);
    expect(time).to.be.lessThan(READY_MS);
  }

  it('are ready within 10 s of the last fault, with the same rows as a fresh index', async function () {
    this.timeout(600_000);
    const second = shuffled(FAULTS, random);
    const different = shuffled(FAULTS, random).map((fault, i): [Fault, Fault] => [fault, second[i] as Fault]);
    const alike = shuffled(FAULTS, random).map((fault): [Fault, Fault] => [fault, fault]);
    for (const faults of [...different, ...alike]) {
      await Promise.all(world.relays.map((relay, i) => relay.turn(faults[i])));
      await world.trade(PAIR_MS);
    }
    await expectRecovery('after each pair of faults');
  });

  it('recover after both URLs lag for more than a minute and then return no block', async function () {
    this.timeout(300_000);
    await Promise.all(world.relays.map((relay) => relay.turn('lag 30 blocks')));
    await world.servers.chain.provider.send('anvil_mine', ['0x5']);
    await world.trade(65_000);
    for (const relay of world.relays) {
      relay.distort = ({ method }, result) => (method === 'eth_getBlockByNumber' ? null : result);
    }
    await world.trade(15_000);
    for (const relay of world.relays) relay.distort = undefined;
    await expectRecovery('after a lag and no blocks');
  });
});
