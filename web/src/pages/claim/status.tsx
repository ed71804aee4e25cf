import { Badge } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Bar } from '../../ui/skeleton.js';
import type { ClaimData } from './queries.js';
import { claimTexts } from './texts.js';

const words = claimTexts.status;

/** Shows whether the agent is claimed, by whom, and whether the claim is final. */
export function Status({ claim }: { readonly claim: ClaimData | undefined }) {
  const isClaimed = claim?.status === 'claimed';
  const handle = claim?.agent?.socialHandle ?? '';
  return (
    <Card title={words.title}>
      <div class="body claim-status" role="status" aria-busy={claim === undefined}>
        {claim === undefined ? (
          <Bar width={20} />
        ) : isClaimed ? (
          <>
            <p class="state up">
              <Badge /> {words.claimed} <bdi>@{handle}</bdi>
            </p>
            <p class="muted">{claim.claimFinal ? words.final : words.notFinal}</p>
          </>
        ) : (
          <>
            <p class="state">{words.pending}</p>
            <p class="muted">{words.waiting}</p>
          </>
        )}
      </div>
    </Card>
  );
}
