import { useMemo, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { useKept } from '../../ui/use-kept.js';
import { useScript } from '../../ui/use-script.js';
import { AboutCard } from './about-card.js';
import { Activity } from './activity.js';
import { type Choice, choiceIn, contractSteps } from './curve.js';
import { CurveCard } from './curve-card.js';
import { Head } from './head.js';
import { Holders } from './holders.js';
import { PnlCard } from './pnl-card.js';
import { PointsCard } from './points-card.js';
import { PriceCard } from './price-card.js';
import { agentQuery } from './queries.js';
import { TradeCard } from './trade-card.js';
import { useFigures } from './use-figures.js';
import './agent.css';

/** The page for an agent that does not exist. Its script loads only in this case. */
function Missing(props: { readonly reference: string }) {
  const { loaded, problem, load } = useScript(() => import('../../ui/agent/no-agent.js'));
  if (loaded) return <loaded.NoAgent {...props} />;
  return problem ? <ProblemView problem={problem} retry={load} isPage /> : <div aria-busy="true" />;
}

/** One agent: its price over time, the way to trade it, the curve, holders, trades, posts, followers, points and profit. */
export default function AgentPage({ params: { agentId = '' } }: PageProps) {
  const [chain, setChain] = useState(true);
  const { data, problem, reload } = useQuery(agentQuery, { agentId, chain }, { isExtended: true });
  // If the chain does not answer, the query is sent again without the contract. The page then works without fees and trading.
  if (chain && !data && problem?.code === 'CHAIN_UNAVAILABLE') setChain(false);
  const agent = data?.agent ?? undefined;
  const contract = data?.contract ?? undefined;
  const { figures, show } = useFigures(agentId, agent, reload);
  const supply = figures?.totalSupply;
  const { router } = useApp();
  const [asked] = useState(() => choiceIn(router.location.value.url));
  // What the reader chooses on this visit replaces the trade that the address asks for.
  const [kept, choose] = useKept<Choice | undefined>('trade', undefined);
  const choice = kept ?? asked;
  const { side } = choice;
  const steps = useMemo(() => contractSteps(side, supply, contract), [side, supply, contract]);
  usePageTitle(agent?.name ?? texts.agent.title);
  useSettled(agent !== undefined);
  if (!agent && problem?.code === 'AGENT_NOT_FOUND') return <Missing key={agentId} reference={agentId} />;
  if (!agent && problem && problem.code !== 'CHAIN_UNAVAILABLE') return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="agent">
      {agent && <StaleNote problem={problem} />}
      <Head agent={agent} figures={figures} />
      <div class="columns">
        <PriceCard agentId={agentId} first={agent?.candles} price={figures?.ticketPrice} />
        <div class="stack side">
          <TradeCard {...{ agent, figures, contract, choice, choose, steps, show, reload }} isLoading={data === undefined} />
          <Holders agentId={agentId} agent={agent} supply={supply} />
          <PnlCard pnl={agent?.pnl} />
          <PointsCard points={agent?.points} isLoading={agent === undefined} wallet={agent?.id} />
          <AboutCard agent={agent} />
        </div>
        <div class="stack">
          <CurveCard supply={supply} choice={choice} steps={steps} />
          <Activity agentId={agentId} agent={agent} />
        </div>
      </div>
    </div>
  );
}
