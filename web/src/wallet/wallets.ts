import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { askFaucet, isEmbedded } from './embedded-chain.js';
import { addressOf, codeOf, hex, type Provider, UNKNOWN_CHAIN } from './provider.js';
import { onRemembered, remembered, rememberTest, rememberWallet } from './remembered.js';

/** A wallet that has announced itself to the page (EIP-6963). */
export type FoundWallet = {
  readonly id: string;
  readonly name: string;
  /** Reverse domain name that identifies the wallet in all pages, such as `io.metamask`. Empty if the wallet has none. */
  readonly rdns: string;
  readonly provider: Provider;
};

export type ConnectedWallet = {
  readonly name: string;
  /** Reverse domain name that identifies the wallet in all pages. Empty for the test wallet, and for a wallet that has none. */
  readonly rdns: string;
  /** Private key of the test wallet, which this browser creates for the embedded chain. undefined for any other wallet. */
  readonly testKey: string | undefined;
  readonly provider: Provider;
  /** Address in lower case. */
  readonly account: string;
  /** Chain that the wallet uses now. */
  readonly chainId: number;
  /** Whether the faucet of the service fills the wallet. Only the embedded chain has a faucet. */
  readonly hasFaucet: boolean;
};

/** What a wallet must know to add a chain. A chain without an `rpcUrl` cannot be added. */
export type Chain = { readonly chainId: number; readonly rpcUrl: string | null };

export type Wallets = {
  readonly found: ReadonlySignal<readonly FoundWallet[]>;
  readonly connected: ReadonlySignal<ConnectedWallet | undefined>;
  /** Counts how often the page has moved ether of the wallet, by the faucet or by a trade. Readers of the balance watch it. */
  readonly moves: ReadonlySignal<number>;
  /** Counts a move. To be called when a trade is in a block. */
  moved(): void;
  /** Connects a wallet: asks it for an account. Throws the wallet's error. */
  connect(wallet: FoundWallet): Promise<void>;
  /**
   * Connects the test wallet with the key that this browser stores, or with a key that the user has saved. If there is neither,
   * creates a new wallet and fills it from the faucet.
   */
  connectTest(savedKey?: string): Promise<void>;
  /** Whether this browser stores the key of a test wallet. */
  hasTestKey(): boolean;
  /** Disconnects the wallet, in all tabs. After that, it does not connect by itself. The key of a test wallet stays stored. */
  disconnect(): void;
  /** Disconnects the test wallet and deletes its key, in all tabs. */
  deleteTestKey(): void;
  /** Sends 1 ETH of the embedded chain to the connected wallet. Throws the error of the service. */
  fund(): Promise<void>;
  /** Asks the wallet to switch to a chain, and to add the chain if the wallet does not know it. */
  switchChain(chain: Chain): Promise<void>;
};

/** Maximum number of wallets in the list. It has a limit, because any script in the page can announce any number of wallets. */
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
      // Another tab may have stored a key meanwhile, and bought with it. That key must not be overwritten, so it is used instead.
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

/** Connects the remembered wallet by itself. When another tab connects or disconnects a wallet, this tab does the same. */
function startConnection(found: Signal<readonly FoundWallet[]>, connected: Connected) {
  let unwatch = () => {};
  /**
   * Whether a wallet was connected, or the user has disconnected. Then no wallet connects by itself, unless another tab changes the
   * remembered wallet.
   */
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
  /** Number of the latest call of `reopen`. The result of an earlier call is ignored. */
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
  // Follow the other tabs: otherwise this tab could trade with a key that another tab has deleted, and nobody could sell what it
  // bought.
  onRemembered(() => {
    const { rdns, testKey, isTest } = remembered();
    const wallet = connected.value;
    if (isTest ? wallet?.testKey === testKey : rdns !== '' && wallet?.rdns === rdns) return;
    close();
    isSettled = false;
    // This tab may be opening the wallet that the other tab has just forgotten. A new turn makes `reopen` ignore it.
    turn++;
    reopenRemembered();
  });
  return { open, close };
}

/** Opens the test wallet with the given key. Without a key, creates a new wallet with test ether. */
async function testWallet(connected: Connected, storedKey: string): Promise<Known> {
  const { openTestWallet } = await import('./test/test-wallet.js');
  const isOpen = () => connected.value?.provider === wallet.provider;
  const wallet = await openTestWallet(storedKey, isOpen);
  return { name: '', rdns: '', testKey: wallet.key, provider: wallet.provider };
}

/** Adds wallets that announce themselves to `found`, and asks all wallets to announce themselves. */
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

/** The part of a wallet that the page knows before it has asked the wallet for its account. */
type Known = Pick<ConnectedWallet, 'name' | 'rdns' | 'testKey' | 'provider'>;

/**
 * Reads account and chain of a wallet. Throws the wallet's error. `eth_requestAccounts` may open a dialog of the wallet,
 * `eth_accounts` never does.
 */
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

/**
 * Reads a wallet from an announcement. undefined if the announcement is malformed. Any script in the page can send announcements,
 * so every part is checked.
 */
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

/**
 * Calls `changed` when account or chain of a wallet change, and with undefined when the wallet withdraws its accounts. Returns a
 * function that ends this.
 */
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
  // Some wallets send no event after the change, so the page reads the chain itself.
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
