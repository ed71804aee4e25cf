import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010000_former_key extends Migration {

  override name = 'Migration20261123010000_former_key';

  override up(): void | Promise<void> {
    this.addSql(`create table "former_key" ("hash" bytea not null, "ended_at" timestamptz not null, primary key ("hash"));`);
    this.addSql(`create index "former_key_ended_at_index" on "former_key" ("ended_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "former_key" cascade;`);
  }
}
