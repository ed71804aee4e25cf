import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { isEmbedded } from '../../wallet/embedded-chain.js';
import { codeOf, messageOf, PENDING, REFUSED } from '../../wallet/provider.js';
import { keyIn } from '../../wallet/remembered.js';
import type { ConnectedWallet } from '../../wallet/wallets.js';
import { Identicon } from '../agent/identicon.js';
import { Copy } from '../control/copy.js';
import { FailureNote } from '../problem-view.js';
import { Bar } from '../skeleton.js';
import { EndTest } from './end-test.js';
import './wallet.css';

const words = texts.wallet;

/** Describes the error of a wallet in a sentence for the user. */
export function walletProblem(error: unknown): string {
  const code = codeOf(error);
  if (code === REFUSED) return words.refused;
  if (code === PENDING) return words.pending;
  return words.failed(messageOf(error));
}

type Props = {
  /** Whether the panel shows the list of wallets from the start, without a click. @default false */
  readonly isChoosing?: boolean;
};

/** Shows the connected wallet, or the wallets to choose from. */
export function ConnectPanel({ isChoosing = false }: Props) {
  const wallet = useApp().wallets.connected.value;
  const isAsked = useRef(false);
  return (
    <div
      onClickCapture={() => {
        isAsked.current = true;
      }}
    >
      {wallet ? <Connected wallet={wallet} isAsked={isAsked} /> : <Chooser isAsked={isAsked} isChoosing={isChoosing} />}
    </div>
  );
}

/** `isAsked` is true after a click in the panel. What the panel shows then was opened by the user, not by the page itself. */
type Asked = { readonly isAsked: { readonly current: boolean } };

/** One view of the panel. The button that opened the view has disappeared together with the focus, so the view takes the focus. */
function View({ isAsked, children }: Asked & { readonly children: ComponentChildren }) {
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isAsked.current && isLost) view.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={view} class="wallet" tabIndex={-1}>
      {children}
    </div>
  );
}

function Connected({ wallet, isAsked }: Asked & { readonly wallet: ConnectedWallet }) {
  const { wallets } = useApp();
  const { name, account, testKey, hasFaucet } = wallet;
  const [isEnding, setEnding] = useState(false);
  const isTest = testKey !== undefined;
  return (
    <View isAsked={isAsked}>
      <div class="wallet-account">
        <Identicon address={account} size={36} />
        <div>
          <p class="wallet-name">{isTest ? <span class="chip warn">{words.test.name}</span> : <bdi>{name}</bdi>}</p>
          <Copy text={account} label={words.copy}>
            <span class="mono">{shortHex(account)}</span>
          </Copy>
        </div>
        <button type="button" class="button quiet" onClick={isTest ? () => setEnding(true) : wallets.disconnect}>
          {words.disconnect}
        </button>
      </div>
      {isTest && <p class="small muted">{wallets.hasTestKey() ? words.test.signs : words.test.unstored}</p>}
      {isEnding && <EndTest wallet={wallet} cancel={() => setEnding(false)} />}
      {hasFaucet && <Faucet key={account} />}
    </View>
  );
}

/** The button that fills the connected wallet with ether of the embedded chain. */
function Faucet() {
  const { wallets, announce } = useApp();
  const [state, setState] = useState<'busy' | 'done' | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const ask = async () => {
    setState('busy');
    setProblem(undefined);
    try {
      await wallets.fund();
      setState('done');
      announce(words.faucet.done);
    } catch (error) {
      setState(undefined);
      setProblem(words.faucet.failed(messageOf(error)));
    }
  };
  return (
    <>
      <button type="button" class="button" aria-busy={state === 'busy'} onClick={state === 'busy' ? undefined : ask}>
        {words.faucet.ask}
      </button>
      {state === 'done' && <p class="small muted">{words.faucet.done}</p>}
      <FailureNote>{problem}</FailureNote>
    </>
  );
}

/**
 * Shows the wallets of the browser only after a click. Otherwise a wallet that announces itself late would move the content of
 * the page.
 */
function Chooser({ isAsked, isChoosing }: Asked & Required<Props>) {
  // undefined: the list of wallets is closed. `unknown`: it is open, and the service has not said whether its chain is embedded.
  const [hasTest, setHasTest] = useState<boolean | 'unknown' | undefined>(undefined);
  const open = async () => {
    setHasTest('unknown');
    setHasTest(await isEmbedded());
  };
  useEffect(() => {
    if (isChoosing) void open();
  }, []);
  if (hasTest !== undefined) return <Choice isAsked={isAsked} hasTest={hasTest} />;
  return (
    <View isAsked={isAsked}>
      <p class="muted">{words.lead}</p>
      <button type="button" class="button main" onClick={open}>
        {words.connect}
      </button>
    </View>
  );
}

function Choice({ isAsked, hasTest }: Asked & { readonly hasTest: boolean | 'unknown' }) {
  const { wallets, announce } = useApp();
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const choose = async (id: string, connect: () => Promise<void>) => {
    if (busy !== undefined) return;
    setBusy(id);
    setProblem(undefined);
    try {
      await connect();
      announce(words.connected);
    } catch (error) {
      setProblem(walletProblem(error));
      setBusy(undefined);
    }
  };
  const found = wallets.found.value;
  return (
    <View isAsked={isAsked}>
      <p class="muted">{found.length === 0 ? words.none : words.choose}</p>
      <ul class="wallet-list">
        {found.map((wallet) => (
          <li key={wallet.id}>
            <WalletButton isBusy={busy === wallet.id} choose={() => choose(wallet.id, () => wallets.connect(wallet))}>
              <bdi>{wallet.name}</bdi>
            </WalletButton>
          </li>
        ))}
        {hasTest === 'unknown' && (
          <li aria-busy="true">
            <Bar width={18} />
          </li>
        )}
        {hasTest === true && (
          <li>
            <WalletButton isBusy={busy === 'test'} choose={() => choose('test', () => wallets.connectTest())}>
              {words.test.use} <span class="chip warn">{words.test.mark}</span>
            </WalletButton>
          </li>
        )}
      </ul>
      {hasTest === true && <p class="small muted">{words.test.about}</p>}
      {hasTest === true && !wallets.hasTestKey() && <SavedKey use={(key) => choose('saved', () => wallets.connectTest(key))} />}
      <FailureNote>{problem}</FailureNote>
    </View>
  );
}

/** The form that takes the key of a test wallet, which the user saved earlier. */
function SavedKey({ use }: { readonly use: (key: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  const send = (event: Event) => {
    event.preventDefault();
    const key = keyIn(input.current?.value ?? '');
    setWrong(key === undefined);
    if (key !== undefined) use(key);
  };
  return (
    <details>
      <summary>{words.test.saved}</summary>
      <form class="saved-key" onSubmit={send}>
        <label class="field">
          <span>{words.test.key}</span>
          <input ref={input} type="password" autoComplete="off" spellcheck={false} />
        </label>
        <button type="submit" class="button">
          {words.test.useKey}
        </button>
        <FailureNote>{isWrong && words.test.wrongKey}</FailureNote>
      </form>
    </details>
  );
}

type ButtonProps = { readonly isBusy: boolean; readonly choose: () => void; readonly children: ComponentChildren };

function WalletButton({ isBusy, choose, children }: ButtonProps) {
  return (
    <button type="button" class="button" aria-busy={isBusy} onClick={choose}>
      {children}
    </button>
  );
}
