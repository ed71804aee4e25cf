import { useEffect, useState } from 'preact/hooks';
import { unitPrice } from '../../../../src/core/pricing/rules.js';
import { useApp } from '../../app-context.js';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { ConnectPanel } from '../../ui/wallet/connect-panel.js';
import { OrderCard } from './order-card.js';
import { ProgressCard } from './progress-card.js';
import { liveSupply, type Market, tradePageQuery } from './queries.js';
import { useHoldings } from './use-holdings.js';
import { useTrade } from './use-trade.js';
import '../agent/agent.css';
import './trade.css';

/** Buys or sells tickets of one agent with a wallet of the browser. It needs no API key. */
export default function TradePage({ params: { agentId = '' } }: PageProps) {
  const [chain, setChain] = useState(true);
  const { data, problem, reload } = useQuery(tradePageQuery, { agentId, chain });
  // The page still shows the agent while the chain does not answer.
  if (chain && problem?.code === 'CHAIN_UNAVAILABLE') setChain(false);
  const agent = data?.agent ?? undefined;
  const contract = data?.contract ?? undefined;
  const [supply, setSupply] = useSupply(agentId, agent, reload);
  const trading = useTrade(setSupply);
  const holdings = useHoldings(agent?.id, contract, trading.state?.progress.step);
  usePageTitle(agent ? texts.trade.titleOf(agent.name) : texts.trade.title);
  useSettled(agent !== undefined);
  if (!agent && problem && problem.code !== 'CHAIN_UNAVAILABLE')
    return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="trade">
      <div class="page-title">
        <h1>{texts.trade.heading}</h1>
        <TradedAgent agent={agent} supply={supply} />
      </div>
      {agent && <StaleNote problem={problem} />}
      <div class="columns">
        <div class="stack">
          <OrderCard
            agent={agent}
            supply={supply}
            contract={contract}
            isLoading={data === undefined}
            holdings={holdings}
            trading={trading}
          />
          {trading.state && <ProgressCard state={trading.state} />}
        </div>
        <div class="stack">
          <Card title={texts.wallet.title}>
            <ConnectPanel />
            <WalletFigures holdings={holdings} />
          </Card>
        </div>
      </div>
    </div>
  );
}

type TradedProps = { readonly agent: Market | undefined; readonly supply: number | undefined };

function TradedAgent({ agent, supply }: TradedProps) {
  return (
    <p class="traded">
      <span class="which">{agent ? <AgentLink agent={agent} address={agent.id} size={28} /> : <Bar width={16} />}</span>
      {supply === undefined ? <Bar width={12} /> : <Amount wei={unitPrice(BigInt(supply))} />}
      {agent ? <Change percent={agent.priceChange24h} /> : <Bar width={6} />}
    </p>
  );
}

function WalletFigures({ holdings }: { readonly holdings: ReturnType<typeof useHoldings> }) {
  const { wallets } = useApp();
  if (!wallets.connected.value) return null;
  const words = texts.trade.wallet;
  return (
    <dl class="breakdown num wallet-figures">
      <div>
        <dt>{words.balance}</dt>
        <dd>{holdings ? <Amount wei={holdings.balance} /> : '–'}</dd>
      </div>
      <div>
        <dt>{words.tickets}</dt>
        <dd>{holdings ? holdings.tickets : '–'}</dd>
      </div>
    </dl>
  );
}

/** Number of tickets in circulation, which determines all prices. It follows the live price. */
function useSupply(agentId: string, agent: Market | undefined, gap: () => void) {
  const { connection } = useApp();
  const [changed, setChanged] = useState<{ readonly base: Market; readonly supply: number } | undefined>(undefined);
  const set = (supply: number) => agent && setChanged({ base: agent, supply });
  useEffect(() => {
    if (!agent) return;
    const next = ({ price }: { readonly price: { readonly totalSupply: number } }) => set(price.totalSupply);
    return connection.watch(liveSupply, { agent: agentId }, { next, gap });
  }, [connection, agentId, agent]);
  return [changed && changed.base === agent ? changed.supply : agent?.totalSupply, set] as const;
}
