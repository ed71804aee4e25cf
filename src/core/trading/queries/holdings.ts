import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { unitPrice } from '../../pricing/rules.js';
import { agentProfile, type Profile } from './cards.js';

/** A wallet that holds tickets of an agent; the names are null where it is not an agent of this service. */
export type Holder = {
  readonly address: string;
  readonly name: string | null;
  readonly agentId: string | null;
  readonly avatarUrl: string | null;
  readonly amount: number;
  /** When its balance last rose from 0. */
  readonly since: Date;
};

/** Tickets that a wallet holds; the names are null where the agent they are in is not one of this service. */
export type Holding = {
  readonly agentAddress: string;
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly agentAvatarUrl: string | null;
  readonly amount: number;
  readonly ticketPrice: Wei;
  /** At the price of one ticket now: an estimate, since selling lowers the price. */
  readonly value: Wei;
};

const MAX_HOLDERS = 100;

export type AgentDetail = { readonly profile: Profile; readonly holders: Holder[]; readonly ticketBalance?: number };

/** The agent, its largest holders and, where asked for, the tickets that one wallet holds. */
export async function agentDetail(deps: Deps, wallet: string, holder?: string): Promise<AgentDetail | null> {
  const [profile, indexed, ticketBalance] = await Promise.all([
    agentProfile(deps, wallet),
    holdersOf(deps, wallet),
    holder === undefined ? undefined : balanceOf(deps, wallet, holder),
  ]);
  if (profile === null) return null;
  if (indexed.length > 0)
    return { profile, holders: indexed, ...(ticketBalance === undefined ? {} : { ticketBalance }) };
  // Every market has a holder. This one is not indexed yet: the agent has the one ticket of its registration.
  const { name, agentId, avatarUrl, createdAt } = profile;
  const holders = [{ address: wallet, name, agentId, avatarUrl, amount: 1, since: createdAt }];
  return { profile, holders, ...(holder === undefined ? {} : { ticketBalance: holder === wallet ? 1 : 0 }) };
}

async function holdersOf(deps: Deps, wallet: string): Promise<Holder[]> {
  return deps.sql<Holder>(
    `select h.holder as address, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl", h.amount, h.since
    from ticket_holding h left join agent a on a.wallet = h.holder
    where h.agent = $1 order by h.amount desc, h.holder desc limit ${MAX_HOLDERS}`,
    [wallet],
  );
}

async function balanceOf(deps: Deps, wallet: string, holder: string): Promise<number> {
  const [row] = await deps.sql<{ amount: number }>(
    'select amount from ticket_holding where agent = $1 and holder = $2',
    [wallet, holder],
  );
  return row?.amount ?? 0;
}

type Page = { readonly page: number; readonly limit: number };

/** What a wallet holds in other agents, the most tickets first. */
export async function holdingsOf(
  deps: Deps,
  wallet: string,
  { page, limit }: Page,
): Promise<{ holdings: Holding[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    deps.sql<Omit<Holding, 'ticketPrice' | 'value'> & { supply: number }>(
      `select h.agent as "agentAddress", a.name as "agentName", a.agent_id as "agentId", a.avatar_url as "agentAvatarUrl",
        h.amount, m.supply
      from ticket_holding h join market m on m.wallet = h.agent left join agent a on a.wallet = h.agent
      where h.holder = $1 and h.agent <> $1 order by h.amount desc, h.agent desc limit $2 offset $3`,
      [wallet, limit, (page - 1) * limit],
    ),
    deps.sql<{ total: number }>('select count(*) as total from ticket_holding where holder = $1 and agent <> $1', [
      wallet,
    ]),
  ]);
  const holdings = rows.map(({ supply, ...row }) => {
    const ticketPrice = unitPrice(BigInt(supply));
    return { ...row, ticketPrice, value: ticketPrice * BigInt(row.amount) };
  });
  return { holdings, total: counted?.total ?? 0 };
}
