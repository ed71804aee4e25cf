import { type ReadonlySignal, signal } from '@preact/signals';
import { addressOf, codeOf, hex, type Provider, UNKNOWN_CHAIN } from './provider.js';

/** A wallet that has announced itself to the page (EIP-6963). */
export type FoundWallet = { readonly id: string; readonly name: string; readonly provider: Provider };

export type ConnectedWallet = {
  readonly name: string;
  /** Whether it is the test wallet of this tab for the embedded chain. False for a wallet of the user. */
  readonly isTest: boolean;
  readonly provider: Provider;
  /** Address in lower case. */
  readonly account: string;
  /** Chain that the wallet uses now. */
  readonly chainId: number;
};

/** What a wallet must know to add a chain. */
export type Chain = { readonly chainId: number; readonly rpcUrl: string | null };

export type Wallets = {
  readonly found: ReadonlySignal<readonly FoundWallet[]>;
  readonly connected: ReadonlySignal<ConnectedWallet | undefined>;
  /** Asks the wallet for an account. Throws the wallet's error. */
  connect(wallet: FoundWallet): Promise<void>;
  /** Creates a wallet in this tab for the embedded chain, funds it and connects it. */
  connectTest(): Promise<void>;
  disconnect(): void;
  /** Asks the wallet to change to a chain, and to add it if the wallet does not know it. */
  switchChain(chain: Chain): Promise<void>;
};

/** Maximum number of wallets that are listed. Any script in the page can announce wallets, and any number of them. */
const MAX_WALLETS = 20;

/** Discovers wallets by EIP-6963, and holds the connection of the tab. Nothing is stored. */
export function startWallets(): Wallets {
  const found = signal<readonly FoundWallet[]>([]);
  const connected = signal<ConnectedWallet | undefined>(undefined);
  let unwatch = () => {};
  let test: Provider | undefined;
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = announced((event as CustomEvent<unknown>).detail);
    if (wallet && found.value.length < MAX_WALLETS && found.value.every(({ id }) => id !== wallet.id)) {
      found.value = [...found.value, wallet];
    }
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));

  const disconnect = () => {
    unwatch();
    unwatch = () => {};
    connected.value = undefined;
  };
  const open = async (name: string, provider: Provider, isTest: boolean) => {
    const [first] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly unknown[];
    const account = addressOf(first);
    if (account === undefined) throw new Error('the wallet has no account');
    const chainId = Number(await provider.request({ method: 'eth_chainId' }));
    disconnect();
    connected.value = { name, isTest, provider, account, chainId };
    unwatch = watch(provider, (change) => {
      const before = connected.value;
      if (change === undefined) disconnect();
      else if (before) connected.value = { ...before, ...change };
    });
  };
  return {
    found,
    connected,
    disconnect,
    connect: ({ name, provider }) => open(name, provider, false),
    async connectTest() {
      const { createTestWallet } = await import('./test/test-wallet.js');
      test ??= await createTestWallet();
      await open('', test, true);
    },
    async switchChain({ chainId, rpcUrl }) {
      const wallet = connected.value;
      if (!wallet) return;
      await changeChain(wallet.provider, chainId, rpcUrl);
      // Some wallets do not report the change by an event, so the chain is read.
      const now = Number(await wallet.provider.request({ method: 'eth_chainId' }));
      if (connected.value?.provider === wallet.provider) connected.value = { ...connected.value, chainId: now };
    },
  };
}

/** The wallet of an announcement. Any script in the page can send one, so nothing about it is certain. */
function announced(detail: unknown): FoundWallet | undefined {
  const { info, provider } = (detail ?? {}) as {
    readonly info?: Record<string, unknown>;
    readonly provider?: Provider;
  };
  const { uuid, name } = info ?? {};
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof provider?.request !== 'function') return undefined;
  return { id: uuid, name: name.slice(0, 40), provider };
}

type Change = Partial<Pick<ConnectedWallet, 'account' | 'chainId'>>;

/** Follows account and chain of a wallet. `undefined` says that the wallet has withdrawn its accounts. */
function watch(provider: Provider, changed: (change: Change | undefined) => void): () => void {
  const accounts = ([first]: readonly unknown[] = []) => {
    const account = addressOf(first);
    changed(account === undefined ? undefined : { account });
  };
  const chain = (id: unknown) => changed({ chainId: Number(id) });
  const listeners = { accountsChanged: accounts, chainChanged: chain };
  for (const [event, listener] of Object.entries(listeners)) provider.on?.(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) provider.removeListener?.(event, listener);
  };
}

async function changeChain(provider: Provider, chainId: number, rpcUrl: string | null): Promise<void> {
  const id = { chainId: hex(chainId) };
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [id] });
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN || rpcUrl === null) throw error;
    const chain = {
      ...id,
      chainName: `Curvet ${chainId}`,
      rpcUrls: [rpcUrl],
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    };
    await provider.request({ method: 'wallet_addEthereumChain', params: [chain] });
    await provider.request({ method: 'wallet_switchEthereumChain', params: [id] });
  }
}
