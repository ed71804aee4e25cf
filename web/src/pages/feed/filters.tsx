import { shortHex } from '../../format/number.js';
import { AgentLink, type AgentName } from '../../ui/agent/agent-link.js';
import { AgentSearch } from '../../ui/agent/agent-search.js';
import { Choices } from '../../ui/control/choices.js';
import type { FeedType } from '../../ui/feed/use-live-feed.js';
import { addressOf } from '../../wallet/provider.js';
import { feedPageTexts } from './texts.js';

export type Filter = { readonly agentId: string | undefined; readonly type?: FeedType | undefined };

type Props = {
  readonly filter: Filter;
  /** The agent whose events the filter selects. undefined until it is loaded, and if the filter names no agent. */
  readonly agent: AgentName | undefined;
  readonly choose: (filter: Filter) => void;
};

/** The controls that choose which events the page shows. */
export function Filters({ filter, agent, choose }: Props) {
  const { agentId, type } = filter;
  const words = feedPageTexts;
  return (
    <div class="filters">
      <Choices
        label={words.type}
        options={words.types}
        chosen={type ?? 'ALL'}
        choose={(key) => choose({ agentId, type: key === 'ALL' ? undefined : key })}
      />
      {agentId === undefined ? (
        <AgentSearch label={words.agent} onChoose={(found) => choose({ agentId: found.agentId, type })} />
      ) : (
        <p class="only">
          <span class="muted">{words.only}</span>{' '}
          {agent ? <AgentLink agent={agent} address={agent.id} /> : <bdi>{addressOf(agentId) ? shortHex(agentId) : agentId}</bdi>}
          <button type="button" class="button quiet" onClick={() => choose({ agentId: undefined, type })}>
            {words.all}
          </button>
        </p>
      )}
    </div>
  );
}
