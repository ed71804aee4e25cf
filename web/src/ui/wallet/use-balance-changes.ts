import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import type { Provider } from '../../wallet/provider.js';

/**
 * Pause between two requests for the number of the latest block, in milliseconds. Wallets have no event for a block. `/dev/rpc`,
 * which the test wallet uses, accepts 300 calls per minute and address. The page of an agent makes at most 72: every 5 seconds, the
 * header and the trade panel each ask for the block, and after a new block they read 1 and 3 values.
 */
const BLOCK_MS = 5000;

/**
 * A text that changes when the balance of the wallet may have: with a new block, when the user returns to the page, and when the
 * page itself has moved ether. Without a provider it sends no request.
 */
export function useBalanceChanges(provider: Provider | undefined): string {
  const { moves } = useApp().wallets;
  return `${useBlock(provider)} ${useReturns()} ${moves.value}`;
}

/** Number of the latest block, as the wallet's node writes it. A hidden page does not ask for it. */
function useBlock(provider: Provider | undefined): string {
  const { now } = useApp();
  // The clock stops while the page is hidden, so no request is sent then.
  const turn = useComputed(() => Math.floor(now.value / BLOCK_MS)).value;
  const [block, setBlock] = useState('');
  useEffect(() => {
    provider?.request({ method: 'eth_blockNumber' }).then(
      (latest) => setBlock(String(latest)),
      // The next turn sends the request again.
      () => {},
    );
  }, [provider, turn]);
  return block;
}

/** Number of times that the user has returned to the page from another tab or window, such as the one of the wallet. */
function useReturns(): number {
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    const end = new AbortController();
    const returned = () => document.hidden || setReturns((before) => before + 1);
    window.addEventListener('focus', returned, { signal: end.signal });
    document.addEventListener('visibilitychange', returned, { signal: end.signal });
    return () => end.abort();
  }, []);
  return returns;
}
