import type { Deps } from '../../../deps.js';
import { type Keyed, type List, type Page, rowsOnPage } from '../../../store/pages.js';
import { dayBefore } from './cards.js';
import { type AgentFilter, type AgentSort, filterSql, filterValues, needleOf } from './lists.js';
import { TRADE_COLUMNS, TRADE_FROM, type TradeView } from './trades.js';

type Wallets = Promise<Keyed<{ readonly wallet: string }>[]>;
export type AgentOrder = { readonly sort: AgentSort; readonly order: 'asc' | 'desc' };

const INDEXED = 'market m join agent a on a.wallet = m.wallet';
const ALL = 'agent a left join market m on m.wallet = a.wallet';

const sorts: Readonly<Record<AgentSort, Pick<List, 'from' | 'keys'>>> = {
  newest: {
    from: ALL,
    keys: [
      ['a.created_at', 'timestamptz'],
      ['a.wallet', 'text'],
    ],
  },
  price: {
    from: INDEXED,
    keys: [
      ['m.supply', 'int8'],
      ['m.wallet', 'text'],
    ],
  },
  supply: {
    from: INDEXED,
    keys: [
      ['m.supply', 'int8'],
      ['m.wallet', 'text'],
    ],
  },
  holders: {
    from: INDEXED,
    keys: [
      ['m.holder_count', 'int8'],
      ['m.wallet', 'text'],
    ],
  },
  volume: {
    from: `${ALL} left join
      (select agent, sum(price) as volume from transaction where block_time > $1 group by agent) day on day.agent = a.wallet`,
    keys: [
      ['coalesce(day.volume, 0)', 'numeric'],
      ['a.wallet', 'text'],
    ],
  },
};

/** The wallets of the agents that pass the filter, in the order of the lists. */
export async function agentPage(deps: Deps, { sort, order, ...filter }: AgentFilter & AgentOrder, page: Page): Wallets {
  const { from, keys } = sorts[sort];
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const own = sort === 'volume' ? [dayBefore(deps)] : [];
  const list: List = {
    columns: 'a.wallet',
    from,
    keys,
    ascending: order === 'asc',
    ...(filtered ? { where: filterSql(own.length + 1, from === INDEXED ? 'surely' : 'maybe') } : {}),
  };
  return rowsOnPage(deps.sql, list, filtered ? [...own, ...filterValues(filter)] : own, page);
}

/** How many agents pass the filter. */
export async function agentCount(deps: Deps, filter: AgentFilter): Promise<number> {
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const [row] = await deps.sql<{ total: number }>(
    filtered
      ? `select count(*) as total from ${ALL} where ${filterSql(1, 'maybe')}`
      : 'select count(*) as total from agent',
    filtered ? filterValues(filter) : [],
  );
  return row?.total ?? 0;
}

/** How many agents stand above a place of the leaderboard. */
export async function agentsAbove(deps: Deps, [supply, wallet]: readonly string[]): Promise<number> {
  const [row] = await deps.sql<{ total: number }>(
    `select count(*) as total from ${INDEXED} where (m.supply, m.wallet) > ($1::int8, $2::text)`,
    [supply, wallet],
  );
  return row?.total ?? 0;
}

const FOUND = 'strpos(a.agent_id, $1) > 0';

/** The wallets of the agents found by a text: exact first, then what begins so, then what contains it. */
export function searchPage(deps: Deps, text: string, page: Page): Wallets {
  const closeness = `case when a.agent_id = $1 then 0 when starts_with(a.agent_id, $1) then 1 else 2 end`;
  const list: List = {
    columns: 'a.wallet',
    from: 'agent a',
    where: FOUND,
    keys: [
      [closeness, 'int8'],
      ['a.agent_id', 'text'],
    ],
    ascending: true,
  };
  return rowsOnPage(deps.sql, list, [needleOf(text)], page);
}

export async function searchCount(deps: Deps, text: string): Promise<number> {
  const [row] = await deps.sql<{ total: number }>(`select count(*) as total from agent a where ${FOUND}`, [
    needleOf(text),
  ]);
  return row?.total ?? 0;
}

export type TradeFilter = {
  readonly agent?: string | undefined;
  readonly trader?: string | undefined;
  readonly type?: string | undefined;
};

/** All trades that match, the newest first, those in agents that are not of this service too. */
export function tradePage(deps: Deps, filter: TradeFilter, page: Page): Promise<Keyed<TradeView>[]> {
  const { where, values } = tradeConditions(filter);
  const keys: List['keys'] = [
    ['t.block_number', 'int8'],
    ['t.log_index', 'int8'],
  ];
  return rowsOnPage(deps.sql, { columns: TRADE_COLUMNS, from: TRADE_FROM, where, keys }, values, page);
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
