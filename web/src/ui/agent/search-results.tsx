import { etherText, weiText } from '../../format/ether.js';
import { counted, shortHex } from '../../format/number.js';
import type { Connection } from '../../graphql/connection.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { texts } from '../../texts.js';
import { Amount } from '../figure/amount.js';
import { agentName, Badge } from './agent-link.js';
import { Identicon } from './identicon.js';

// The part of the search that loads when the reader types, because most readers never search.

const search = graphql(
  `
  query Search($q: String!) {
    search(first: 6, q: $q, similar: true) {
      nodes {
        ...agentName
        ticketPrice
        socialHandle
      }
    }
  }
`,
  [agentName],
);
export type Found = ResultOf<typeof search>['search']['nodes'][number];

export type Results = {
  readonly found?: readonly Found[];
  /** Says how many agents were found, or why none was. */
  readonly note: string;
  /** Whether the agents were found only because their names are similar to the text. */
  readonly isSimilar: boolean;
};

/** Searches for agents by a text. `wallet` is the text if it is a complete address whose wallet can be opened, otherwise empty. */
export async function find(
  { connection, q, wallet }: { readonly connection: Connection; readonly q: string; readonly wallet: string },
  signal: AbortSignal,
): Promise<Results> {
  const { nodes } = (await connection.query(search, { q }, signal)).search;
  const { none, onlyWallet, found, foundMany } = texts.search;
  const note = nodes.length > 0 ? counted(nodes.length, found, foundMany) : wallet ? onlyWallet : none;
  return { found: nodes, note, isSimilar: nodes.some((agent) => !matches(agent, q)) };
}

/** Whether the service has found the agent by the text itself, and not by its similarity to the agent's name. */
function matches({ id, agentId, socialHandle }: Found, q: string): boolean {
  const text = q.toLowerCase();
  const part = text.replace(/^@/, '').replaceAll(' ', '_');
  return agentId.includes(part) || id.startsWith(text) || `@${socialHandle ?? ''}`.toLowerCase() === text;
}

type Props = {
  readonly id: string;
  readonly found: readonly Found[];
  /** A complete address, whose wallet the last option opens. Empty if the text is none. */
  readonly wallet: string;
  readonly chosen: number;
  readonly choose: (i: number) => void;
};

export function Options({ id, found, wallet, chosen, choose }: Props) {
  const agent = found[chosen];
  const option = (i: number) => ({
    id: `${id}-${i}`,
    role: 'option' as const,
    'aria-selected': i === chosen,
    // This keeps the focus in the input, whose `aria-activedescendant` names the chosen option.
    onPointerDown: (event: Event) => event.preventDefault(),
    onClick: () => choose(i),
  });
  return (
    <>
      <div id={id} role="listbox" aria-label={texts.search.results}>
        {found.map((agent, i) => (
          <div key={agent.id} {...option(i)}>
            <Identicon address={agent.id} size={24} />
            <bdi class="name">{agent.name}</bdi>
            {agent.isClaimed && <Badge />}
            {/* An option cannot contain a focusable element, so the chosen agent's price also stands below the list. */}
            <span class="amount" data-tip={weiText(BigInt(agent.ticketPrice))} data-tip-end="">
              {etherText(BigInt(agent.ticketPrice))}
            </span>
          </div>
        ))}
        {wallet && (
          <div {...option(found.length)}>
            <Identicon address={wallet} size={24} />
            {texts.search.wallet} {shortHex(wallet)}
          </div>
        )}
      </div>
      {agent && (
        <p class="muted small num">
          {texts.search.price} <bdi>{agent.name}</bdi> <Amount wei={agent.ticketPrice} />
        </p>
      )}
    </>
  );
}
