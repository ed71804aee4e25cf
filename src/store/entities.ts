import { Agent } from './entities/Agent.js';
import { AgentActivity } from './entities/AgentActivity.js';
import { AgentFollow } from './entities/AgentFollow.js';
import { AgentSeasonPoints } from './entities/AgentSeasonPoints.js';
import { Candle } from './entities/Candle.js';
import { ChainBlock } from './entities/ChainBlock.js';
import { DevPost } from './entities/DevPost.js';
import { FeeWithdrawal } from './entities/FeeWithdrawal.js';
import { IndexerCursor } from './entities/IndexerCursor.js';
import { IssuedCode } from './entities/IssuedCode.js';
import { Listing } from './entities/Listing.js';
import { LiveCursor } from './entities/LiveCursor.js';
import { LiveEvent } from './entities/LiveEvent.js';
import { Market } from './entities/Market.js';
import { Notification } from './entities/Notification.js';
import { Reaction } from './entities/Reaction.js';
import { Season } from './entities/Season.js';
import { Setting } from './entities/Setting.js';
import { SignedWallet } from './entities/SignedWallet.js';
import { Tally } from './entities/Tally.js';
import { TicketHolding } from './entities/TicketHolding.js';
import { TicketLot } from './entities/TicketLot.js';
import { TradeClaim } from './entities/TradeClaim.js';
import { Transaction } from './entities/Transaction.js';
import { UsedPost } from './entities/UsedPost.js';
import { UsedSignature } from './entities/UsedSignature.js';
import { WalletLedger } from './entities/WalletLedger.js';

export const entities = [
  Agent,
  AgentActivity,
  AgentFollow,
  AgentSeasonPoints,
  Candle,
  ChainBlock,
  DevPost,
  FeeWithdrawal,
  IndexerCursor,
  IssuedCode,
  LiveCursor,
  LiveEvent,
  Listing,
  Market,
  Notification,
  Reaction,
  Season,
  Setting,
  SignedWallet,
  Tally,
  TicketHolding,
  TicketLot,
  TradeClaim,
  Transaction,
  UsedPost,
  UsedSignature,
  WalletLedger,
];
