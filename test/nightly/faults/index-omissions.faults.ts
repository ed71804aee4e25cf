// Runs beside the simulation: it waits for audits.
import { expect } from 'chai';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { useRpcReplicas } from './support/rpc-replicas.js';

/** Time in which the URLs omit logs. Several audits of the index run in it. */
const OMITTING_MS = 40_000;
/** Maximum time for two audits and for reading the affected blocks again. */
const WHOLE_MS = 30_000;

describe(`three replicas over two RPC URLs that omit one log in five (seed ${seed})`, () => {
  const world = useRpcReplicas(seed);

  it('index every fact without an operator', async function () {
    this.timeout(300_000);
    for (const [i, relay] of world.relays.entries()) {
      const random = seeded(seed + 10 * i);
      relay.omits = () => random() < 0.2;
      // The first URL also omits logs from receipts, so neither way of reading its logs is complete.
      if (i === 0) relay.omitsInReceipts = () => random() < 0.2;
    }
    await world.trade(OMITTING_MS);
    const left = world.relays.map(({ omitted }) => omitted);
    for (const relay of world.relays) {
      relay.omits = undefined;
      relay.omitsInReceipts = undefined;
    }
    const time = await world.recovery(WHOLE_MS);
    const repairs = world.replicas.flatMap(({ log }) => log.filter(({ msg }) => String(msg).includes('lacked facts')));
    // Level 60 is `fatal`: the index has stopped, and needs an operator.
    const stops = world.replicas.flatMap(({ log }) => log.filter(({ level }) => level === 60));
    print(`${left.join(' and ')} logs omitted, ${repairs.length} repairs, whole after ${time} ms`);
    expect(left[0]).to.be.greaterThan(0);
    expect(stops).to.deep.equal([]);
    expect(time).to.be.lessThan(WHOLE_MS);
  });
});
