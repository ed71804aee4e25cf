import { useComputed } from '@preact/signals';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { counted } from '../../format/number.js';
import { type Sentence, sentence } from '../../format/sentence.js';
import type { Connection } from '../../graphql/connection.js';
import { texts } from '../../texts.js';
import type { ConnectedWallet } from '../../wallet/wallets.js';
import { Words } from '../figure/words.js';
import { ledgerOf, readTrades } from './trades.js';

const words = texts.wallet.test;

type Props = {
  readonly wallet: ConnectedWallet;
  /** Closes the dialog. The wallet stays connected. */
  readonly cancel: () => void;
};

/** Pause between two reads of what the wallet holds, in milliseconds. Another tab may trade with the wallet meanwhile. */
const READ_MS = 2000;

/**
 * The dialog that asks before the test wallet is disconnected. It shows what the wallet holds, which is lost if its key is lost.
 */
export function EndTest({ wallet, cancel }: Props) {
  const { wallets, connection, now } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [held, setHeld] = useState<Sentence>(words.counting);
  const turn = useComputed(() => Math.floor(now.value / READ_MS)).value;
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    heldBy(wallet, connection).then(setHeld, () => setHeld(words.unknown));
  }, [turn]);
  return (
    <dialog ref={dialog} class="end-test" aria-labelledby={id} onClose={cancel}>
      <h3 id={id}>{words.ask}</h3>
      <p role="status">
        <Words of={held} />
      </p>
      <p class="muted">{words.lost}</p>
      <div class="ways">
        <button type="button" class="button main" onClick={wallets.disconnect}>
          {words.leave}
        </button>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {words.cancel}
        </button>
        <a
          class="button"
          href={`data:text/plain,0x${wallet.testKey}%0A`}
          download={`curvet-test-wallet-${wallet.account.slice(0, 8)}.txt`}
        >
          {words.save}
        </a>
        <button type="button" class="button danger" onClick={wallets.deleteTestKey}>
          {words.remove}
        </button>
      </div>
    </dialog>
  );
}

/** What the wallet holds: its ether on the chain, and its tickets as the service has indexed them. */
async function heldBy({ provider, account }: ConnectedWallet, connection: Connection): Promise<Sentence> {
  const [balance, { trades }] = await Promise.all([
    provider.request({ method: 'eth_getBalance', params: [account, 'latest'] }),
    readTrades({ query: connection.query, wallet: account }),
  ]);
  const tickets = ledgerOf(trades, undefined).holdings.reduce((sum, holding) => sum + holding.tickets, 0);
  return sentence`${words.holds} ${BigInt(balance as string)} ${words.and} ${counted(tickets, texts.agent.curve.ticket)}.`;
}
