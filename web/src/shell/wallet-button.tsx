import { useState } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { etherText, weiText } from '../format/ether.js';
import { shortHex } from '../format/number.js';
import { texts } from '../texts.js';
import { Identicon } from '../ui/agent/identicon.js';
import { Bar } from '../ui/skeleton.js';
import { useScript } from '../ui/use-script.js';
import type { Balance, ReaderProps } from '../ui/wallet/wallet-dialog.js';
import type { ConnectedWallet } from '../wallet/wallets.js';

const words = texts.wallet.head;
const loadParts = () => import('../ui/wallet/wallet-dialog.js');

const UNREAD: Balance = { wei: undefined, other: undefined };

/**
 * The button in the header that connects a wallet, or shows the balance of the connected wallet. Its width is fixed, so that
 * nothing moves when the balance changes.
 */
export function WalletButton() {
  const wallet = useApp().wallets.connected.value;
  const [isOpen, setOpen] = useState(false);
  const [balance, setBalance] = useState(UNREAD);
  return (
    <>
      <button
        type="button"
        class="button wallet-button"
        aria-haspopup="dialog"
        {...(wallet && aboutOf(wallet, balance))}
        data-tip-end=""
        onClick={() => setOpen(true)}
      >
        {wallet ? <Held wallet={wallet} balance={balance} /> : words.connect}
      </button>
      {wallet && <Reader wallet={wallet} tell={setBalance} />}
      {isOpen && <Dialog balance={balance} close={() => setOpen(false)} />}
    </>
  );
}

/** Attributes of the button: its name for screen readers, and a tip with the exact balance. */
function aboutOf({ account }: ConnectedWallet, { wei, other }: Balance) {
  const text = other ? words.wrongChain : wei === undefined ? undefined : etherText(wei);
  return {
    'aria-label': words.of(shortHex(account), text),
    'data-tip': wei === undefined ? undefined : weiText(wei),
  };
}

/** The content of the button for a connected wallet: its picture and its balance. */
function Held({ wallet, balance: { wei, other } }: { readonly wallet: ConnectedWallet; readonly balance: Balance }) {
  return (
    <>
      <Identicon address={wallet.account} size={20} />
      {other ? <span>{words.wrongChain}</span> : wei === undefined ? <Bar width={7} /> : <span class="num">{etherText(wei)}</span>}
    </>
  );
}

/** Reads the balance of the wallet. Its script loads after the first view, and only if a wallet is connected. */
function Reader(props: ReaderProps) {
  const { loaded } = useScript(loadParts);
  return loaded ? <loaded.BalanceReader {...props} /> : null;
}

function Dialog(props: { readonly balance: Balance; readonly close: () => void }) {
  const { loaded } = useScript(loadParts);
  return loaded ? <loaded.WalletDialog {...props} /> : null;
}
