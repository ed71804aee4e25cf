import type { Deps } from '../../deps.js';
import { type Keyed, type List, type Page, Parameters, type Relation, rowsByParent } from '../../store/pages.js';
import { type AgentPart, agentSelection } from './agent-row.js';

/** An agent that a list joins to each of its rows. */
export type JoinedAgent = {
  /** Name of the relation: `agent` adds the property `agentRow` to each row. */
  readonly name: string;
  /** SQL expression of the agent's wallet. */
  readonly wallet: string;
  readonly parts: readonly AgentPart[];
};

/** Adds the columns of the joined agents to a list, and the joins that they need. */
export function withAgents<L extends List>(
  deps: Pick<Deps, 'clock'>,
  list: L,
  joinedAgents: readonly JoinedAgent[],
): L {
  const parameters = new Parameters(list.values);
  const columns = { ...list.columns };
  const joins = joinedAgents.map(({ name, wallet, parts }) => {
    const agent = `${name}_row`;
    const selection = agentSelection(deps, parts, { agent, parameters, prefix: `${name}.` });
    Object.assign(columns, selection.columns);
    return `left join agent ${agent} on ${agent}.wallet = ${wallet} ${selection.joins}`;
  });
  const { from, late } = list;
  const joined = late
    ? { late: { ...late, joins: [late.joins, ...joins].join(' ') } }
    : { from: [from, ...joins].join(' ') };
  return { ...list, ...joined, columns, values: parameters.values };
}

/** Nests the columns `agent.wallet`, `agent.name` ... of each row as `agentRow`. Null if the wallet is not an agent. */
export function nestAgents<Row extends object>(rows: readonly object[], joinedAgents: readonly JoinedAgent[]): Row[] {
  for (const { name, parts } of joinedAgents) {
    const keys = ['wallet', ...parts].map((part) => [`${name}.${part}`, part] as const);
    for (const row of rows as Record<string, unknown>[]) {
      const agent: Record<string, unknown> = {};
      for (const [from, to] of keys) agent[to] = row[from];
      row[`${name}Row`] = agent.wallet === null ? null : agent;
    }
  }
  return rows as Row[];
}

/** A page of rows for each parent, with joined agents. */
export async function rowsWithAgents<Row extends object>(
  deps: Deps,
  relation: Relation,
  parents: readonly (string | number)[],
  { page, joinedAgents }: { readonly page: Page; readonly joinedAgents: readonly JoinedAgent[] },
): Promise<Map<string, Keyed<Row>[]>> {
  const groups = await rowsByParent<Row>(deps.sql, withAgents(deps, relation, joinedAgents), parents, page);
  for (const rows of groups.values()) nestAgents(rows, joinedAgents);
  return groups;
}
