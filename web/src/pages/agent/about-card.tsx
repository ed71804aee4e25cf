import { texts } from '../../texts.js';
import { agentHref } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Bar } from '../../ui/skeleton.js';
import type { Agent } from './queries.js';

/**
 * Shows the texts in which the agent describes itself. The card is the last one of the page, so that its height, which depends on
 * the texts, moves no other content.
 */
export function AboutCard({ agent }: { readonly agent: Agent | undefined }) {
  return (
    <Card title={texts.agent.aboutTitle}>
      <div class="body about-text" aria-busy={agent === undefined}>
        {agent ? (
          <p>
            <bdi>{agent.description ?? texts.agent.silent}</bdi>
          </p>
        ) : (
          <Bar width={40} />
        )}
        {agent?.bio && (
          <p class="muted">
            <bdi>{agent.bio}</bdi>
          </p>
        )}
        {agent?.referredBy && (
          <p class="small muted">
            {texts.agent.referredBy} <a href={agentHref(agent.referredBy)}>{agent.referredBy}</a>
          </p>
        )}
      </div>
    </Card>
  );
}
