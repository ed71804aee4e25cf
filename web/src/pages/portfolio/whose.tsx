import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { shortHex } from '../../format/number.js';
import { AgentLink, walletHref } from '../../ui/agent/agent-link.js';
import { Identicon } from '../../ui/agent/identicon.js';
import { Copy } from '../../ui/control/copy.js';
import { FailureNote } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import type { Portfolio } from './positions.js';
import { portfolioTexts } from './texts.js';

const words = portfolioTexts.whose;

/** Says why a text is not a wallet address. undefined if it is one. */
export function addressFault(text: string): string | undefined {
  if (text === '') return words.faults.empty;
  if (!/^0x/i.test(text)) return words.faults.start;
  if (!/^0x[0-9a-f]*$/i.test(text)) return words.faults.digits;
  return text.length === 42 ? undefined : words.faults.length(text.length - 2);
}

type Props = {
  /** The text in the address of the page that should be a wallet address. undefined on pages whose address has none. */
  readonly asked?: string;
  /** The content that says whose tickets the page shows. */
  readonly children: ComponentChildren;
};

/** Says whose tickets the page shows, and takes the address of any other wallet. */
export function Whose({ asked, children }: Props) {
  return (
    <section class="card whose" aria-label={words.title}>
      <div>{children}</div>
      <WalletForm key={asked} asked={asked} />
    </section>
  );
}

type OwnerProps = {
  readonly wallet: string;
  /** The data of the wallet. undefined until it is loaded. */
  readonly portfolio: Portfolio | undefined;
};

/** Shows the address of a wallet, whether it is the connected one, and the agent that it belongs to. */
export function Owner({ wallet, portfolio }: OwnerProps) {
  const agent = portfolio?.owner;
  const own = useApp().wallets.connected.value?.account;
  return (
    <p class="owner">
      <span>{wallet === own ? words.own : words.other}</span>
      <Identicon address={wallet} size={24} />
      <Copy text={wallet} label={words.copy}>
        <span class="mono">{shortHex(wallet)}</span>
      </Copy>
      <span class="of-agent muted">
        {agent ? (
          <>
            {words.of} <AgentLink agent={agent} address={wallet} size={0} />
          </>
        ) : portfolio ? (
          words.noAgent
        ) : (
          <Bar width={20} />
        )}
      </span>
    </p>
  );
}

function WalletForm({ asked = '' }: { readonly asked?: string | undefined }) {
  const { router } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [fault, setFault] = useState(asked === '' ? undefined : addressFault(asked));
  const show = (event: Event) => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    const found = addressFault(text);
    setFault(found);
    if (found) input.current?.focus();
    else router.open(walletHref(text.toLowerCase()));
  };
  return (
    <form onSubmit={show} noValidate>
      <label class="field">
        <span>{words.label}</span>
        <input
          ref={input}
          class="mono"
          defaultValue={asked}
          placeholder={words.placeholder}
          autoComplete="off"
          spellcheck={false}
          maxLength={100}
          aria-invalid={fault !== undefined}
          aria-describedby={fault ? id : undefined}
          onInput={() => setFault(undefined)}
        />
      </label>
      <button type="submit" class="button">
        {words.show}
      </button>
      {fault && (
        <div id={id}>
          <FailureNote>{fault}</FailureNote>
        </div>
      )}
    </form>
  );
}
