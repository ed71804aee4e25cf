import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import { Tabs } from '../../ui/control/tabs.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { useSettled } from '../../ui/page-head.js';
import { ProblemView } from '../../ui/problem-view.js';
import { usePages } from '../../ui/use-pages.js';
import { useScript } from '../../ui/use-script.js';
import { type Agent, tradesQuery } from './queries.js';
import { TradeTable } from './trade-table.js';

const tabs = texts.agent.tabs;
type Tab = keyof typeof tabs;
/** The tabs that the first view of the page does not need. */
const later = {
  profit: async () => ({ Part: (await import('./tabs/profit.js')).Profit }),
  theses: async () => ({ Part: (await import('./tabs/theses.js')).Theses }),
  posts: async () => ({ Part: (await import('./tabs/social.js')).Posts }),
  followers: async () => ({ Part: (await import('./tabs/social.js')).Followers }),
};
type Props = { readonly agentId: string; readonly agent: Agent | undefined };

/** Tabs with the activity of an agent: trades in its tickets, its own trades, its profit, its theses, its posts and its followers. */
export function Activity({ agentId, agent }: Props) {
  const [tab, setTab] = useChoice<Tab>('tab', tabs, 'received');
  return (
    <section class="card" aria-label={texts.agent.activity}>
      <Tabs label={texts.agent.activity} tabs={tabs} chosen={tab} choose={setTab}>
        {tab === 'received' && <Received agentId={agentId} agent={agent} />}
        {tab === 'made' && <Made agentId={agentId} />}
        {tab !== 'received' && tab !== 'made' && <Later key={tab} agentId={agentId} read={later[tab]} />}
      </Tabs>
    </section>
  );
}

function Received({ agentId, agent }: Props) {
  const { connection } = useApp();
  const pages = usePages('received', agent, agent?.trades, async (after) => {
    const answer = await connection.query(tradesQuery, { agentId, side: 'RECEIVED', after });
    return answer.agent?.trades;
  });
  return <TradeTable pages={pages} />;
}

function Made({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const read = async (after: string | null) =>
    (await connection.query(tradesQuery, { agentId, side: 'MADE', after })).agent?.trades;
  return <TradeTable pages={usePages('made', agentId, undefined, read, { isFirstGiven: false })} />;
}

/** A tab whose script loads when the reader chooses the tab. */
function Later({ agentId, read }: { readonly agentId: string; readonly read: (typeof later)[keyof typeof later] }) {
  const { loaded, problem, load } = useScript<{ readonly Part: ComponentType<{ readonly agentId: string }> }>(read);
  const { router } = useApp();
  const [isReturn] = useState(() => router.kept().size > 0);
  // After Back, the page is as high as before only when this tab has its content.
  useSettled(isReturn && loaded !== undefined);
  if (loaded) return <loaded.Part agentId={agentId} />;
  return problem ? <ProblemView problem={problem} retry={load} /> : <div aria-busy="true" />;
}
