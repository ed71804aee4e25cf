import type { BrowserContext, Page } from 'playwright-core';
import type { Trader } from '../market/traders.js';

/** Name of the wallet. It does harm if a page interprets it as HTML. */
export const WALLET_NAME = '<img src=x onerror=hacked=1> Wallet';

type Call = { readonly method: string; readonly params: readonly unknown[] };
type Reply = { readonly result: unknown } | { readonly error: object };

/** A browser wallet that announces itself by EIP-6963. It signs with a key of the test, and its transactions go to a real chain. */
export type FakeWallet = {
  /** The calls that the page has made to the wallet, in order. */
  readonly calls: Call[];
  /** Chain that the wallet claims to use. */
  chainId: number;
  /** Chains that the wallet knows and switches to. */
  readonly knows: Set<number>;
  /** Answers a call in place of the wallet. The wallet answers those for which this returns undefined. */
  intercept: (call: Call) => Promise<Reply | undefined>;
  /** Function that installs the wallet in a browser. Tests pass it to `visit`. */
  readonly prepare: (context: BrowserContext) => Promise<void>;
};

/** Installs the wallet in a page. It announces itself at the start, and again whenever the page asks, as real wallets do. */
const SCRIPT = `
  const listeners = {};
  const provider = {
    async request({ method, params = [] }) {
      const { result, error } = await window.fakeWallet(method, params);
      if (error) throw Object.assign(new Error(error.message), error);
      if (method === 'wallet_switchEthereumChain') for (const tell of listeners.chainChanged ?? []) tell(params[0].chainId);
      return result;
    },
    on(event, listener) { (listeners[event] ??= []).push(listener); },
    removeListener(event, listener) { listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener); },
  };
  const info = { uuid: 'f4ke', name: ${JSON.stringify(WALLET_NAME)}, icon: 'https://evil.test/icon.png', rdns: 'test.fake' };
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
`;

/** Creates a wallet that signs as the trader, on the chain of a market. */
export function fakeWallet(
  { signer, wallet }: Trader,
  { rpcUrl, chainId }: { readonly rpcUrl: string; readonly chainId: number },
): FakeWallet {
  const fake: FakeWallet = {
    calls: [],
    chainId,
    knows: new Set([chainId]),
    intercept: async () => undefined,
    async prepare(context) {
      await context.exposeFunction('fakeWallet', async (method: string, params: readonly unknown[]) => {
        fake.calls.push({ method, params });
        return (await fake.intercept({ method, params })) ?? answer({ method, params });
      });
      await context.addInitScript({ content: SCRIPT });
    },
  };
  let isAllowed = false;
  async function answer({ method, params }: Call): Promise<Reply> {
    const [first] = params as [Record<string, string>];
    if (method === 'eth_requestAccounts') isAllowed = true;
    if (/^eth_(requestA|a)ccounts$/.test(method)) return { result: isAllowed ? [signer.address] : [] };
    if (method === 'eth_chainId') return { result: `0x${fake.chainId.toString(16)}` };
    if (method === 'wallet_addEthereumChain') {
      fake.knows.add(Number(first.chainId));
      return { result: null };
    }
    if (method === 'wallet_switchEthereumChain') {
      // EIP-3326: 4902 asks the page to add the chain first.
      if (!fake.knows.has(Number(first.chainId))) return { error: { code: 4902, message: 'Unrecognized chain' } };
      fake.chainId = Number(first.chainId);
      return { result: null };
    }
    if (method === 'eth_sendTransaction') {
      // EIP-1193: 4100 says that the account is not authorized.
      if (first.from?.toLowerCase() !== wallet) return { error: { code: 4100, message: 'Not this account' } };
      const { to = '', data = '', value = '0x0', gas } = first;
      const sent = await signer.sendTransaction({ to, data, value, gasLimit: gas ?? 200_000 });
      return { result: sent.hash };
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return (await response.json()) as Reply;
  }
  return fake;
}

/** Connects the wallet of that name, and waits until the page shows that it is connected. */
export async function connectWallet(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Connect a wallet' }).click();
  await page.getByRole('button', { name }).click();
  await page.getByRole('button', { name: 'Disconnect' }).waitFor();
}

/**
 * Connects a wallet that is only an address and cannot sign: to every call except `eth_requestAccounts` it answers 0x1, its chain
 * ID. `window.tell_accountsChanged` and the like send its events to the page.
 */
export async function connectAddress(page: Page, wallet: string): Promise<void> {
  const request = `async ({ method }) => method === 'eth_requestAccounts' ? ['${wallet}'] : '0x1'`;
  const on = `(event, listener) => { window['tell_' + event] = listener; }`;
  const detail = `{ info: { uuid: 'plain', name: 'Plain Wallet' }, provider: { request: ${request}, on: ${on} } }`;
  await page.getByRole('button', { name: 'Connect a wallet' }).click();
  await page.evaluate(`window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: ${detail} }))`);
  await page.getByRole('button', { name: 'Plain Wallet' }).click();
}

/** Enters the API key of an agent on the settings page. */
export async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Use the key' }).click();
}
