import { shortHex } from '../../format/number.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { addressOf } from '../../wallet/provider.js';
import { portfolioTexts } from '../portfolio/texts.js';
import { usePortfolio } from '../portfolio/use-portfolio.js';
import { WalletView } from '../portfolio/wallet-view.js';
import { Owner, Whose } from '../portfolio/whose.js';
import '../portfolio/portfolio.css';

const words = portfolioTexts;

/** Page with the positions and trades of any wallet, from public data. */
export default function WalletPage({ params: { address = '' } }: PageProps) {
  const wallet = addressOf(address);
  const portfolio = usePortfolio(wallet);
  usePageTitle(wallet ? words.wallet.titleOf(shortHex(wallet)) : texts.portfolio.walletTitle);
  useSettled(true);
  return (
    <div class="portfolio">
      <PageTitle heading={texts.portfolio.walletTitle} lead={words.wallet.lead} />
      <Whose asked={address}>
        {wallet ? <Owner wallet={wallet} portfolio={portfolio.data} /> : <p class="muted">{words.noAddress}</p>}
      </Whose>
      {wallet && (
        <div class="stack">
          <WalletView key={wallet} wallet={wallet} {...portfolio} />
          <p>
            <a href={`/links/${wallet}`}>{texts.links.title}</a>
          </p>
        </div>
      )}
    </div>
  );
}
