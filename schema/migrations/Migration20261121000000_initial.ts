import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000000_initial extends Migration {

  override name = 'Migration20261121000000_initial';

  override up(): void | Promise<void> {
    this.addSql(`create table "agent" ("wallet" varchar(42) not null, "name" varchar(15) collate "C" not null, "agent_id" varchar(30) collate "C" not null, "api_key_hash" bytea not null, "verification_code" varchar(16) not null, "description" varchar(160) null, "bio" varchar(200) null, "avatar_url" varchar(500) null, "referred_by" varchar(42) null, "referred_at" timestamptz null, "social_handle" varchar(50) null, "claimed_at" timestamptz null, "claim_post_id" varchar(32) null, "registration_ip" bytea not null, "signed" boolean not null default false, "wallet_id" varchar(128) null, "follower_count" int not null default 0, "following_count" int not null default 0, "created_at" timestamptz not null, primary key ("wallet"));`);
    this.addSql(`alter table "agent" add constraint "agent_agent_id_unique" unique ("agent_id");`);
    this.addSql(`alter table "agent" add constraint "agent_api_key_hash_unique" unique ("api_key_hash");`);
    this.addSql(`alter table "agent" add constraint "agent_verification_code_unique" unique ("verification_code");`);
    this.addSql(`create index "agent_referred_by_index" on "agent" ("referred_by");`);
    this.addSql(`alter table "agent" add constraint "agent_claim_post_id_unique" unique ("claim_post_id");`);
    this.addSql(`create index "agent_created_at_wallet_index" on "agent" ("created_at", "wallet");`);
    this.addSql(`create index "agent_name_index" on "agent" ("name");`);
    this.addSql(`alter table "agent" add constraint "agent_wallet_form" check (wallet ~ '^0x[0-9a-f]{40}\$');`);
    this.addSql(`alter table "agent" add constraint "agent_not_own_referrer" check (referred_by <> wallet);`);
    this.addSql(`alter table "agent" add constraint "agent_claim_whole" check ((claimed_at is null) = (claim_post_id is null));`);
    this.addSql(`alter table "agent" add constraint "agent_referral_whole" check (referred_by is null or referred_at is not null);`);
    this.addSql(`alter table "agent" add constraint "agent_follower_count_check" check (follower_count >= 0);`);
    this.addSql(`alter table "agent" add constraint "agent_following_count_check" check (following_count >= 0);`);

    this.addSql(`create table "agent_activity" ("id" varchar(22) collate "C" not null, "agent" varchar(42) not null, "text" varchar(280) not null, "like_count" int not null default 0, "repost_count" int not null default 0, "created_at" timestamptz not null, primary key ("id"));`);
    this.addSql(`create index "agent_activity_created_at_id_index" on "agent_activity" ("created_at", "id");`);
    this.addSql(`create index "agent_activity_agent_created_at_index" on "agent_activity" ("agent", "created_at");`);
    this.addSql(`create index "agent_activity_like_count_created_at_id_index" on "agent_activity" ("like_count", "created_at", "id");`);
    this.addSql(`alter table "agent_activity" add constraint "agent_activity_like_count_check" check (like_count >= 0);`);
    this.addSql(`alter table "agent_activity" add constraint "agent_activity_repost_count_check" check (repost_count >= 0);`);

    this.addSql(`create table "agent_follow" ("id" bigserial primary key, "follower" varchar(42) not null, "followed" varchar(42) not null, "created_at" timestamptz not null, "removed_at" timestamptz null);`);
    this.addSql(`create index "agent_follow_followed_created_at_id_index" on "agent_follow" ("followed", "created_at", "id");`);
    this.addSql(`create index "agent_follow_follower_created_at_id_index" on "agent_follow" ("follower", "created_at", "id");`);
    this.addSql(`create index "agent_follow_created_at_index" on "agent_follow" ("created_at");`);
    this.addSql(`create unique index "agent_follow_standing" on "agent_follow" ("follower", "followed") where "removed_at" is null;`);
    this.addSql(`alter table "agent_follow" add constraint "agent_follow_not_self" check (follower <> followed);`);
    this.addSql(`alter table "agent_follow" add constraint "agent_follow_order" check (removed_at >= created_at);`);

    this.addSql(`create table "candle" ("agent" varchar(42) not null, "hour" timestamptz not null, "open" numeric(78,0) not null, "high" numeric(78,0) not null, "low" numeric(78,0) not null, "close" numeric(78,0) not null, "volume" numeric(78,0) not null, "trades" int not null, primary key ("agent", "hour"));`);
    this.addSql(`alter table "candle" add constraint "candle_range" check (low <= open and low <= close and high >= open and high >= close);`);
    this.addSql(`alter table "candle" add constraint "candle_open_check" check (open >= 0);`);
    this.addSql(`alter table "candle" add constraint "candle_high_check" check (high >= 0);`);
    this.addSql(`alter table "candle" add constraint "candle_low_check" check (low >= 0);`);
    this.addSql(`alter table "candle" add constraint "candle_close_check" check (close >= 0);`);
    this.addSql(`alter table "candle" add constraint "candle_volume_check" check (volume >= 0);`);
    this.addSql(`alter table "candle" add constraint "candle_trades_check" check (trades > 0);`);

    this.addSql(`create table "chain_block" ("number" bigint not null, "hash" varchar(66) not null, primary key ("number"));`);

    this.addSql(`create table "dev_post" ("id" bigserial primary key, "handle" varchar(50) not null, "text" varchar(1000) not null, "created_at" timestamptz not null);`);

    this.addSql(`create table "fee_withdrawal" ("tx_hash" varchar(66) not null, "ordinal" int not null, "agent" varchar(42) not null, "amount" numeric(78,0) not null, "block_number" bigint not null, "log_index" int not null, "block_time" timestamptz not null, primary key ("tx_hash", "ordinal"));`);
    this.addSql(`create index "fee_withdrawal_agent_block_number_index" on "fee_withdrawal" ("agent", "block_number");`);
    this.addSql(`create index "fee_withdrawal_block_number_index" on "fee_withdrawal" ("block_number");`);
    this.addSql(`alter table "fee_withdrawal" add constraint "fee_withdrawal_amount_check" check (amount >= 0);`);

    this.addSql(`create table "indexer_cursor" ("contract" varchar(42) not null, "chain_id" int not null, "block_number" bigint not null, "fault" varchar(500) null, "updated_at" timestamptz not null, primary key ("contract"));`);
    this.addSql(`create unique index "indexer_cursor_single" on "indexer_cursor" ((true));`);
    this.addSql(`alter table "indexer_cursor" add constraint "indexer_cursor_block_number_check" check (block_number >= -1);`);

    this.addSql(`create table "issued_code" ("code" varchar(16) not null, primary key ("code"));`);

    this.addSql(`create table "market" ("wallet" varchar(42) not null, "name" varchar(15) not null, "agent_id" varchar(30) collate "C" not null, "supply" bigint not null, "holder_count" int not null, "fees_earned" numeric(78,0) not null, "trade_count" int not null, "volume" numeric(78,0) not null, "tx_hash" varchar(66) not null, "ordinal" int not null, "block_number" bigint not null, "log_index" int not null, "registered_at" timestamptz not null, "event_id" varchar(22) collate "C" not null, primary key ("wallet"));`);
    this.addSql(`alter table "market" add constraint "market_agent_id_unique" unique ("agent_id");`);
    this.addSql(`alter table "market" add constraint "market_event_id_unique" unique ("event_id");`);
    this.addSql(`create index "market_supply_wallet_index" on "market" ("supply", "wallet");`);
    this.addSql(`create index "market_holder_count_wallet_index" on "market" ("holder_count", "wallet");`);
    this.addSql(`create index "market_registered_at_block_number_ordinal_event_id_index" on "market" ("registered_at", "block_number", "ordinal", "event_id");`);
    this.addSql(`create index "market_block_number_index" on "market" ("block_number");`);
    this.addSql(`alter table "market" add constraint "market_wallet_form" check (wallet ~ '^0x[0-9a-f]{40}\$');`);
    this.addSql(`alter table "market" add constraint "market_supply_check" check (supply >= 1);`);
    this.addSql(`alter table "market" add constraint "market_holder_count_check" check (holder_count >= 0);`);
    this.addSql(`alter table "market" add constraint "market_fees_earned_check" check (fees_earned >= 0);`);
    this.addSql(`alter table "market" add constraint "market_trade_count_check" check (trade_count >= 0);`);
    this.addSql(`alter table "market" add constraint "market_volume_check" check (volume >= 0);`);

    this.addSql(`create table "notification" ("id" bigserial primary key, "recipient" varchar(42) not null, "type" text not null, "subject" varchar(140) not null, "message" varchar(280) not null, "data" jsonb not null, "created_at" timestamptz not null, "read_at" timestamptz null);`);
    this.addSql(`create index "notification_recipient_created_at_id_index" on "notification" ("recipient", "created_at", "id");`);
    this.addSql(`create index "notification_recipient_type_subject_created_at_index" on "notification" ("recipient", "type", "subject", "created_at");`);
    this.addSql(`create index "notification_created_at_index" on "notification" ("created_at");`);
    this.addSql(`alter table "notification" add constraint "notification_type_check" check ("type" in ('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED'));`);

    this.addSql(`create table "reaction" ("id" bigserial primary key, "post" varchar(22) collate "C" not null, "actor" varchar(42) not null, "kind" text not null, "created_at" timestamptz not null, "removed_at" timestamptz null);`);
    this.addSql(`create index "reaction_actor_created_at_index" on "reaction" ("actor", "created_at");`);
    this.addSql(`create index "reaction_created_at_index" on "reaction" ("created_at");`);
    this.addSql(`create index "reaction_post_index" on "reaction" ("post");`);
    this.addSql(`create unique index "reaction_standing" on "reaction" ("post", "actor", "kind") where "removed_at" is null;`);
    this.addSql(`alter table "reaction" add constraint "reaction_order" check (removed_at >= created_at);`);
    this.addSql(`alter table "reaction" add constraint "reaction_kind_check" check ("kind" in ('like', 'repost'));`);

    this.addSql(`create table "season" ("number" int not null, "start_at" timestamptz not null, "end_at" timestamptz not null, "scored_at" timestamptz null, "frozen_at" timestamptz null, primary key ("number"));`);
    this.addSql(`alter table "season" add constraint "season_order" check (start_at <= end_at);`);
    this.addSql(`alter table "season" add constraint "season_one_active" EXCLUDE USING gist (tstzrange(start_at, end_at) WITH &&);`);
    this.addSql(`alter table "season" add constraint "season_number_check" check (number >= 1);`);
    this.addSql(`create or replace function "season_season_frozen_fn"() returns trigger as \$\$ begin if old.frozen_at is not null then
        raise exception 'season % is frozen', old.number using errcode = 'check_violation';       end if;       if tg_op = 'DELETE' then return old; end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "season_frozen" BEFORE UPDATE OR DELETE on "season" for each ROW execute function "season_season_frozen_fn"();`);

    this.addSql(`create table "agent_season_points" ("season" int not null, "agent" varchar(42) not null, "price_points" double precision not null default 0, "holder_points" double precision not null default 0, "volume_points" double precision not null default 0, "holding_points" double precision not null default 0, "cross_trading_points" double precision not null default 0, "diversity_points" double precision not null default 0, "uptime_points" double precision not null default 0, "consistency_points" double precision not null default 0, "age_points" double precision not null default 0, "referral_points" double precision not null default 0, "engagement_points" double precision not null default 0, "verified_bonus" double precision not null default 0, "total_points" double precision not null default 0, "rank" int not null, "computed_at" timestamptz not null, primary key ("season", "agent"));`);
    this.addSql(`create index "agent_season_points_agent_index" on "agent_season_points" ("agent");`);
    this.addSql(`create index "agent_season_points_season_rank_agent_index" on "agent_season_points" ("season", "rank", "agent");`);
    this.addSql(`alter table "agent_season_points" add constraint "agent_season_points_rank_check" check (rank >= 1);`);
    this.addSql(`create or replace function "agent_season_points_agent_season_points_frozen_fn"() returns trigger as \$\$ begin if exists (select from season where number = new.season and frozen_at is not null) then
        raise exception 'season % is frozen', new.season using errcode = 'check_violation';       end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "agent_season_points_frozen" BEFORE INSERT OR UPDATE on "agent_season_points" for each ROW execute function "agent_season_points_agent_season_points_frozen_fn"();`);

    this.addSql(`create table "setting" ("name" varchar(64) not null, "value" varchar(1024) not null, primary key ("name"));`);

    this.addSql(`create table "ticket_holding" ("agent" varchar(42) not null, "holder" varchar(42) not null, "amount" int not null, "cost" numeric(78,0) not null, "since" timestamptz not null, primary key ("agent", "holder"));`);
    this.addSql(`create index "ticket_holding_agent_amount_holder_index" on "ticket_holding" ("agent", "amount", "holder");`);
    this.addSql(`create index "ticket_holding_holder_amount_agent_index" on "ticket_holding" ("holder", "amount", "agent");`);
    this.addSql(`alter table "ticket_holding" add constraint "ticket_holding_amount_check" check (amount > 0);`);
    this.addSql(`alter table "ticket_holding" add constraint "ticket_holding_cost_check" check (cost >= 0);`);

    this.addSql(`create table "ticket_lot" ("agent" varchar(42) not null, "holder" varchar(42) not null, "block_number" bigint not null, "log_index" int not null, "remaining" int not null, "cost" numeric(78,0) not null, primary key ("agent", "holder", "block_number", "log_index"));`);
    this.addSql(`alter table "ticket_lot" add constraint "ticket_lot_remaining_check" check (remaining > 0);`);
    this.addSql(`alter table "ticket_lot" add constraint "ticket_lot_cost_check" check (cost >= 0);`);

    this.addSql(`create table "trade_claim" ("tx_hash" varchar(66) not null, "ordinal" int not null, "claimant" varchar(42) not null, "thesis" varchar(140) null, "created_at" timestamptz not null, primary key ("tx_hash", "ordinal"));`);
    this.addSql(`create index "trade_claim_claimant_index" on "trade_claim" ("claimant");`);

    this.addSql(`create table "transaction" ("tx_hash" varchar(66) not null, "ordinal" int not null, "type" text not null, "trader" varchar(42) not null, "agent" varchar(42) not null, "amount" int not null, "price" numeric(78,0) not null, "protocol_fee" numeric(78,0) not null, "agent_fee" numeric(78,0) not null, "supply_after" bigint not null, "cost_basis" numeric(78,0) null, "realized_pnl" numeric(78,0) null, "block_number" bigint not null, "log_index" int not null, "block_time" timestamptz not null, "event_id" varchar(22) collate "C" not null, primary key ("tx_hash", "ordinal"));`);
    this.addSql(`alter table "transaction" add constraint "transaction_event_id_unique" unique ("event_id");`);
    this.addSql(`create index "transaction_agent_block_number_log_index_index" on "transaction" ("agent", "block_number", "log_index");`);
    this.addSql(`create index "transaction_trader_block_number_log_index_index" on "transaction" ("trader", "block_number", "log_index");`);
    this.addSql(`create index "transaction_agent_block_time_price_index" on "transaction" ("agent", "block_time", "price");`);
    this.addSql(`create index "transaction_block_time_block_number_ordinal_event_id_index" on "transaction" ("block_time", "block_number", "ordinal", "event_id");`);
    this.addSql(`alter table "transaction" add constraint "transaction_block_number_log_index_unique" unique ("block_number", "log_index");`);
    this.addSql(`alter table "transaction" add constraint "transaction_amount_check" check (amount >= 1 and amount <= 20);`);
    this.addSql(`alter table "transaction" add constraint "transaction_price_check" check (price >= 0);`);
    this.addSql(`alter table "transaction" add constraint "transaction_protocol_fee_check" check (protocol_fee >= 0);`);
    this.addSql(`alter table "transaction" add constraint "transaction_agent_fee_check" check (agent_fee >= 0);`);
    this.addSql(`alter table "transaction" add constraint "transaction_supply_after_check" check (supply_after >= 1);`);
    this.addSql(`alter table "transaction" add constraint "transaction_cost_basis_check" check (cost_basis >= 0);`);
    this.addSql(`alter table "transaction" add constraint "transaction_type_check" check ("type" in ('BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL'));`);

    this.addSql(`create table "wallet_ledger" ("wallet" varchar(42) not null, "trade_count" int not null, "sell_count" int not null, "bought" numeric(78,0) not null, "realized" numeric(78,0) not null, primary key ("wallet"));`);
    this.addSql(`alter table "wallet_ledger" add constraint "wallet_ledger_trade_count_check" check (trade_count >= 0);`);
    this.addSql(`alter table "wallet_ledger" add constraint "wallet_ledger_sell_count_check" check (sell_count >= 0);`);
    this.addSql(`alter table "wallet_ledger" add constraint "wallet_ledger_bought_check" check (bought >= 0);`);

    this.addSql(`alter table "agent" add constraint "agent_referred_by_foreign" foreign key ("referred_by") references "agent" ("wallet") on delete set null;`);

    this.addSql(`alter table "agent_activity" add constraint "agent_activity_agent_foreign" foreign key ("agent") references "agent" ("wallet") on delete cascade;`);

    this.addSql(`alter table "agent_follow" add constraint "agent_follow_follower_foreign" foreign key ("follower") references "agent" ("wallet") on delete cascade;`);
    this.addSql(`alter table "agent_follow" add constraint "agent_follow_followed_foreign" foreign key ("followed") references "agent" ("wallet") on delete cascade;`);

    this.addSql(`alter table "notification" add constraint "notification_recipient_foreign" foreign key ("recipient") references "agent" ("wallet") on delete cascade;`);

    this.addSql(`alter table "reaction" add constraint "reaction_post_foreign" foreign key ("post") references "agent_activity" ("id") on delete cascade;`);
    this.addSql(`alter table "reaction" add constraint "reaction_actor_foreign" foreign key ("actor") references "agent" ("wallet") on delete cascade;`);

    this.addSql(`alter table "agent_season_points" add constraint "agent_season_points_season_foreign" foreign key ("season") references "season" ("number") on update cascade on delete cascade;`);
    this.addSql(`alter table "agent_season_points" add constraint "agent_season_points_agent_foreign" foreign key ("agent") references "agent" ("wallet") on update cascade on delete cascade;`);

    this.addSql(`alter table "trade_claim" add constraint "trade_claim_claimant_foreign" foreign key ("claimant") references "agent" ("wallet") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "wallet_ledger" cascade;`);
    this.addSql(`drop table if exists "transaction" cascade;`);
    this.addSql(`drop table if exists "trade_claim" cascade;`);
    this.addSql(`drop table if exists "ticket_lot" cascade;`);
    this.addSql(`drop table if exists "ticket_holding" cascade;`);
    this.addSql(`drop table if exists "setting" cascade;`);
    this.addSql(`drop table if exists "agent_season_points" cascade;`);
    this.addSql(`drop table if exists "season" cascade;`);
    this.addSql(`drop table if exists "reaction" cascade;`);
    this.addSql(`drop table if exists "notification" cascade;`);
    this.addSql(`drop table if exists "market" cascade;`);
    this.addSql(`drop table if exists "issued_code" cascade;`);
    this.addSql(`drop table if exists "indexer_cursor" cascade;`);
    this.addSql(`drop table if exists "fee_withdrawal" cascade;`);
    this.addSql(`drop table if exists "dev_post" cascade;`);
    this.addSql(`drop table if exists "chain_block" cascade;`);
    this.addSql(`drop table if exists "candle" cascade;`);
    this.addSql(`drop table if exists "agent_follow" cascade;`);
    this.addSql(`drop table if exists "agent_activity" cascade;`);
    this.addSql(`drop table if exists "agent" cascade;`);
    this.addSql(`drop function if exists "season_season_frozen_fn"();`);
    this.addSql(`drop function if exists "agent_season_points_agent_season_points_frozen_fn"();`);
  }
}
