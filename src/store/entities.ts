import { Agent } from './entities/agent.js';
import { AgentActivity } from './entities/agent-activity.js';
import { AgentFollow } from './entities/agent-follow.js';
import { AgentSeasonPoints } from './entities/agent-season-points.js';
import { Candle } from './entities/candle.js';
import { ChainBlock } from './entities/chain-block.js';
import { DevPost } from './entities/dev-post.js';
import { FeeWithdrawal } from './entities/fee-withdrawal.js';
import { HiddenProfile } from './entities/hidden-profile.js';
import { IdempotentWrite } from './entities/idempotent-write.js';
import { IndexerCursor } from './entities/indexer-cursor.js';
import { IssuedCode } from './entities/issued-code.js';
import { KeyReplacement } from './entities/key-replacement.js';
import { Listing } from './entities/listing.js';
import { LiveCursor } from './entities/live-cursor.js';
import { LiveEvent } from './entities/live-event.js';
import { Market } from './entities/market.js';
import { Moderation } from './entities/moderation.js';
import { Notification } from './entities/notification.js';
import { Reaction } from './entities/reaction.js';
import { Season } from './entities/season.js';
import { Setting } from './entities/setting.js';
import { SignedWallet } from './entities/signed-wallet.js';
import { Tally } from './entities/tally.js';
import { ThesisRecord } from './entities/thesis-record.js';
import { TicketHolding } from './entities/ticket-holding.js';
import { TicketLot } from './entities/ticket-lot.js';
import { Transaction } from './entities/transaction.js';
import { UsedPost } from './entities/used-post.js';
import { UsedSignature } from './entities/used-signature.js';
import { WalletLedger } from './entities/wallet-ledger.js';

export const entities = [
  Agent,
  AgentActivity,
  AgentFollow,
  AgentSeasonPoints,
  Candle,
  ChainBlock,
  DevPost,
  FeeWithdrawal,
  HiddenProfile,
  IdempotentWrite,
  IndexerCursor,
  IssuedCode,
  KeyReplacement,
  LiveCursor,
  LiveEvent,
  Listing,
  Market,
  Moderation,
  Notification,
  Reaction,
  Season,
  Setting,
  SignedWallet,
  Tally,
  TicketHolding,
  TicketLot,
  ThesisRecord,
  Transaction,
  UsedPost,
  UsedSignature,
  WalletLedger,
];
