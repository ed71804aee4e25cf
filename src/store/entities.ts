import { defineEntity, p } from '@mikro-orm/core';
import { Agent, HiddenProfile, Listing, Tally } from '../features/agents/entities.js';
import { IssuedCode, UsedPost } from '../features/claims/entities.js';
import { AgentActivity, Reaction } from '../features/feed/entities.js';
import { AgentFollow } from '../features/follows/entity.js';
import { KeyReplacement } from '../features/keys/entities.js';
import { Moderation } from '../features/moderation/entity.js';
import { Notification } from '../features/notices/entity.js';
import { SignedWallet, UsedSignature } from '../features/registration/entities.js';
import { AgentSeasonPoints, Season } from '../features/seasons/entities.js';
import { ThesisRecord } from '../features/trading/entity.js';
import {
  Candle,
  ChainBlock,
  FeeWithdrawal,
  IndexerCursor,
  Market,
  TicketHolding,
  TicketLot,
  Transaction,
  WalletLedger,
} from '../index/entities.js';
import { LiveCursor, LiveEvent } from '../live/entities.js';
import { DevPost } from '../posthost/entity.js';
import { IdempotentWrite } from '../server/idempotency/entity.js';

/** Values that the service generates once and needs again, such as its secret key. */
export const Setting = defineEntity({
  name: 'Setting',
  properties: {
    name: p.string().length(64).primary(),
    value: p.string().length(1024),
  },
});

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
