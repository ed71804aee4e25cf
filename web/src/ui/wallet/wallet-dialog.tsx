import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { graphql } from '../../graphql/document.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import type { Chain, ConnectedWallet } from '../../wallet/wallets.js';
import { walletHref } from '../agent/agent-link.js';
import { Dialog } from '../control/dialog.js';
import { Amount } from '../figure/amount.js';
import { Bar } from '../skeleton.js';
import { ChainNotice } from './chain-notice.js';
import { ConnectPanel } from './connect-panel.js';
import { useBalanceChanges } from './use-balance-changes.js';

const words = texts.wallet.head;

const chainQuery = graphql(`
  query ChainOfMarket {
    contract { chainId rpcUrl }
    marketStats { ethUsd }
  }
`);

/** The chain of the market never changes while a page is open, so a stored answer stays valid. */
const FRESH_MS = Number.POSITIVE_INFINITY;

/** The balance of the connected wallet. */
export type Balance = {
  /** Ether on the chain of the market. undefined until it is read. */
  readonly wei: bigint | undefined;
  /** The chain of the market, if the wallet is on another one. */
  readonly other: Chain | undefined;
};

function useBalance(wallet: ConnectedWallet): Balance {
  const { provider, account, chainId } = wallet;
  const { data } = useQuery(chainQuery, {}, { fresh: FRESH_MS });
  const chain = data?.contract ?? undefined;
  const changes = useBalanceChanges(provider);
  /** The account and chain whose balance is read. */
  const source = `${account} ${chainId}`;
  const [read, setRead] = useState<{ readonly source: string; readonly wei: bigint } | undefined>(undefined);
  useEffect(() => {
    let isOpen = true;
    provider.request({ method: 'eth_getBalance', params: [account, 'latest'] }).then(
      (balance) => isOpen && setRead({ source, wei: BigInt(balance as string) }),
      // The next block sends the request again.
      () => {},
    );
    return () => {
      isOpen = false;
    };
  }, [provider, source, changes]);
  const other = chain && chain.chainId !== chainId ? chain : undefined;
  // A balance on another chain would mislead, so it is not shown.
  return { wei: data && !other && read?.source === source ? read.wei : undefined, other };
}

export type ReaderProps = {
  readonly wallet: ConnectedWallet;
  /** Called with the balance whenever it changes. */
  readonly tell: (balance: Balance) => void;
};

/**
 * Reads the balance of the wallet for its parent, and shows nothing. It is a component and not a hook, because
 * `shell/wallet-button.tsx` loads this file only after the first view.
 */
export function BalanceReader({ wallet, tell }: ReaderProps) {
  const { wei, other } = useBalance(wallet);
  // A layout effect runs before the next paint, so that no wallet ever stands beside the balance of another wallet.
  useLayoutEffect(() => {
    tell({ wei, other });
    return () => tell({ wei: undefined, other: undefined });
  }, [wei, other]);
  return null;
}

/**
 * The dialog of the wallet: its balance and links, and `ConnectPanel` with its address and a button that disconnects it, or with the
 * wallets to choose from.
 */
export function WalletDialog({ balance, close }: { readonly balance: Balance; readonly close: () => void }) {
  const wallet = useApp().wallets.connected.value;
  return (
    <Dialog title={texts.wallet.title} close={close}>
      {wallet && <Account wallet={wallet} balance={balance} />}
      <ConnectPanel isChoosing />
    </Dialog>
  );
}

function Account({ wallet, balance: { wei, other } }: { readonly wallet: ConnectedWallet; readonly balance: Balance }) {
  return (
    <div class="wallet">
      {!other && <p class="wallet-balance num">{wei === undefined ? <Bar width={14} /> : <Amount wei={wei} />}</p>}
      <p>
        <a href="/portfolio">{texts.portfolio.title}</a> · <a href={walletHref(wallet.account)}>{words.page}</a>
      </p>
      {other && <ChainNotice wallet={wallet} contract={other} />}
    </div>
  );
}
