import { createHash } from 'node:crypto';
import type { Fact, Traded } from '../../../src/chain/logs/facts.js';
import type { History } from '../market/histories.js';

// A random market over days, with reasons for some trades, in the form in which the chain reports it. It can be cut and go on
// otherwise, as after a reorg.

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A reason that reaches the service at `at`. It names its trade by key, so it outlives a reorg. */
export type Reason = {
  readonly txHash: string;
  readonly ordinal: number;
  readonly author: string;
  readonly at: Date;
  readonly confidence: number | null;
};

export type CallHistory = { readonly facts: readonly Fact[]; readonly reasons: readonly Reason[]; readonly end: Date };

type Options = {
  readonly random: () => number;
  /** Number of wallets. The first `markets` of them register in the first day. */
  readonly wallets: number;
  readonly markets: number;
  readonly start: Date;
  /** Maximum number of seconds between two blocks. */
  readonly pause: number;
  /** Share of trades with a reason. */
  readonly reasoned: number;
};

const isTrade = (fact: Fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold';

/** Makes histories. `grow` continues one by a number of trades. `salt` gives the new blocks other hashes than those of other forks. */
export function historyMaker({ random, wallets: count, markets, start, pause, reasoned }: Options) {
  const wallets = Array.from({ length: count }, (_, i) => `0x${digest(`caller ${i}`).slice(0, 40)}`);
  const below = (n: number) => Math.floor(random() * n);
  const hashOf = (block: number, salt: string) => `0x${digest(`${salt} block ${block}`)}`;

  function grow(from: CallHistory, trades: number, salt: string, again: readonly Traded[] = []): CallHistory {
    const facts = [...from.facts];
    const reasons = [...from.reasons];
    const supply = new Map<string, number>();
    const held = new Map<string, number>();
    for (const fact of facts) {
      if (fact.kind === 'registered') open(fact.agent);
      else if (isTrade(fact)) move(fact.agent, fact.trader, fact.kind === 'bought' ? fact.amount : -fact.amount);
    }
    function open(agent: string) {
      supply.set(agent, 1);
      held.set(`${agent} ${agent}`, 1);
    }
    function move(agent: string, trader: string, by: number) {
      supply.set(agent, (supply.get(agent) ?? 0) + by);
      held.set(`${agent} ${trader}`, (held.get(`${agent} ${trader}`) ?? 0) + by);
    }
    let block = facts.at(-1)?.blockNumber ?? 0;
    let seconds = from.end.getTime() / 1000;
    let log = -1;
    // Trades of the fork before, which come into this one with the same hash at another time.
    const repeated = [...again];
    for (let made = 0; made < trades; ) {
      if (log < 0 || random() < 0.7) {
        block += 1 + below(3);
        seconds += below(pause);
        log = -1;
      }
      log += 1 + below(2);
      const place = {
        blockNumber: block,
        blockHash: hashOf(block, salt),
        logIndex: log,
        time: new Date(seconds * 1000),
        ordinal: 0,
      };
      const next = wallets[supply.size];
      if (supply.size < markets && next && (supply.size < 2 || random() < 0.2)) {
        const i = supply.size;
        facts.push({
          kind: 'registered',
          agent: next,
          name: `Caller ${i}`,
          agentId: `caller_${i}`,
          txHash: `0x${digest(`${salt} open ${i} ${block}`)}`,
          ...place,
        });
        open(next);
        continue;
      }
      if (random() < 0.005) {
        // Most agents take their fees themselves, some send them to another wallet, and some to one outside of the market.
        const [agent, destination] = [wallets[below(supply.size)] as string, wallets[below(count)] ?? ''];
        const { time, ...placed } = place;
        const to = random() < 0.5 ? agent : random() < 0.3 ? `0x${digest('outside').slice(0, 40)}` : destination;
        facts.push({
          kind: 'redirected',
          agent,
          destination: to,
          txHash: `0x${digest(`${salt} pays ${facts.length}`)}`,
          ...placed,
        });
        continue;
      }
      const old = repeated.length > 0 && random() < 0.5 ? repeated.shift() : undefined;
      const agent = old?.agent ?? (wallets[below(supply.size)] as string);
      const trader = old?.trader ?? (wallets[below(count)] as string);
      const before = supply.get(agent) ?? 0;
      if (before === 0) continue;
      const amount = old?.amount ?? 1 + below(random() < 0.2 ? 12 : 3);
      const most = Math.min(held.get(`${agent} ${trader}`) ?? 0, before - 1);
      // Markets end up between 10 and 40 tickets.
      const wishes = old ? old.kind === 'sold' : random() < before / 50;
      const sells = wishes && most >= (old?.amount ?? 1);
      if (old && wishes && !sells) continue;
      const moved = sells ? Math.min(most, amount) : amount;
      move(agent, trader, sells ? -moved : moved);
      const low = sells ? before - moved : before;
      let price = 0n;
      for (let i = low; i < low + moved; i++) price += BigInt(i * i) * 20_000_000_000_000n;
      // The rate changes now and then.
      const split = block % 7 < 3 ? 20n : 25n;
      const txHash = old?.txHash ?? `0x${digest(`${salt} trade ${facts.length}`)}`;
      facts.push({
        kind: sells ? 'sold' : 'bought',
        trader,
        agent,
        amount: moved,
        price,
        protocolFee: price / split,
        agentFee: price / 20n,
        supply: supply.get(agent) ?? 0,
        txHash,
        ...place,
        ordinal: old?.ordinal ?? place.ordinal,
      });
      if (!old && random() < reasoned) {
        // Most reasons come in time, some too late, and some before the block is seen.
        const delay = below(random() < 0.8 ? 500 : 1200) - 5;
        const confidence = random() < 0.5 ? 1 + below(99) : null;
        reasons.push({ txHash, ordinal: place.ordinal, author: trader, at: new Date((seconds + delay) * 1000), confidence });
      }
      made += 1;
    }
    return { facts, reasons, end: new Date(seconds * 1000) };
  }

  return {
    grow: (trades: number) => grow({ facts: [], reasons: [], end: start }, trades, 'first'),
    /** Replaces the last `lost` facts. Half of the lost trades come again, as far as they can. */
    fork(old: CallHistory, lost: number, trades: number, salt: string): CallHistory {
      const keep = old.facts.at(-lost - 1)?.blockNumber ?? 0;
      const facts = old.facts.filter(({ blockNumber }) => blockNumber <= keep);
      const end = facts.filter((fact) => fact.kind !== 'redirected').at(-1)?.time ?? start;
      const gone = old.facts.slice(facts.length).filter(isTrade);
      return grow({ facts, reasons: old.reasons, end }, trades, salt, gone);
    },
    more: (old: CallHistory, trades: number, salt: string) => grow(old, trades, salt),
  };
}

/** The chain of a history. Its blocks without facts have hashes that follow from the last fact before. */
export function chainOf({ facts, end }: CallHistory): History {
  const blocks = new Map(facts.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]));
  const numbers = [...blocks.keys()];
  const head = (numbers.at(-1) ?? 0) + 1;
  const hashOf = (block: number): string => {
    const known = blocks.get(block);
    if (known !== undefined) return known;
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] as number) < block) low = middle + 1;
      else high = middle;
    }
    return `0x${digest(`${blocks.get(numbers[low - 1] ?? -1)} then ${block}`)}`;
  };
  return { facts, head, hashOf, endsAt: end };
}

const hashed = (text: string, digits: number): string => `0x${digest(text).slice(0, digits)}`;
/** Wallet of a name in a script. */
export const walletOf = (name: string): string => hashed(`wallet ${name}`, 40);
/** Hash of the transaction of a line in a script. */
export const hashOf = (line: string): string => hashed(line, 64);

/**
 * The history of a script, from `start` until `minutes` later. Its lines begin with a minute: `0 Eve opens`, `60 Ada buys 2 Bob` or
 * `75 Ada sells 1 Bob`, or `80 Bob pays Ada` if Bob's fees go to Ada from then on. A line that ends with `| 5` has a reason that comes 5 minutes after its
 * trade, and one with `| 5 80` also a confidence.
 */
export function scripted(lines: readonly string[], minutes: number, start = new Date('2026-09-01T00:00:00Z')): CallHistory {
  const supply = new Map<string, number>();
  const facts: Fact[] = [];
  const reasons: Reason[] = [];
  for (const [i, line] of lines.entries()) {
    const [trade = '', given] = line.split(' | ');
    const [minute, who = '', verb = '', count = '', of = ''] = trade.split(' ');
    const time = new Date(start.getTime() + Number(minute) * 60_000);
    const place = {
      blockNumber: i + 1,
      blockHash: hashed(`block ${i} ${line}`, 64),
      logIndex: 0,
      txHash: hashOf(line),
      ordinal: 0,
      time,
    };
    if (verb === 'opens') {
      facts.push({ kind: 'registered', agent: walletOf(who), name: who, agentId: who.toLowerCase(), ...place });
      supply.set(who, 1);
      continue;
    }
    if (verb === 'pays') {
      const { time: _, ...placed } = place;
      facts.push({ kind: 'redirected', agent: walletOf(who), destination: walletOf(count), ...placed });
      continue;
    }
    const [before, amount] = [supply.get(of) ?? 0, Number(count)];
    const after = verb === 'buys' ? before + amount : before - amount;
    supply.set(of, after);
    let price = 0n;
    for (let n = Math.min(before, after); n < Math.max(before, after); n++) price += BigInt(n * n) * 20_000_000_000_000n;
    const [protocolFee, agentFee] = [price / 20n, price / 20n];
    const kind = verb === 'buys' ? 'bought' : 'sold';
    facts.push({ kind, trader: walletOf(who), agent: walletOf(of), amount, price, protocolFee, agentFee, supply: after, ...place });
    if (given === undefined) continue;
    const [delay, confidence] = given.split(' ');
    const at = new Date(time.getTime() + Number(delay) * 60_000);
    reasons.push({
      txHash: hashOf(line),
      ordinal: 0,
      author: walletOf(who),
      at,
      confidence: confidence ? Number(confidence) : null,
    });
  }
  return { facts, reasons, end: new Date(start.getTime() + minutes * 60_000) };
}
