import type { Deps } from '../../../deps.js';
import { type Keyed, type List, type Page, Parameters, type Relation, rowsByParent } from '../../../store/pages.js';
import { type AgentPart, agentSelection } from './agent-row.js';

/** An agent that is read beside each row of a list. */
export type Beside = {
  /** `agent` gives each row a property `agentRow`. */
  readonly name: string;
  /** The column that has the agent's wallet. */
  readonly wallet: string;
  readonly parts: readonly AgentPart[];
};

/** The list with the columns of the agents beside its rows, and the joins that these need. */
export function withAgents<L extends List>(deps: Pick<Deps, 'clock'>, list: L, beside: readonly Beside[]): L {
  const parameters = new Parameters(list.values);
  const columns = { ...list.columns };
  const joins = beside.map(({ name, wallet, parts }) => {
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

/** Makes the `agentRow` of each row of its columns `agent.wallet`, `agent.name` ...; null if the wallet is not an agent. */
export function nestAgents<Row extends object>(rows: readonly object[], beside: readonly Beside[]): Row[] {
  for (const { name, parts } of beside) {
    const keys = ['wallet', ...parts].map((part) => [`${name}.${part}`, part] as const);
    for (const row of rows as Record<string, unknown>[]) {
      const agent: Record<string, unknown> = {};
      for (const [from, to] of keys) agent[to] = row[from];
      row[`${name}Row`] = agent.wallet === null ? null : agent;
    }
  }
  return rows as Row[];
}

/** A page of rows for each parent, with agents beside them. */
export async function rowsWithAgents<Row extends object>(
  deps: Deps,
  relation: Relation,
  parents: readonly (string | number)[],
  { page, beside }: { readonly page: Page; readonly beside: readonly Beside[] },
): Promise<Map<string, Keyed<Row>[]>> {
  const groups = await rowsByParent<Row>(deps.sql, withAgents(deps, relation, beside), parents, page);
  for (const rows of groups.values()) nestAgents(rows, beside);
  return groups;
}
