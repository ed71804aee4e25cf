import { Migration } from '@mikro-orm/migrations';

export class Migration20261201020000_call_outcome extends Migration {

  override name = 'Migration20261201020000_call_outcome';

  override up(): void | Promise<void> {
    this.addSql(`create table "call_outcome" ("tx_hash" varchar(66) not null, "ordinal" int not null, "horizon" text not null, "author" varchar(42) not null, "agent" varchar(42) not null, "weight" int not null, "confidence" int null, "called_at" timestamptz not null, "until" timestamptz not null, "judged_block" bigint null, "move" int null, "benchmark" int null, "paid" boolean null, "value" numeric(78,0) null, "controls" int[] null, "fake_cost" numeric(78,0) null, "sold_half" boolean null, primary key ("tx_hash", "ordinal", "horizon"));`);
    this.addSql(`alter table "call_outcome" add constraint "call_outcome_judged" check ((judged_block is null) = (move is null) and (judged_block is null) = (value is null) and (judged_block is null) = (sold_half is null) and (benchmark is null) = (paid is null));`);
    this.addSql(`alter table "call_outcome" add constraint "call_outcome_weight_check" check (weight > 0);`);
    this.addSql(`alter table "call_outcome" add constraint "call_outcome_horizon_check" check ("horizon" in ('1h', '1d', '7d'));`);
    this.addSql(`create index "call_outcome_author_called_at_index" on "call_outcome" ("author", "called_at");`);
    this.addSql(`create index "call_outcome_called_at_index" on "call_outcome" ("called_at");`);
    this.addSql(`create index "call_outcome_due" on "call_outcome" ("until", "tx_hash", "ordinal") where judged_block is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "call_outcome";`);
  }

}
