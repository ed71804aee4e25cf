import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { graphql } from '../../graphql/document.js';
import { useQuery } from '../../graphql/use-query.js';
import type { OwnTrade } from './candle-series.js';

const ownTradesQuery = graphql(`
  query OwnTrades($agent: AgentRef!, $wallet: Address!) {
    trades(agent: $agent, trader: $wallet, first: 100) {
      nodes { type amount createdAt }
    }
  }
`);

const NONE: readonly OwnTrade[] = [];

/**
 * The newest 100 trades of the connected wallet in the tickets of an agent. They are read again when the price changes, because
 * the wallet may have traded.
 */
export function useOwnTrades(agent: string, price: string | undefined): readonly OwnTrade[] {
  const wallet = useApp().wallets.connected.value?.account;
  const { data, reload } = useQuery(ownTradesQuery, { agent, wallet: wallet ?? '' }, { skip: wallet === undefined });
  const seen = useRef(price);
  useEffect(() => {
    const isFirst = seen.current === undefined;
    seen.current = price;
    if (wallet !== undefined && !isFirst) reload();
  }, [price]);
  return data?.trades.nodes ?? NONE;
}
