import type { RpcProvider } from '../../../src/chain/rpc.js';
import type { TestChain } from '../chain/chain.js';
import { seeded } from '../seed.js';
import { newTrader, type Trader } from './traders.js';

/** The list in a random order. */
export const shuffled = <T>(list: readonly T[], random: () => number): T[] =>
  list
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

/** A billion ETH, in wei. */
const FORTUNE = 10n ** 27n;

export type Traffic = Awaited<ReturnType<typeof startTraffic>>;

/**
 * Creates traders that register, some with first tickets, and that buy, sell and withdraw at random on the real chain. If the
 * contract would refuse a trade, a buy replaces it. Two traders are agents from the start; each call of `act` registers one more.
 */
export async function startTraffic(chain: TestChain, seed: number) {
  const random = seeded(seed);
  const traders: Trader[] = [];
  for (let i = 0; i < 7; i++) {
    const trader = await newTrader(chain);
    // Prices rise with every purchase. A fast machine makes so many trades that 100 ETH would not last.
    await chain.provider.send('anvil_setBalance', [trader.wallet, `0x${FORTUNE.toString(16)}`]);
    traders.push(trader);
  }
  const agents: Trader[] = [];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const register = async (): Promise<string | undefined> => {
    const next = traders[agents.length];
    if (next === undefined) return undefined;
    agents.push(next);
    // The contract accepts at most 15 characters in a name, so the seed is shortened.
    const name = `Trader ${seed % 100_000} ${agents.length}`;
    // 0, 7 or 14 first tickets.
    const tickets = Math.floor(random() * 3) * 7;
    return (await (tickets === 0 ? next.register(name) : next.registerWithTickets(name, tickets))).hash;
  };
  await register();
  await register();
  const trade = async (): Promise<string> => {
    const [trader, agent] = [pick(traders), pick(agents)];
    const dice = random();
    try {
      if (dice < 0.05) return (await agent.payFeesTo(trader.wallet)).hash;
      if (dice < 0.1) return (await agent.withdraw()).hash;
      if (dice < 0.5) return (await trader.sell(agent.wallet, 1 + Math.floor(random() * 3))).hash;
      return (await trader.buy(agent.wallet, 1 + Math.floor(random() * 20))).hash;
    } catch {
      // The trade was refused, for example because a reorg has undone the registration of the agent. The first agent always stays.
      return (await trader.buy(traders[0]?.wallet ?? '', 1)).hash;
    }
  };
  return {
    traders: traders as readonly Trader[],
    /** Mines the given number of transactions, each in a separate block. Returns their hashes. */
    async act(transactions: number) {
      const hashes: string[] = [];
      const registers = Math.floor(random() * transactions);
      for (let i = 0; i < transactions; i++) {
        hashes.push((i === registers ? await register() : undefined) ?? (await trade()));
      }
      return hashes;
    },
  };
}

/**
 * Replaces the newest `depth` blocks, whose transactions are `removed`. The new blocks include about half of these again: the first
 * transactions of each sender, because nonces have no gaps. A transaction that is no longer valid fails in its new block.
 */
export async function reorganise(provider: RpcProvider, depth: number, removed: readonly string[], seed: number) {
  const random = seeded(seed);
  const dropped = new Set<string>();
  const again: [raw: string, offset: number][] = [];
  let offset = 0;
  for (const hash of removed) {
    const transaction = await provider.getTransaction(hash);
    if (transaction === null) throw new Error(`no transaction ${hash}`);
    if (random() < 0.3) dropped.add(transaction.from);
    if (dropped.has(transaction.from)) continue;
    offset = Math.min(depth - 1, offset + Math.floor(random() * 3));
    again.push([await provider.send('eth_getRawTransactionByHash', [hash]), offset]);
  }
  await provider.send('anvil_reorg', [depth, again]);
}
