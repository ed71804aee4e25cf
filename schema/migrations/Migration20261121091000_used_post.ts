import { Migration } from '@mikro-orm/migrations';

export class Migration20261121091000_used_post extends Migration {

  override name = 'Migration20261121091000_used_post';

  override up(): void | Promise<void> {
    this.addSql(`create table "used_post" ("post_id" varchar(32) not null, "wallet" varchar(42) not null, "registered_at" timestamptz not null, primary key ("post_id"));`);
    // Posts of claims that were dropped or deleted before this migration are not known.
    this.addSql(`insert into "used_post" ("post_id", "wallet", "registered_at") select claim_post_id, wallet, created_at from "agent" where claim_post_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "used_post" cascade;`);
  }
}
