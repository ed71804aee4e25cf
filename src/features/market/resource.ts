import type { Ranked } from './activity.js';
import type { Trend } from './trending.js';
import { fieldsOf, object, restOnly, sharedResource } from '../../server/resources/field.js';
import { eth, ethFloat, float, int, time, wei } from '../../server/resources/types.js';
import { PRICE_CHANGE, priceOf, trendAgentView } from '../agents/resource.js';

type Row = Ranked & { readonly rank: number };
const { column, computed, identity } = fieldsOf<Row>();

export const trend = sharedResource('Trend', 'Trading in the tickets of an agent over the last 24 hours.', {
  id: identity('Trend', 'wallet'),
  rank: column('rank', int, 'Rank by trendScore, from 1.'),
  agent: restOnly(
    fieldsOf<Trend>().computed(
      ['wallet', 'name', 'agentId', 'avatarUrl', 'supply', 'holderCount', 'isClaimed'],
      object(trendAgentView),
      'Agent whose tickets were traded.',
      (row) => row,
    ),
  ),
  ticketPriceEth: computed(['supply'], eth, 'Curve price of one ticket now, without fees, in ETH.', priceOf),
  priceChange24h: column('priceChange24h', float, PRICE_CHANGE),
  volume: restOnly(column('volume', ethFloat, 'Same as volume24h.')),
  volume24h: column(
    'volume',
    ethFloat,
    'Sum of the curve prices of all trades in the last 24 hours, without fees, in ETH.',
  ),
  volume24hWei: column('volume', wei, 'volume24h in wei, as a decimal string.'),
  txCount: column('txCount', int, 'Number of trades in the last 24 hours.'),
  uniqueTraders: column('uniqueTraders', int, 'Number of wallets that traded in the last 24 hours.'),
  newHolders24h: column(
    'newHolders24h',
    int,
    'Number of wallets that started to hold tickets in the last 24 hours and still hold them.',
  ),
  trendScore: column(
    'trendScore',
    int,
    'Score from 0 to 100, relative to the other trending agents: volume, traders, price, time of the last trade, new holders.',
  ),
  lastTradeAt: column('lastTradeAt', time, 'Time of the last trade.'),
});
