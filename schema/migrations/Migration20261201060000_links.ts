import { Migration } from '@mikro-orm/migrations';

export class Migration20261201060000_links extends Migration {

  override name = 'Migration20261201060000_links';

  override up(): void | Promise<void> {
    this.addSql(`create table "linked_wallet" ("wallet" varchar(42) not null, "cluster" int not null, "leads" boolean not null, "links" int not null, primary key ("wallet", "cluster"));`);
    this.addSql(`create index "linked_wallet_cluster_wallet_index" on "linked_wallet" ("cluster", "wallet");`);
    this.addSql(`create table "link_sign" ("cluster" int not null, "wallet" varchar(42) not null, "kind" text not null, "about" varchar(42) not null, "figure" int not null, primary key ("cluster", "wallet", "kind", "about"));`);
    this.addSql(`create table "unlinked_standing" ("season" int not null, "agent" varchar(42) not null, "total_points" double precision not null, "rank" int not null, "linked_wallets" int not null, "volume" numeric(78,0) not null, "round_trips" numeric(78,0) not null, "computed_at" timestamptz not null, primary key ("season", "agent"));`);
    this.addSql(`create index "unlinked_standing_agent_index" on "unlinked_standing" ("agent");`);
    this.addSql(`create index "unlinked_standing_season_rank_agent_index" on "unlinked_standing" ("season", "rank", "agent");`);
    this.addSql(`alter table "linked_wallet" add constraint "linked_wallet_links_check" check (links >= 1);`);
    this.addSql(`alter table "link_sign" add constraint "link_sign_kind_check" check ("kind" in ('feeDestination', 'registeredTogether', 'hardlyTraded', 'sameBlocks', 'sameTrades', 'eachOther'));`);
    this.addSql(`alter table "unlinked_standing" add constraint "unlinked_standing_agent_foreign" foreign key ("agent") references "agent" ("wallet") on delete cascade;`);
    this.addSql(`alter table "unlinked_standing" add constraint "unlinked_standing_rank_check" check (rank >= 1);`);
    this.addSql(`alter table "unlinked_standing" add constraint "unlinked_standing_linked_wallets_check" check (linked_wallets >= 0);`);
    this.addSql(`alter table "unlinked_standing" add constraint "unlinked_standing_volume_check" check (volume >= 0);`);
    this.addSql(`alter table "unlinked_standing" add constraint "unlinked_standing_round_trips_check" check (round_trips >= 0);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "linked_wallet";`);
    this.addSql(`drop table "link_sign";`);
    this.addSql(`drop table "unlinked_standing";`);
  }

}
