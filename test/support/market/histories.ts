import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Chain } from '../../../src/chain/chain.js';
import type { Fact } from '../../../src/chain/logs/facts.js';
import type { ChainRange } from '../../../src/chain/logs/ranges.js';
import { seed, seeded } from '../seed.js';

// Makes random histories of the market for property tests, as facts in the form in which the chain reports them.

export type History = {
  readonly facts: readonly Fact[];
  /** The newest block. The first block is 1. */
  readonly head: number;
  readonly hashOf: (block: number) => string;
  readonly endsAt: Date;
};

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
/** The first four wallets may register. The other wallets never register. */
export const wallets = Array.from({ length: 7 }, (_, i) => `0x${digest(`wallet ${i}`).slice(0, 40)}`);
const agents = wallets.slice(0, 4);

/** A step of a history. Repeated values in `gap` make a distance more frequent. */
const step = fc.record({
  actor: fc.nat(wallets.length - 1),
  agent: fc.nat(agents.length - 1),
  action: fc.oneof(
    { weight: 9, arbitrary: fc.constant('buy' as const) },
    { weight: 7, arbitrary: fc.constant('sell' as const) },
    { weight: 3, arbitrary: fc.constant('sell all' as const) },
    { weight: 1, arbitrary: fc.constant('register' as const) },
    { weight: 1, arbitrary: fc.constant('withdraw' as const) },
    { weight: 1, arbitrary: fc.constant('redirect' as const) },
  ),
  amount: fc.integer({ min: 1, max: 20 }),
  /**
   * The distance to the previous log: `log` is in the same transaction, `transaction` in the same block, `block` in a later block
   * of the same second, `seconds` and `hours` are later.
   */
  gap: fc.constantFrom('log', 'log', 'transaction', 'block', 'block', 'block', 'seconds', 'hours'),
  /** How many blocks, seconds or log indexes more the distance has. */
  skipped: fc.nat(3),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Fees of the protocol and of the agent. With some of these pairs, the cost of a lot is not divisible by its number of tickets. */
const split = fc.constantFrom([500n, 500n] as const, [750n, 250n] as const, [333n, 667n] as const, [0n, 7n] as const);

const stepsUpTo = (longest: number) => fc.array(step, { minLength: 1, maxLength: longest, size: 'max' });

/** Two chains that fork after some blocks, as in a reorg. A transaction may be in both chains with different effects. */
export function forks(longest: number): fc.Arbitrary<{ readonly old: History; readonly now: History }> {
  return fc
    .record({
      stem: stepsUpTo(longest),
      tails: fc.tuple(stepsUpTo(longest), stepsUpTo(longest)),
      split,
      salt: fc.nat(),
    })
    .map(({ stem, tails, split: fees, salt }) => {
      // The last block of the stem, in which both chains are equal.
      const parts = act(stem, fees, 0, String(salt)).head;
      const [old, now] = tails.map((tail, i): History => {
        // Both chains start with a new block after the fork.
        const [first, ...others] = tail as [Step, ...Step[]];
        const chain = act([...stem, { ...first, gap: 'block' }, ...others], fees, i, String(salt));
        const hashOf = (block: number): string =>
          chain
            .hashOf(block)
            // After the fork, the last digit of a hash is the number of the chain.
            .slice(0, block > parts ? 65 : 66)
            .padEnd(66, String(i));
        const facts = chain.facts.map((fact) => ({ ...fact, blockHash: hashOf(fact.blockNumber) }));
        return { ...chain, facts, hashOf };
      });
      // The newest blocks of both chains get the same time, because a reorg does not move a chain by hours.
      const endsAt = new Date(Math.max(Number(old?.endsAt), Number(now?.endsAt)));
      return { old: { ...old, endsAt } as History, now: { ...now, endsAt } as History };
    });
}

export function histories(longest: number): fc.Arbitrary<History> {
  return fc
    .record({ steps: stepsUpTo(longest), split, empty: fc.nat(4), salt: fc.nat() })
    .map(({ steps, split: fees, empty, salt }) => act(steps, fees, empty, String(salt)));
}

/**
 * Applies the steps. A step that the contract would refuse is replaced by a step that it accepts. Ticket number
 * i costs i² times 1 ETH / 50,000. After the last fact, `empty` blocks follow. `salt` gives each history other hashes.
 */
function act(steps: readonly Step[], fees: readonly [bigint, bigint], empty: number, salt: string): History {
  const hashOf = (block: number): string => `0x${digest(`${salt} block ${block}`)}`;
  const supply = new Map<string, number>();
  const held = new Map<string, number>();
  const facts: Fact[] = [];
  let [block, log, ordinal, transactions] = [1, -1, -1, 0];
  let seconds = 1_760_000_000;
  for (const { actor, agent: target, action, amount, gap, skipped } of steps) {
    if (gap === 'log' && facts.length > 0) ordinal += 1;
    else {
      ordinal = 0;
      transactions += 1;
    }
    if (gap === 'block' || gap === 'seconds' || gap === 'hours') {
      // Several blocks may share one second, as on a fast chain.
      block += 1 + skipped;
      log = -1;
      if (gap === 'seconds') seconds += 1 + 600 * skipped;
      if (gap === 'hours') seconds += 1800 + 7000 * skipped;
    }
    // Some log indexes are skipped, for logs of other contracts and for other logs of this contract.
    log += 1 + (skipped % 2);
    if (gap === 'log' && skipped === 3) ordinal += 1;
    const place = {
      blockNumber: block,
      blockHash: hashOf(block),
      logIndex: log,
      txHash: `0x${digest(`${salt} transaction ${transactions}`)}`,
      ordinal,
      time: new Date(seconds * 1000),
    };
    const wish = agents[action === 'register' ? actor % agents.length : target] as string;
    if (!supply.has(wish)) {
      supply.set(wish, 1);
      held.set(`${wish} ${wish}`, 1);
      const name = `Agent ${agents.indexOf(wish)}`;
      facts.push({ kind: 'registered', agent: wish, name, agentId: name.toLowerCase().replace(' ', '_'), ...place });
      continue;
    }
    if (action === 'withdraw') {
      facts.push({ kind: 'withdrawn', agent: wish, amount: 10n ** 15n + BigInt(amount), ...place });
      continue;
    }
    if (action === 'redirect') {
      const { time, ...placed } = place;
      facts.push({ kind: 'redirected', agent: wish, destination: wallets[actor] as string, ...placed });
      continue;
    }
    const trader = wallets[actor] as string;
    const [before, balance] = [supply.get(wish) ?? 0, held.get(`${wish} ${trader}`) ?? 0];
    // The contract refuses to sell the last ticket of an agent, and more than 20 tickets in a trade.
    const most = Math.min(balance, before - 1, 20);
    const sells = action.startsWith('sell') && most > 0;
    const count = sells ? (action === 'sell all' ? most : Math.min(most, amount)) : amount;
    const after = sells ? before - count : before + count;
    let price = 0n;
    for (let i = Math.min(before, after); i < Math.max(before, after); i++) price += BigInt(i * i) * 20_000_000_000_000n;
    supply.set(wish, after);
    held.set(`${wish} ${trader}`, balance + after - before);
    const kind = sells ? ('sold' as const) : ('bought' as const);
    const [protocolFee, agentFee] = [(price * fees[0]) / 10_000n, (price * fees[1]) / 10_000n];
    facts.push({ kind, trader, agent: wish, amount: count, price, protocolFee, agentFee, supply: after, ...place });
  }
  return { facts, head: block + empty, hashOf, endsAt: new Date(seconds * 1000) };
}

/** What the chain of a history reports for a range of blocks. */
export function rangeOf({ facts, head, hashOf, endsAt }: History, from: number, to: number): ChainRange {
  const newest = facts.filter((fact) => fact.kind !== 'redirected').findLast(({ blockNumber }) => blockNumber <= to);
  return {
    from,
    to,
    parentHash: hashOf(from - 1),
    endHash: hashOf(to),
    endTime: to === head ? endsAt : (newest?.time ?? new Date(0)),
    headTime: endsAt,
    facts: facts.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to),
  };
}

/**
 * A chain that consists of a history. Each call answers after a random delay. The newest 64 blocks are not final.
 */
export function historyChain(history: () => History, base: Chain): Chain {
  const random = seeded(seed);
  const later = <T>(value: () => T): Promise<T> =>
    new Promise((resolve) => (random() < 0.5 ? setImmediate : queueMicrotask)(() => resolve(value())));
  return {
    ...base,
    blockNumber: () => later(() => history().head),
    range: (from, to) => later(() => rangeOf(history(), from, to)),
    hashes: (numbers) => later(() => numbers.map((number) => (number <= history().head ? history().hashOf(number) : null))),
    finalized: () => later(() => Math.max(0, history().head - 64)),
  };
}
