import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { FailureNote } from '../../ui/problem-view.js';
import { ConnectPanel } from '../../ui/wallet/connect-panel.js';
import { remembered } from '../../wallet/remembered.js';
import { settingsTexts } from '../settings/texts.js';
import { MyAgent } from './my-agent.js';
import { Sample } from './sample.js';
import { portfolioTexts } from './texts.js';
import { type MyAgentData, useMyAgent } from './use-my-agent.js';
import { usePortfolio } from './use-portfolio.js';
import { WalletView } from './wallet-view.js';
import { Owner, Whose } from './whose.js';
import './portfolio.css';

const words = portfolioTexts;

/**
 * Page with the positions and trades of the connected wallet, from public data, and with the private data of the agent whose
 * key the user pasted in the settings.
 */
export default function PortfolioPage(_: PageProps) {
  const wallet = useApp().wallets.connected.value?.account;
  // The sample is shown only if this browser remembers no wallet. A remembered wallet connects by itself a moment later, and
  // made-up figures would flash before that.
  const { rdns, isTest } = remembered();
  const hasNone = rdns === '' && !isTest;
  const portfolio = usePortfolio(wallet);
  const mine = useMyAgent();
  useSettled(true);
  return (
    <div class="portfolio">
      <PageTitle heading={words.heading} lead={words.lead} />
      <Whose>{wallet ? <Owner wallet={wallet} portfolio={portfolio.data} /> : <p class="muted">{words.whose.none}</p>}</Whose>
      <div class="columns">
        <div class="stack">
          {wallet ? (
            <WalletView key={wallet} wallet={wallet} {...portfolio} />
          ) : hasNone ? (
            <Sample />
          ) : (
            <Card title={words.tabs.positions}>
              <p class="empty muted">{words.noWallet}</p>
            </Card>
          )}
          {mine.isGiven && <MyAgent mine={mine} />}
        </div>
        <div class="stack">
          <Card title={texts.wallet.title}>
            <ConnectPanel />
          </Card>
          <KeyLine mine={mine} />
        </div>
      </div>
    </div>
  );
}

/** A line with a link to the settings, which take the API key of an agent. It also says why the service refused the last key. */
function KeyLine({ mine: { isGiven, refusal } }: { readonly mine: MyAgentData }) {
  return (
    <div class="key-line small muted">
      <FailureNote>{refusal && settingsTexts.key.refused(refusal)}</FailureNote>
      <p>
        {isGiven ? words.settings.given : words.settings.lead} <a href="/settings">{words.settings.link}</a>.
      </p>
    </div>
  );
}
