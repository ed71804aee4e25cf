import type { Deps } from '../../deps.js';
import { idsIn, Parameters, selected } from '../../store/pages.js';
import type { TextOrigin } from '../../store/sql.js';
import { type AgentPart, type AgentWith, agentSelection } from './agent-row.js';

export const LOOKUP = 'cross join lateral (select * from agent where agent.wallet = page.wallet offset 0) a';

type WalletsRequest<Part extends AgentPart> = {
  readonly wallets: readonly string[];
  readonly parts: readonly Part[];
  /** `constant` if the parts are fixed in the code. `composed` if the request chooses them. */
  readonly origin?: TextOrigin;
};

/** The agents of this service among the wallets, by wallet. */
export async function agentsByWallets<Part extends AgentPart>(
  deps: Deps,
  { wallets, parts, origin = 'composed' }: WalletsRequest<Part>,
): Promise<Map<string, AgentWith<Part>>> {
  if (wallets.length === 0) return new Map();
  const parameters = new Parameters();
  const rowsOfWallets = idsIn(parameters.add(wallets));
  const { columns, joins } = agentSelection(deps, parts, { agent: 'a', parameters });
  const rows = await deps.sql<AgentWith<Part>>(
    `select ${selected(columns)} from ${rowsOfWallets} page (wallet) ${LOOKUP} ${joins}`,
    parameters.values,
    origin,
  );
  return new Map(rows.map((row) => [row.wallet, row]));
}

export async function agentByWallet<Part extends AgentPart>(
  deps: Deps,
  wallet: string,
  parts: readonly Part[],
): Promise<AgentWith<Part> | null> {
  return (await agentsByWallets(deps, { wallets: [wallet], parts, origin: 'constant' })).get(wallet) ?? null;
}
