import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { askFaucet, isEmbedded } from './embedded-chain.js';
import { addressOf, codeOf, hex, type Provider, UNKNOWN_CHAIN } from './provider.js';
import { onRemembered, remembered, rememberTest, rememberWallet } from './remembered.js';

/** A wallet that has announced itself to the page (EIP-6963). */
export type FoundWallet = {
  readonly id: string;
  readonly name: string;
  /** Name that stays the same in all pages. Empty if the wallet has none. */
  readonly rdns: string;
  readonly provider: Provider;
};

export type ConnectedWallet = {
  readonly name: string;
  /** Name that stays the same in all pages. Empty for the test wallet, and for a wallet that has none. */
  readonly rdns: string;
  /** Private key of the test wallet of this browser for the embedded chain. undefined for a wallet of the user. */
  readonly testKey: string | undefined;
  readonly provider: Provider;
  /** Address in lower case. */
  readonly account: string;
  /** Chain that the wallet uses now. */
  readonly chainId: number;
  /** Whether the faucet of the service fills the wallet. Only the embedded chain has a faucet. */
  readonly hasFaucet: boolean;
};

/** What a wallet must know to add a chain. */
export type Chain = { readonly chainId: number; readonly rpcUrl: string | null };

export type Wallets = {
  readonly found: ReadonlySignal<readonly FoundWallet[]>;
  readonly connected: ReadonlySignal<ConnectedWallet | undefined>;
  /** Number of times that the page has moved ether of the wallet: by the faucet, or by a trade. */
  readonly moves: ReadonlySignal<number>;
  /** To be called when a trade is in a block: it counts as a move. */
  moved(): void;
  /** Asks the wallet for an account. Throws the wallet's error. */
  connect(wallet: FoundWallet): Promise<void>;
  /**
   * Connects the test wallet with the key of this browser, or with one that the user has saved. Creates and funds a new one if
   * there is none.
   */
  connectTest(savedKey?: string): Promise<void>;
  /** Whether this browser has the key of a test wallet. */
  hasTestKey(): boolean;
  /** Disconnects the wallet, in all tabs. It no longer connects by itself. The key of a test wallet stays in this browser. */
  disconnect(): void;
  /** Disconnects the test wallet and deletes its key, in all tabs. */
  deleteTestKey(): void;
  /** Sends 1 ETH of the embedded chain to the connected wallet. Throws the error of the service. */
  fund(): Promise<void>;
  /** Asks the wallet to change to a chain, and to add it if the wallet does not know it. */
  switchChain(chain: Chain): Promise<void>;
};

/** Maximum number of wallets that are listed. Any script in the page can announce wallets, and any number of them. */
const MAX_WALLETS = 20;

/** Discovers wallets by EIP-6963, and holds the connection of the tab. The wallet of the last visit connects by itself. */
export function startWallets(): Wallets {
  const found = signal<readonly FoundWallet[]>([]);
  const connected = signal<ConnectedWallet | undefined>(undefined);
  const moves = signal(0);
  const moved = () => moves.value++;
  const { open, close } = startConnection(found, connected);
  return {
    found,
    connected,
    moves,
    moved,
    async connect({ name, rdns, provider }) {
      open({ name, rdns, testKey: undefined, provider, ...(await stateOf(provider, 'eth_requestAccounts')) });
      rememberWallet(rdns);
    },
    hasTestKey: () => remembered().testKey !== '',
    async connectTest(savedKey) {
      const known = await testWallet(connected, savedKey ?? remembered().testKey);
      const state = await stateOf(known.provider, 'eth_requestAccounts');
      // Another tab may have stored a key meanwhile, and bought with it.
      const { testKey } = remembered();
      if (testKey !== '' && testKey !== known.testKey) return this.connectTest();
      open({ ...known, ...state });
      rememberTest(known.testKey ?? '');
    },
    disconnect() {
      rememberWallet('');
      close();
    },
    deleteTestKey() {
      rememberTest('');
      close();
    },
    async fund() {
      const wallet = connected.value;
      if (!wallet) return;
      await askFaucet(wallet.account);
      moved();
    },
    switchChain: (chain) => switchChain(connected, chain),
  };
}

type Connected = Signal<ConnectedWallet | undefined>;

/** Connects the remembered wallet by itself, and does what other tabs of the browser do. */
function startConnection(found: Signal<readonly FoundWallet[]>, connected: Connected) {
  let unwatch = () => {};
  /** Whether a wallet was connected, or the user has disconnected. After that, no wallet connects by itself. */
  let isSettled = false;
  const close = () => {
    isSettled = true;
    unwatch();
    unwatch = () => {};
    connected.value = undefined;
  };
  const open = (wallet: ConnectedWallet) => {
    close();
    connected.value = wallet;
    unwatch = watch(wallet.provider, (change) => {
      const before = connected.value;
      if (change === undefined) close();
      else if (before) connected.value = { ...before, ...change };
    });
  };
  let turn = 0;
  const reopen = async (wallet: Known | Promise<Known>) => {
    const mine = ++turn;
    try {
      const known = await wallet;
      const state = await stateOf(known.provider, 'eth_accounts');
      if (!isSettled && mine === turn) open({ ...known, ...state });
    } catch {
      // The wallet stays remembered for the next visit, because it may only be locked.
    }
  };
  const reopenRemembered = () => {
    const { rdns, testKey, isTest } = remembered();
    const wallet = found.value.find((one) => rdns !== '' && one.rdns === rdns);
    if (isTest) void reopen(testWallet(connected, testKey));
    else if (wallet) void reopen({ ...wallet, testKey: undefined });
  };
  discover(found, ({ rdns }) => {
    if (!isSettled && rdns !== '' && rdns === remembered().rdns) reopenRemembered();
  });
  if (remembered().isTest) reopenRemembered();
  // Otherwise a tab would trade with a key that another tab has deleted, and nobody could sell what it bought.
  onRemembered(() => {
    const { rdns, testKey, isTest } = remembered();
    const wallet = connected.value;
    if (isTest ? wallet?.testKey === testKey : rdns !== '' && wallet?.rdns === rdns) return;
    close();
    isSettled = false;
    // A wallet that this tab is just opening may be the one that the other tab has forgotten.
    turn++;
    reopenRemembered();
  });
  return { open, close };
}

/** The test wallet with the given key. Without a key, a new one with test ether. */
async function testWallet(connected: Connected, storedKey: string): Promise<Known> {
  const { openTestWallet } = await import('./test/test-wallet.js');
  const isOpen = () => connected.value?.provider === wallet.provider;
  const wallet = await openTestWallet(storedKey, isOpen);
  return { name: '', rdns: '', testKey: wallet.key, provider: wallet.provider };
}

/** Lists the wallets that announce themselves. */
function discover(found: Signal<readonly FoundWallet[]>, added: (wallet: FoundWallet) => void): void {
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = announced((event as CustomEvent<unknown>).detail);
    if (wallet && found.value.length < MAX_WALLETS && found.value.every(({ id }) => id !== wallet.id)) {
      found.value = [...found.value, wallet];
      added(wallet);
    }
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}

/** The part of a wallet that the page has before the wallet has answered. */
type Known = Pick<ConnectedWallet, 'name' | 'rdns' | 'testKey' | 'provider'>;

/** Reads account and chain. Throws the error of the wallet. `eth_requestAccounts` may open a dialog, `eth_accounts` never. */
async function stateOf(
  provider: Provider,
  method: 'eth_accounts' | 'eth_requestAccounts',
): Promise<Omit<ConnectedWallet, keyof Known>> {
  const [first] = (await provider.request({ method })) as readonly unknown[];
  const account = addressOf(first);
  if (account === undefined) throw new Error('the wallet has no account');
  const [chainId, hasFaucet] = await Promise.all([provider.request({ method: 'eth_chainId' }), isEmbedded()]);
  return { account, chainId: Number(chainId), hasFaucet };
}

/** The wallet of an announcement. Any script in the page can send one, so nothing about it is certain. */
function announced(detail: unknown): FoundWallet | undefined {
  const { info, provider } = (detail ?? {}) as {
    readonly info?: Record<string, unknown>;
    readonly provider?: Provider;
  };
  const { uuid, name, rdns } = info ?? {};
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof provider?.request !== 'function') return undefined;
  return { id: uuid, name: name.slice(0, 40), rdns: typeof rdns === 'string' ? rdns : '', provider };
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

async function switchChain(connected: Connected, { chainId, rpcUrl }: Chain): Promise<void> {
  const wallet = connected.value;
  if (!wallet) return;
  await changeChain(wallet.provider, chainId, rpcUrl);
  // Some wallets do not report the change by an event, so the chain is read.
  const now = Number(await wallet.provider.request({ method: 'eth_chainId' }));
  if (connected.value?.provider === wallet.provider) connected.value = { ...connected.value, chainId: now };
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
