import { expect } from 'chai';
import { getAddress, hexlify } from 'ethers';
import fc from 'fast-check';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { decodeFacts, type Fact, type RawLog } from '../../../../src/chain/logs/facts.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((value) => hexlify(value));
const address = bytes(20).map((value) => getAddress(value));
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).map(BigInt);
const wei = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const time = fc.integer({ min: 0, max: 2 ** 40 }).map(BigInt);
const name = fc.string({ unit: 'binary', maxLength: 40 });

const event = fc.oneof(
  fc.tuple(fc.constant('AgentRegistered'), fc.tuple(address, name, name, time)),
  fc.tuple(fc.constant('TicketsBought'), fc.tuple(address, address, count, wei, wei, wei, count, time)),
  fc.tuple(fc.constant('TicketsSold'), fc.tuple(address, address, count, wei, wei, wei, count, time)),
  fc.tuple(fc.constant('AgentFeesWithdrawn'), fc.tuple(address, wei, time)),
  fc.tuple(fc.constant('FeeDestinationChanged'), fc.tuple(address, address)),
  // This event becomes no fact.
  fc.tuple(fc.constant('FeesChanged'), fc.tuple(fc.constant(500n), fc.constant(250n))),
);

/**
 * Random logs as a node returns them: the logs of a transaction are consecutive,
 * indexes ascend in a block, numbers are hexadecimal.
 */
const logs = fc.array(fc.tuple(event, bytes(32), fc.nat(2), fc.nat(3)), { maxLength: 30 }).map((drawn): RawLog[] => {
  let [block, index, transactionHash] = [1, -1, '0x'];
  // `blocks`: by how many blocks this log is later than the one before. `sameTransaction`: with 2 and 3, it belongs to the same
  // transaction.
  return drawn.map(([[kind, values], hash, blocks, sameTransaction]) => {
    const joins = sameTransaction > 1 && transactionHash !== '0x';
    if (!joins) {
      transactionHash = hash;
      block += blocks;
      if (blocks > 0) index = -1;
    }
    index += 1;
    const { data, topics } = ticketMarket.encodeEventLog(kind, values);
    const place = { blockNumber: `0x${block.toString(16)}`, logIndex: `0x${index.toString(16)}` };
    return { ...place, blockHash: `0x${block}`, transactionHash, topics, data };
  });
});

const kinds: Readonly<Record<string, Fact['kind']>> = {
  AgentRegistered: 'registered',
  TicketsBought: 'bought',
  TicketsSold: 'sold',
  AgentFeesWithdrawn: 'withdrawn',
  FeeDestinationChanged: 'redirected',
};

/** Fields of events that a fact calls otherwise. */
const traders: Readonly<Record<string, string>> = { buyer: 'trader', seller: 'trader', feeDestination: 'destination' };

/** The fact that the log should become, decoded by the generic decoder of ethers. undefined for events that become no fact. */
function expected(log: RawLog, before: readonly RawLog[]): Record<string, unknown> | undefined {
  const parsed = ticketMarket.parseLog(log);
  const kind = kinds[parsed?.name ?? ''];
  if (parsed === null || kind === undefined) return undefined;
  const args: Record<string, unknown> = {};
  for (const [i, { name }] of parsed.fragment.inputs.entries()) args[traders[name] ?? name] = parsed.args[i];
  const { timestamp, ...rest } = args;
  const lower = (key: string) => (key in rest ? { [key]: String(rest[key]).toLowerCase() } : {});
  // Numbers of tickets become numbers. The amount of a withdrawal is in wei, so it stays a bigint.
  const number = (key: string) => (key in rest && kind !== 'withdrawn' ? { [key]: Number(rest[key]) } : {});
  return {
    ...rest,
    kind,
    ...lower('agent'),
    ...lower('trader'),
    ...lower('destination'),
    ...number('amount'),
    ...number('supply'),
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash,
    logIndex: Number(log.logIndex),
    txHash: log.transactionHash,
    ordinal: before.filter(({ transactionHash }) => transactionHash === log.transactionHash).length,
    ...(timestamp !== undefined && { time: new Date(Number(timestamp) * 1000) }),
  };
}

describe('the decoder of logs', () => {
  it('returns the same facts as the generic decoder, in chain order, for logs in any order', () => {
    fc.assert(
      fc.property(logs, fc.infiniteStream(fc.nat()), (ordered, random) => {
        const wanted = ordered.flatMap((log, i) => expected(log, ordered.slice(0, i)) ?? []);
        const shuffled = ordered
          .map((log) => ({ log, at: random.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ log }) => log);
        expect(decodeFacts(shuffled)).to.deep.equal(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves out that a new agent receives its fees itself', () => {
    const [agent, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
    const made = (
      name: 'AgentRegistered' | 'FeeDestinationChanged',
      args: readonly unknown[],
      logIndex: number,
      tx: string,
    ): RawLog => {
      const { data, topics } = ticketMarket.encodeEventLog(name, args);
      return { data, topics, logIndex, blockNumber: 1, blockHash: '0xb', transactionHash: tx };
    };
    const registered = made('AgentRegistered', [agent, 'Ada', 'ada', 1n], 0, '0x1');
    const kindsAfter = (destination: string, tx = '0x1') =>
      decodeFacts([registered, made('FeeDestinationChanged', [agent, destination], 1, tx)]).map(({ kind }) => kind);
    expect(kindsAfter(agent)).to.deep.equal(['registered']);
    expect(kindsAfter(other)).to.deep.equal(['registered', 'redirected']);
    // The same in a later transaction takes an earlier choice back.
    expect(kindsAfter(agent, '0x2')).to.deep.equal(['registered', 'redirected']);
  });
});
