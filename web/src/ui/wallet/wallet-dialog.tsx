import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { etherText, weiText } from '../../format/ether.js';
import { shortHex } from '../../format/number.js';
import { graphql } from '../../graphql/document.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import type { ConnectedWallet } from '../../wallet/wallets.js';
import { walletHref } from '../agent/agent-link.js';
import { Identicon } from '../agent/identicon.js';
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

/** The chain of the market never changes while a page is open. */
const FRESH_MS = Number.POSITIVE_INFINITY;

/** Ether of the connected wallet on its present chain, and the chain of the market if that is another one. */
function useBalance(wallet: ConnectedWallet) {
  const { provider, account, chainId } = wallet;
  const { data } = useQuery(chainQuery, {}, { fresh: FRESH_MS });
  const chain = data?.contract ?? undefined;
  const changes = useBalanceChanges(provider);
  const of = `${account} ${chainId}`;
  const [read, setRead] = useState<{ readonly of: string; readonly wei: bigint } | undefined>(undefined);
  useEffect(() => {
    let isOpen = true;
    provider.request({ method: 'eth_getBalance', params: [account, 'latest'] }).then(
      (balance) => isOpen && setRead({ of, wei: BigInt(balance as string) }),
      // The next block sends the request again.
      () => {},
    );
    return () => {
      isOpen = false;
    };
  }, [provider, of, changes]);
  return {
    // Ether of another chain would mislead.
    wei: data && read?.of === of ? read.wei : undefined,
    other: chain && chain.chainId !== chainId ? chain : undefined,
  };
}

/** Phones have no room for it. */
const UNIT = '\u00a0ETH';

type HeadProps = {
  readonly wallet: ConnectedWallet;
  /** Takes what the button says about the wallet. */
  readonly tell: (about: { readonly label: string; readonly tip: string | undefined }) => void;
};

/** Picture and balance of the wallet, in the head of every page. */
export function HeadBalance({ wallet, tell }: HeadProps) {
  const { wei, other } = useBalance(wallet);
  const { account } = wallet;
  const text = other ? words.wrongChain : wei === undefined ? undefined : etherText(wei);
  useEffect(() => {
    tell({ label: words.of(shortHex(account), text), tip: other || wei === undefined ? undefined : weiText(wei) });
  }, [account, text, wei]);
  return (
    <>
      <Identicon address={account} size={20} />
      {text === undefined ? (
        <Bar width={7} />
      ) : (
        <span class="num">
          {text.replace(UNIT, '')}
          {text.endsWith(UNIT) && <span class="unit">{UNIT}</span>}
        </span>
      )}
    </>
  );
}

/** The wallet in a dialog: its balance and address, the way to disconnect it, or the wallets to choose from. */
export function WalletDialog({ close }: { readonly close: () => void }) {
  const wallet = useApp().wallets.connected.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="wallet-dialog"
      aria-labelledby={id}
      onClose={close}
      onClick={({ target }) => {
        // A click beside the dialog, or on a link. The dialog closes before the page opens, which then takes the focus.
        if (target === dialog.current || (target as Element).closest('a[href^="/"]')) dialog.current?.close();
      }}
    >
      <div class="inside">
        <div class="head">
          <h2 id={id}>{texts.wallet.title}</h2>
          <button type="button" class="button quiet" onClick={() => dialog.current?.close()}>
            {words.close}
          </button>
        </div>
        {wallet && <Account wallet={wallet} />}
        <ConnectPanel isChoosing />
      </div>
    </dialog>
  );
}

function Account({ wallet }: { readonly wallet: ConnectedWallet }) {
  const { wei, other } = useBalance(wallet);
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
