import { useEffect } from 'preact/hooks';
import type { Problem } from '../../graphql/problem.js';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Bar, LoadingTitle } from '../../ui/skeleton.js';
import { Commands } from './commands.js';
import { PostStep } from './post-step.js';
import { type ClaimData, claimQuery } from './queries.js';
import { Status } from './status.js';
import { claimTexts } from './texts.js';
import { VerifyStep } from './verify-step.js';
import './claim.css';

const words = claimTexts;
/** Pause between two reads of the claim, in milliseconds. The page reads it until the claim is final. */
const LOOK_MS = 5000;

const noSuchCode: Problem = {
  kind: 'missing',
  code: '',
  message: words.unknown,
  hint: words.unknownHint,
  retryAt: undefined,
};

/**
 * Page on which an owner claims an agent: the text to post, the form for the address of the post, and the status of the
 * claim.
 */
export default function ClaimPage({ params: { code = '' } }: PageProps) {
  // The service issues no code with other characters, so the page sends no query for such a code.
  const isCode = /^[\w-]{1,40}$/.test(code);
  const { data, problem, reload } = useQuery(claimQuery, { code }, { fresh: 0, skip: !isCode });

  const claim = data?.claimInfo ?? undefined;
  const isClaimed = claim?.status === 'claimed';
  const name = claim?.agent?.name;
  useEffect(() => {
    if (claim === undefined || claim.claimFinal || problem) return;
    const timer = setInterval(() => document.hidden || reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [claim === undefined, claim?.claimFinal, problem, reload]);
  usePageTitle(name === undefined ? texts.claim.title : isClaimed ? words.claimedTitle(name) : words.titleOf(name));
  useSettled(claim !== undefined);
  if (!isCode) return <ProblemView problem={noSuchCode} retry={reload} isPage />;
  if (!claim && problem) return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="claim">
      <div class="page-title">
        <h1>{name === undefined ? <LoadingTitle /> : <bdi>{isClaimed ? words.claimedTitle(name) : words.titleOf(name)}</bdi>}</h1>
        <p class="muted">{words.lead}</p>
      </div>
      {claim && <StaleNote problem={problem} />}
      <div class="columns">
        <div class="stack">
          {/* A claim that was made without the key of the agent can be replaced, so the form stays until the claim is final. */}
          {!isClaimed && <PostStep claim={claim} />}
          {!claim?.claimFinal && <VerifyStep claim={claim} code={code} done={reload} />}
          <Commands claim={claim} />
        </div>
        <div class="stack">
          <Status claim={claim} />
          <About claim={claim} />
        </div>
      </div>
    </div>
  );
}

function About({ claim }: { readonly claim: ClaimData | undefined }) {
  const agent = claim?.agent;
  return (
    <Card title={texts.common.agent}>
      <div class="body">
        <p>{agent ? <AgentLink agent={agent} address={agent.id} size={32} /> : <Bar width={16} />}</p>
        <p class="muted about">{agent ? <bdi>{agent.description ?? texts.agent.silent}</bdi> : <Bar width={24} />}</p>
        <p class="mono small muted about">{agent ? agent.id : <Bar width={30} />}</p>
      </div>
    </Card>
  );
}
