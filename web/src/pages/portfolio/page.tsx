import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { ConnectPanel } from '../../ui/wallet/connect-panel.js';
import { KeyCard } from './key-card.js';
import { MyAgent } from './my-agent.js';
import { WalletView } from './wallet-view.js';
import '../agent/agent.css';
import './portfolio.css';

const words = texts.portfolio;

/**
 * Page with the positions of a wallet, from public data, and with the private data of the agent whose key the user
 * pasted.
 */
export default function PortfolioPage(_: PageProps) {
  const { wallets, agentKey } = useApp();
  const wallet = wallets.connected.value;
  const key = agentKey.value;
  useSettled(true);
  return (
    <div class="portfolio">
      <PageTitle heading={words.heading} lead={words.lead} />
      <div class="columns">
        <div class="stack">
          {wallet ? (
            <WalletView key={wallet.account} account={wallet.account} />
          ) : (
            <Card title={words.positions}>
              <p class="empty muted">{words.noWallet}</p>
            </Card>
          )}
          {key !== undefined && <MyAgent key={key} apiKey={key} />}
        </div>
        <div class="stack">
          <Card title={texts.wallet.title}>
            <ConnectPanel />
          </Card>
          <KeyCard />
        </div>
      </div>
    </div>
  );
}
