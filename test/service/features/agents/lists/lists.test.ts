import { expect } from 'chai';
import { type AgentFilter, type AgentSort, matchTotal, readAgents } from '../../../../../src/features/agents/lists/agents.js';
import type { AgentRow } from '../../../../../src/features/agents/queries.js';
import type { Keyed } from '../../../../../src/store/pages.js';
import { priceChange } from '../../../../../src/values/curve.js';
import { addAgent, addMarket, addTrade, randomWallet } from '../../../../support/market/rows.js';
import { useWorld } from '../../../../support/world.js';

const HOUR = 3_600_000;

/** Compares every list with a reference implementation that filters and sorts all agents in memory. */
describe('the lists of agents', () => {
  const world = useWorld();
  let all: Plain[];
  type Plain = Awaited<ReturnType<typeof add>>;

  async function add(i: number, now: number) {
    // The properties repeat after different numbers of agents, so that many combinations occur. Several agents have equal values.
    const createdAt = new Date(now - Math.floor(i / 2) * HOUR);
    const claimed = i % 3 === 0;
    const claim = claimed ? { claimedAt: new Date(now), claimPostId: `${i}` } : {};
    const { wallet, name } = await addAgent(world, { name: `Lister ${i.toString(16)}`, createdAt, ...claim });
    const market = i % 7 === 6 ? null : { supply: 1 + (i % 9), holderCount: 1 + (i % 4) };
    if (market) await addMarket(world, wallet, market);
    const volume = market && i % 2 === 0 ? BigInt(1 + (i % 5)) * 10n ** 15n : 0n;
    // Every second agent with trades has the same supply as a day ago, so its change is 0, like that of agents without trades.
    const supplyBefore = market === null ? 1 : volume > 0n && i % 4 === 0 ? 5 : market.supply;
    const trade = (hours: number, supplyAfter: number | undefined, price = 10n ** 18n) =>
      addTrade(world, { agent: wallet, trader: wallet, price, supplyAfter, blockTime: new Date(now - hours * HOUR) });
    if (volume > 0n) {
      await trade(23, supplyBefore + 1, volume - 1n);
      await trade(1, market?.supply, 1n);
    }
    await trade(25, supplyBefore);
    // A trade no longer counts when it is exactly 24 hours old.
    if (market) await trade(24, supplyBefore);
    return {
      wallet,
      name,
      claimed,
      volume,
      created: createdAt.getTime(),
      agentId: name.toLowerCase().replace(' ', '_'),
      supply: market?.supply ?? null,
      holders: market?.holderCount ?? null,
      change: priceChange(supplyBefore, market?.supply ?? 1),
    };
  }

  before(async () => {
    const now = world.clock.now().getTime();
    all = [];
    for (let i = 0; i < 60; i++) all.push(await add(i, now));
    for (const stranger of Array.from({ length: 6 }, randomWallet)) {
      await addMarket(world, stranger, { supply: 5, holderCount: 3 });
      await addTrade(world, { agent: stranger, trader: stranger, price: 10n ** 18n });
    }
  });

  const keys: Readonly<Record<AgentSort, (agent: Plain) => number | bigint | null>> = {
    newest: ({ created }) => created,
    price: ({ supply }) => supply,
    supply: ({ supply }) => supply,
    holders: ({ holders }) => holders,
    volume: ({ volume }) => volume,
    priceChange24h: ({ change }) => change,
  };
  // Until its market is indexed, an agent counts with one ticket and one holder.
  const isWithin = (value: number | null, from: number, to: number) => (value ?? 1) >= from && (value ?? 1) <= to;
  const filters: [filter: AgentFilter, passes: (agent: Plain) => boolean][] = [
    [{}, () => true],
    [{ verified: true }, ({ claimed }) => claimed],
    [{ verified: false, minSupply: 3, maxSupply: 7 }, ({ claimed, supply }) => !claimed && isWithin(supply, 3, 7)],
    [{ minHolder: 2, maxHolder: 3, search: '1' }, ({ holders, agentId }) => isWithin(holders, 2, 3) && agentId.includes('1')],
    [{ name: 'Lister 1e' }, ({ name }) => name === 'Lister 1e'],
    [{ agentId: 'lister_2' }, ({ agentId }) => agentId === 'lister_2'],
    [{ search: 'nobody' }, () => false],
  ];

  function plain(sort: AgentSort, order: 'asc' | 'desc', passing: readonly Plain[]) {
    // An agent whose market is not indexed has no price, supply or holders to sort by, so lists in these orders leave it out. The
    // total counts it.
    const keyed = passing.map((agent) => ({ key: keys[sort](agent) ?? -1n, wallet: agent.wallet }));
    const sorted = keyed
      .filter(({ key }) => key !== -1n)
      .sort((a, b) => (a.key < b.key || (a.key === b.key && a.wallet < b.wallet) ? -1 : 1));
    const wallets = sorted.map(({ wallet }) => wallet);
    return { wallets: order === 'desc' ? wallets.reverse() : wallets, total: passing.length };
  }

  for (const sort of Object.keys(keys) as AgentSort[]) {
    it(`match a reference implementation on every offset page and keyset page, sorted by ${sort}`, async () => {
      for (const order of ['asc', 'desc'] as const) {
        for (const [filter, passes] of filters) {
          const expected = plain(sort, order, all.filter(passes));
          const label = `${sort} ${order} ${JSON.stringify(filter)}`;
          // 60 agents fill seven pages of 9. The last page, from 63 on, is empty.
          for (let offset = 0; offset < 72; offset += 9) {
            const agents = await readAgents(world.deps, { sort, order, filter, page: { offset, limit: 9 } });
            const page = expected.wallets.slice(offset, offset + 9);
            expect(agents.map(({ wallet }) => wallet)).to.deep.equal(page, `${label} from ${offset}`);
          }
          const found: string[] = [];
          for (let after: readonly string[] | null = null; ; ) {
            const page = { first: 9, after };
            const rows: Keyed<AgentRow>[] = await readAgents(world.deps, { sort, order, filter, page });
            for (const { wallet, supply, holderCount, priceChange24h, volume24h, name } of rows) {
              const one = all.find((agent) => agent.wallet === wallet);
              expect([supply, holderCount, priceChange24h, volume24h, name], label).to.deep.equal([
                one?.supply ?? 1,
                one?.holders ?? 1,
                one?.change,
                one?.volume,
                one?.name,
              ]);
              found.push(wallet);
            }
            after = rows.at(-1)?.key() ?? null;
            if (rows.length < 9) break;
          }
          expect(found, label).to.deep.equal(expected.wallets);
          expect(await matchTotal(world.deps, filter), label).to.equal(expected.total);
        }
      }
    });
  }
});
