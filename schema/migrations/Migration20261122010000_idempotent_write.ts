import { Migration } from '@mikro-orm/migrations';

export class Migration20261122010000_idempotent_write extends Migration {

  override name = 'Migration20261122010000_idempotent_write';

  override up(): void | Promise<void> {
    this.addSql(`create table "idempotent_write" ("id" bytea not null, "caller" bytea not null, "content" bytea not null, "holder" uuid not null, "lease_until" timestamptz not null, "answer" bytea null, "created_at" timestamptz not null, primary key ("id"));`);
    this.addSql(`create index "idempotent_write_created_at_index" on "idempotent_write" ("created_at");`);
    this.addSql(`create index "idempotent_write_caller_created_at_index" on "idempotent_write" ("caller", "created_at");`);
    this.addSql(`alter table "idempotent_write" add constraint "idempotent_write_answer_check" check (octet_length(answer) <= 32768);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "idempotent_write" cascade;`);
  }
}

