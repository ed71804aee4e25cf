import { Migration } from '@mikro-orm/migrations';

export class Migration20261122020000_key_replacement extends Migration {

  override name = 'Migration20261122020000_key_replacement';

  override up(): void | Promise<void> {
    this.addSql(`create table "key_replacement" ("wallet" varchar(42) not null, "nonce" varchar(64) collate "C" not null, "created_at" timestamptz not null, primary key ("wallet", "nonce"));`);
    this.addSql(`create index "key_replacement_created_at_index" on "key_replacement" ("created_at");`);

    this.addSql(`alter table "notification" drop constraint "notification_type_check";`);
    this.addSql(`alter table "notification" add constraint "notification_type_check" check ("type" in ('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED', 'KEY_REPLACED'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "key_replacement" cascade;`);

    this.addSql(`delete from "notification" where "type" = 'KEY_REPLACED';`);
    this.addSql(`alter table "notification" drop constraint "notification_type_check";`);
    this.addSql(`alter table "notification" add constraint "notification_type_check" check ("type" in ('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED'));`);
  }
}
