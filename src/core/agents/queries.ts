import type { Deps } from '../../deps.js';

/** Who calls: the agent whose key was sent. */
export type Actor = { readonly wallet: string; readonly name: string; readonly agentId: string };

export async function agentByKeyHash(deps: Deps, hash: Buffer): Promise<Actor | null> {
  const [row] = await deps.sql<Actor>('select wallet, name, agent_id as "agentId" from agent where api_key_hash = $1', [
    hash,
  ]);
  return row ?? null;
}
