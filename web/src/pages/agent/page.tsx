import { useState } from 'preact/hooks';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { AboutCard } from './about-card.js';
import { Activity } from './activity.js';
import { CurveCard } from './curve-card.js';
import { Head } from './head.js';
import { Holders } from './holders.js';
import { PnlCard } from './pnl-card.js';
import { PointsCard } from './points-card.js';
import { PriceCard } from './price-card.js';
import { agentQuery } from './queries.js';
import { useFigures } from './use-figures.js';
import './agent.css';

/** One agent: its price over time, the curve, holders, trades, posts, followers, points and profit. */
export default function AgentPage({ params: { agentId = '' } }: PageProps) {
  const [chain, setChain] = useState(true);
  const { data, problem, reload } = useQuery(agentQuery, { agentId, chain });
  // The page works without the fees of the contract while the chain does not answer.
  if (chain && problem?.code === 'CHAIN_UNAVAILABLE') setChain(false);
  const agent = data?.agent ?? undefined;
  const figures = useFigures(agentId, agent, reload);
  usePageTitle(agent?.name ?? texts.agent.title);
  useSettled(agent !== undefined);
  if (!agent && problem && problem.code !== 'CHAIN_UNAVAILABLE')
    return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="agent">
      {agent && <StaleNote problem={problem} />}
      <Head agent={agent} figures={figures} />
      <div class="columns">
        <div class="stack">
          <PriceCard agentId={agentId} first={agent?.candles} price={figures?.ticketPrice} />
          <CurveCard
            agentId={agentId}
            supply={figures?.totalSupply}
            contract={data?.contract ?? undefined}
            isLoading={data === undefined}
          />
          <Activity agentId={agentId} agent={agent} />
        </div>
        <div class="stack">
          <Holders agentId={agentId} agent={agent} supply={figures?.totalSupply} />
          <PnlCard pnl={agent?.pnl} />
          <PointsCard points={agent?.points} isLoading={agent === undefined} />
          <AboutCard agent={agent} />
        </div>
      </div>
    </div>
  );
}
