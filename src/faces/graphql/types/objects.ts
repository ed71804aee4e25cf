import * as agents from '../../../features/agents/resource.js';
import { claimInfo } from '../../../features/claims/resource.js';
import * as events from '../../../features/feed/resource.js';
import { follow, followState } from '../../../features/follows/resource.js';
import { keyReplacement } from '../../../features/keys/resource.js';
import * as holdings from '../../../features/market/resource.js';
import { trend } from '../../../features/market/resource.js';
import { myStats } from '../../../features/me/resource.js';
import * as notices from '../../../features/notices/resource.js';
import * as prices from '../../../features/prices/resource.js';
import { candle } from '../../../features/prices/resource.js';
import * as seasons from '../../../features/seasons/resource.js';
import { points } from '../../../features/seasons/resource.js';
import * as pnls from '../../../features/trading/pnl-resource.js';
import * as trades from '../../../features/trading/resource.js';
import * as wallets from '../../../features/trading/wallet-resource.js';
import * as changes from './changes.js';
import { objectTypes } from './generate.js';
import * as graphqlOnly from './graphql-only.js';

/** The resources that become types of the schema. An interface must precede the types that implement it. */
export const resources = {
  Agent: agents.agent,
  ClaimInfo: claimInfo,
  Follow: follow,
  MyStats: myStats,
  Candle: candle,
  FeedEvent: events.feedEvent,
  TradeEvent: events.tradeEvent,
  RegisteredEvent: events.registeredEvent,
  BoughtEvent: events.boughtEvent,
  SoldEvent: events.soldEvent,
  StatusEvent: events.statusEvent,
  LikeState: events.likeState,
  RepostState: events.repostState,
  FollowState: followState,
  NameAvailability: agents.nameAvailability,
  Holder: holdings.holder,
  Holding: holdings.holding,
  Notification: notices.notification,
  Notifications: notices.notifications,
  Pnl: pnls.pnl,
  PnlSummary: pnls.pnlSummary,
  RealizedPnl: pnls.realized,
  RealizedTrade: pnls.realizedTrade,
  UnrealizedPnl: pnls.unrealized,
  OpenHolding: pnls.openHolding,
  FeePnl: pnls.feePnl,
  SeasonPoints: points,
  Price: prices.price,
  Quote: prices.quote,
  UnsignedTransaction: prices.transaction,
  Refusal: prices.refusal,
  Season: seasons.season,
  ActiveSeason: seasons.activeSeason,
  Standing: seasons.standing,
  Trade: trades.trade,
  Position: trades.position,
  Trend: trend,
  AgentWallet: wallets.agentWallet,
  EtherBalance: wallets.etherBalance,
  WalletBalance: wallets.walletBalance,
  WalletTickets: wallets.walletTickets,
  RankedAgent: graphqlOnly.rankedAgent,
  MarketFigures: graphqlOnly.marketFigures,
  Me: graphqlOnly.me,
  Registration: graphqlOnly.registration,
  KeyReplacement: keyReplacement,
  Deletion: graphqlOnly.deletion,
  RecordedTrade: graphqlOnly.recordedTrade,
  ContractCurve: graphqlOnly.contractCurve,
  ContractRules: graphqlOnly.contractRules,
  ContractGas: graphqlOnly.contractGas,
  Contract: graphqlOnly.contract,
  FeedEventChange: changes.feedEventChange,
  TradeChange: changes.tradeChange,
  PriceChange: changes.priceChange,
  NotificationChange: changes.notificationChange,
};

export const types = objectTypes(resources);
