import type { Deps } from '../../../deps.js';
import { type Keyed, type List, type Page, rowsOnPage } from '../../../store/pages.js';
import { totalOf } from '../../../store/totals.js';
import { volumePage } from './by-volume.js';
import { agentsByWallets } from './by-wallets.js';
import {
  type AgentPart,
  type AgentRow,
  ALL_TRADE_PARTS,
  agentColumns,
  type ChosenTrade,
  referrerJoin,
  type TradeChoice,
  tradeSelection,
} from './columns.js';
import { type AgentFilter, filterValues, type Indexed, isFilter, needleOf, passing } from './filter.js';
import type { AgentSort } from './lists.js';

type Wallets = Promise<Keyed<{ readonly wallet: string }>[]>;
export type AgentOrder = { readonly sort: AgentSort; readonly order: 'asc' | 'desc' };

/** The listing has the market of an agent beside what it is sorted by. */
const OF_LISTING = { agent: 'a', market: 'l', referrer: 'referrer' };

const sorts: Readonly<Record<Exclude<AgentSort, 'volume'>, Pick<List, 'keys'> & { readonly market: Indexed }>> = {
  newest: {
    market: 'maybe',
    keys: [
      ['l.created_at', 'timestamptz'],
      ['l.wallet', 'text'],
    ],
  },
  price: {
    market: 'surely',
    keys: [
      ['l.supply', 'int8'],
      ['l.wallet', 'text'],
    ],
  },
  supply: {
    market: 'surely',
    keys: [
      ['l.supply', 'int8'],
      ['l.wallet', 'text'],
    ],
  },
  holders: {
    market: 'surely',
    keys: [
      ['l.holder_count', 'int8'],
      ['l.wallet', 'text'],
    ],
  },
};

/** The agents that pass the filter, in the order of the lists. */
export async function agentPage(
  deps: Deps,
  { sort, order, ...filter }: AgentFilter & AgentOrder,
  page: Page,
  parts: readonly AgentPart[],
): Promise<Keyed<AgentRow>[]> {
  if (sort === 'volume') {
    const places = await volumePage(deps, filter, order, page);
    const rows = await agentsByWallets(
      deps,
      places.map(({ wallet }) => wallet),
      parts,
    );
    return places.flatMap(({ wallet, volume }) => {
      const row = rows.get(wallet);
      return row ? [{ ...row, key: () => [String(volume), wallet] }] : [];
    });
  }
  const { market, keys } = sorts[sort];
  const filtered = isFilter(filter);
  const list: List = {
    columns: agentColumns(parts, OF_LISTING),
    from: `listing l join agent a on a.wallet = l.wallet ${referrerJoin(parts, OF_LISTING)}`,
    keys,
    ascending: order === 'asc',
    where: passing(1, market, filtered),
  };
  return rowsOnPage(deps.sql, list, filtered ? filterValues(filter) : [], page);
}

/** How many agents stand above a place of the leaderboard. */
export async function agentsAbove(deps: Deps, [supply, wallet]: readonly string[]): Promise<number> {
  const [row] = await deps.sql<{ total: number }>(
    `select count(*) as total from listing l where ${passing(1, 'surely', false)}
       and (l.supply, l.wallet) > ($1::int8, $2::text)`,
    [supply, wallet],
  );
  return row?.total ?? 0;
}

const FOUND = 'strpos(l.agent_id, $1) > 0';

/** The wallets of the agents found by a text: exact first, then what begins so, then what contains it. */
export function searchPage(deps: Deps, text: string, page: Page): Wallets {
  const closeness = `case when l.agent_id = $1 then 0 when starts_with(l.agent_id, $1) then 1 else 2 end`;
  const list: List = {
    columns: 'l.wallet',
    from: 'listing l',
    where: FOUND,
    keys: [
      [closeness, 'int8'],
      ['l.agent_id', 'text'],
    ],
    ascending: true,
  };
  return rowsOnPage(deps.sql, list, [needleOf(text)], page);
}

export const searchCount = (deps: Deps, text: string): Promise<number> =>
  totalOf(deps, `select count(*) as n from listing l where ${FOUND}`, [needleOf(text)]);

export type TradeFilter = {
  readonly agent?: string | undefined;
  readonly trader?: string | undefined;
  readonly type?: string | undefined;
};

/** All trades that match, the newest first, those in agents that are not of this service too. */
export async function tradePage(
  deps: Deps,
  filter: TradeFilter,
  page: Page,
  choice: TradeChoice = { parts: ALL_TRADE_PARTS },
): Promise<Keyed<ChosenTrade>[]> {
  const { where, values } = tradeConditions(filter);
  const keys: List['keys'] = [
    ['t.block_number', 'int8'],
    ['t.log_index', 'int8'],
  ];
  const { columns, from, read } = tradeSelection(choice);
  return (await rowsOnPage<ChosenTrade>(deps.sql, { columns, from, where, keys }, values, page)).map(read);
}

export async function tradeCount(deps: Deps, filter: TradeFilter): Promise<number> {
  const { where, values } = tradeConditions(filter);
  const [row] = await deps.sql<{ total: number }>(`select count(*) as total from transaction t where ${where}`, values);
  return row?.total ?? 0;
}

function tradeConditions(filter: TradeFilter): { where: string; values: string[] } {
  const given = (['agent', 'trader', 'type'] as const).flatMap((column) => {
    const value = filter[column];
    return value === undefined ? [] : [{ column, value }];
  });
  return {
    where: given.map(({ column }, i) => `t.${column} = $${i + 1}`).join(' and ') || 'true',
    values: given.map(({ value }) => value),
  };
}
