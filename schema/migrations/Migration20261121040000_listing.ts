import { Migration } from '@mikro-orm/migrations';

export class Migration20261121040000_listing extends Migration {

  override name = 'Migration20261121040000_listing';

  override up(): void | Promise<void> {
    // Locks the tables, so that no row changes between the backfill and the creation of the triggers.
    this.addSql(`lock table "agent", "market" in share row exclusive mode;`);
    this.addSql(`create table "listing" ("wallet" varchar(42) not null, "agent_id" varchar(30) collate "C" null, "is_claimed" boolean not null default false, "created_at" timestamptz null, "supply" bigint null, "holder_count" int null, "trade_count" int null, primary key ("wallet"));`);
    this.addSql(`create table "tally" ("name" varchar(16) not null, "total" bigint not null, primary key ("name"));`);
    this.addSql(`create or replace function "agent_agent_listed_fn"() returns trigger as \$\$ begin if tg_op = 'INSERT' then
        insert into listing (wallet, agent_id, is_claimed, created_at)
          values (new.wallet, new.agent_id, new.claimed_at is not null, new.created_at)
          on conflict (wallet) do update set agent_id = excluded.agent_id, is_claimed = excluded.is_claimed, created_at = excluded.created_at;         insert into tally (name, total) values ('agents', 1) on conflict (name) do update set total = tally.total + 1;       elsif tg_op = 'DELETE' then
        update listing set agent_id = null, is_claimed = false, created_at = null where wallet = old.wallet;         update tally set total = total - 1 where name = 'agents';       elsif (new.agent_id, new.claimed_at is null, new.created_at) is distinct from (old.agent_id, old.claimed_at is null, old.created_at) then
        update listing set agent_id = new.agent_id, is_claimed = new.claimed_at is not null, created_at = new.created_at
          where wallet = new.wallet;       end if;       return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "agent_listed" AFTER INSERT OR UPDATE OR DELETE on "agent" for each ROW execute function "agent_agent_listed_fn"();`);
    this.addSql(`create or replace function "market_market_listed_fn"() returns trigger as \$\$ begin if tg_op = 'DELETE' then
        update listing set supply = null, holder_count = null, trade_count = null where wallet = old.wallet;       else
        insert into listing (wallet, supply, holder_count, trade_count)
          values (new.wallet, new.supply, new.holder_count, new.trade_count)
          on conflict (wallet) do update
            set supply = excluded.supply, holder_count = excluded.holder_count, trade_count = excluded.trade_count;       end if;       return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "market_listed" AFTER INSERT OR UPDATE OR DELETE on "market" for each ROW execute function "market_market_listed_fn"();`);
    this.addSql(`insert into "tally" ("name", "total") select 'agents', count(*) from "agent";`);
    this.addSql(`insert into "listing" ("wallet", "agent_id", "is_claimed", "created_at", "supply", "holder_count", "trade_count")
      select wallet, a.agent_id, a.claimed_at is not null, a.created_at, m.supply, m.holder_count, m.trade_count
      from "agent" a full join "market" m using (wallet);`);
    this.addSql(`create index "listing_newest" on "listing" ("created_at", "wallet") where created_at is not null;`);
    this.addSql(`create index "listing_supply" on "listing" ("supply", "wallet") where created_at is not null and supply is not null;`);
    this.addSql(`create index "listing_holders" on "listing" ("holder_count", "wallet") where created_at is not null and supply is not null;`);
    // The planner would otherwise assume empty tables until the first autoanalyze.
    this.addSql(`analyze "listing";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "agent_listed" on "agent";`);
    this.addSql(`drop trigger if exists "market_listed" on "market";`);
    this.addSql(`drop function if exists "agent_agent_listed_fn"();`);
    this.addSql(`drop function if exists "market_market_listed_fn"();`);
    this.addSql(`drop table if exists "tally" cascade;`);
    this.addSql(`drop table if exists "listing" cascade;`);
  }
}
