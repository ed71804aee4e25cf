import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { ConnectPanel } from '../../ui/wallet/connect-panel.js';
import { KeyCard } from './key-card.js';
import { MyAgent } from './my-agent.js';
import { useMyAgent } from './use-my-agent.js';
import { WalletView } from './wallet-view.js';
import { addressFault, Whose } from './whose.js';
import '../agent/agent.css';
import './portfolio.css';

const words = texts.portfolio;

/**
 * Page with the positions of a wallet, from public data, and with the private data of the agent whose key the user
 * pasted. The address of the page may name a wallet. Without one, the page shows the connected wallet.
 */
export default function PortfolioPage(_: PageProps) {
  const { wallets, router } = useApp();
  const own = wallets.connected.value?.account;
  const asked = router.location.value.url.searchParams.get('wallet') ?? undefined;
  const wallet = asked === undefined ? own : addressFault(asked) ? undefined : asked.toLowerCase();
  const mine = useMyAgent();
  useSettled(true);
  return (
    <div class="portfolio">
      <PageTitle heading={words.heading} lead={words.lead} />
      <Whose asked={asked} wallet={wallet} own={own} />
      <div class="columns">
        <div class="stack">
          {wallet ? (
            <WalletView key={wallet} account={wallet} />
          ) : (
            <Card title={words.positions}>
              <p class="empty muted">{asked === undefined ? words.noWallet : words.noAddress}</p>
            </Card>
          )}
          {mine.isGiven && <MyAgent mine={mine} />}
        </div>
        <div class="stack">
          <Card title={texts.wallet.title}>
            <ConnectPanel />
          </Card>
          <KeyCard mine={mine} />
        </div>
      </div>
    </div>
  );
}
