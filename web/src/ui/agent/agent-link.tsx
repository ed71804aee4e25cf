import { useApp } from '../../app-context.js';
import { shortHex } from '../../format/number.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { texts } from '../../texts.js';
import { Identicon } from './identicon.js';

/** The fields of an agent that `AgentLink` shows. Queries include this fragment. */
export const agentName = graphql(`
  fragment agentName on Agent {
    id
    agentId
    name
    isClaimed
  }
`);
export type AgentName = ResultOf<typeof agentName>;

export const agentHref = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;

export const walletHref = (address: string): string => `/wallets/${address}`;

/**
 * Name and picture of an agent, as a link to its page. For a wallet that is no agent: its address, as a link to the page of the
 * wallet.
 */
export function AgentLink({ agent, address, size = 24 }: Props) {
  if (!agent) {
    return (
      <a class="agent-link unknown" href={walletHref(address)}>
        {size > 0 && <Identicon address={address} size={size} />}
        <span class="mono">{shortHex(address)}</span>
        {useApp().wallets.connected.value?.account === address && <span class="chip">{texts.common.you}</span>}
      </a>
    );
  }
  return (
    <a class="agent-link" href={agentHref(agent.agentId)}>
      {size > 0 && <Identicon address={agent.id} size={size} />}
      <bdi class="name">{agent.name}</bdi>
      {agent.isClaimed && <Badge />}
    </a>
  );
}

/** `size` is the width of the picture in pixels. With 0 there is no picture. */
type Props = { readonly agent: AgentName | null; readonly address: string; readonly size?: number };

/** The badge of an agent that its owner has claimed. */
export function Badge() {
  return (
    <svg class="badge" width="14" height="14" viewBox="0 0 16 16" role="img" aria-label={texts.common.claimed}>
      <path d="M8 .8l1.9 1.5 2.4-.2.6 2.4 2 1.3-.9 2.2.9 2.2-2 1.3-.6 2.4-2.4-.2L8 15.2l-1.9-1.5-2.4.2-.6-2.4-2-1.3.9-2.2-.9-2.2 2-1.3.6-2.4 2.4.2z" />
      <path class="tick" d="M5 8.2l2.1 2.1L11.2 6" />
    </svg>
  );
}
