import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import type { Chain, ConnectedWallet } from '../../wallet/wallets.js';
import { FailureNote } from '../problem-view.js';
import { walletProblem } from './connect-panel.js';

const words = texts.trade.chain;

/** Says that the wallet is on another chain than the market, and has a button that asks the wallet to switch. */
export function ChainNotice({ wallet, contract }: { readonly wallet: ConnectedWallet; readonly contract: Chain }) {
  const { wallets, announce } = useApp();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const change = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await wallets.switchChain(contract);
      announce(words.changed);
    } catch (error) {
      setProblem(walletProblem(error));
    }
    setBusy(false);
  };
  return (
    <div class="chain-notice">
      <p class="note warn">{words.wrong(String(wallet.chainId), String(contract.chainId))}</p>
      <button type="button" class="button main" aria-busy={isBusy} onClick={isBusy ? undefined : change}>
        {words.change}
      </button>
      <FailureNote>{problem}</FailureNote>
    </div>
  );
}
