import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../../app-context.js';
import { readBalance } from '../../../contract/calls.js';
import { useBalanceChanges } from '../../../ui/wallet/use-balance-changes.js';
import type { Contract } from '../queries.js';
import type { Holdings } from './order.js';

/** Gas of a trade in the estimate of its network fee. A trade uses at most 68,000 gas; the rest allows for a rising gas price. */
const TRADE_GAS = 200_000n;

/**
 * Ether and tickets of the connected wallet, read through the wallet's node. undefined without a wallet, while the wallet is on
 * another chain, and until they are read.
 */
export function useHoldings(agent: string | undefined, contract: Contract | undefined): Holdings | undefined {
  const { wallets } = useApp();
  const wallet = wallets.connected.value;
  const [read, setRead] = useState<(Holdings & { readonly of: string }) | undefined>(undefined);
  const isReady = wallet !== undefined && contract !== undefined && wallet.chainId === contract.chainId;
  const of = `${wallet?.account} ${wallet?.chainId} ${agent}`;
  const changes = useBalanceChanges(isReady ? wallet.provider : undefined);
  useEffect(() => {
    if (!isReady || agent === undefined) return;
    let isOpen = true;
    const { provider, account } = wallet;
    Promise.all([
      provider.request({ method: 'eth_getBalance', params: [account, 'latest'] }),
      readBalance(provider, contract.address, agent, account),
      provider.request({ method: 'eth_gasPrice' }),
    ]).then(
      ([balance, tickets, gasPrice]) =>
        isOpen &&
        setRead({
          of,
          balance: BigInt(balance as string),
          tickets,
          networkFee: BigInt(gasPrice as string) * TRADE_GAS,
        }),
      () => isOpen && setRead(undefined),
    );
    return () => {
      isOpen = false;
    };
  }, [isReady, of, changes]);
  return isReady && read?.of === of ? read : undefined;
}
