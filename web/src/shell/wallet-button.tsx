import { useState } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { texts } from '../texts.js';
import { Bar } from '../ui/skeleton.js';
import { useScript } from '../ui/use-script.js';
import type { ConnectedWallet } from '../wallet/wallets.js';

const words = texts.wallet.head;
const loadParts = () => import('../ui/wallet/wallet-dialog.js');

/** What the button says about the connected wallet. */
type About = {
  readonly label?: string;
  /** The exact balance. */
  readonly tip?: string | undefined;
};

/** Connects a wallet, or shows the balance of the connected one. It has a fixed width, so that nothing moves. */
export function WalletButton() {
  const wallet = useApp().wallets.connected.value;
  const [isOpen, setOpen] = useState(false);
  const [about, setAbout] = useState<About>({});
  return (
    <>
      <button
        type="button"
        class="button wallet-button"
        aria-haspopup="dialog"
        aria-label={wallet && (about.label ?? texts.wallet.title)}
        data-tip={wallet && about.tip}
        data-tip-end=""
        onClick={() => setOpen(true)}
      >
        {wallet ? <Balance wallet={wallet} tell={setAbout} /> : words.connect}
      </button>
      {isOpen && <Dialog close={() => setOpen(false)} />}
    </>
  );
}

/** The script of the wallet loads after the first view, and only for readers who have one. */
function Balance(props: { readonly wallet: ConnectedWallet; readonly tell: (about: About) => void }) {
  const { loaded } = useScript(loadParts);
  return loaded ? <loaded.HeadBalance {...props} /> : <Bar width={8} />;
}

function Dialog({ close }: { readonly close: () => void }) {
  const { loaded } = useScript(loadParts);
  return loaded ? <loaded.WalletDialog close={close} /> : null;
}
