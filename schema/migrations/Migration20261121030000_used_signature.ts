import { Migration } from '@mikro-orm/migrations';

export class Migration20261121030000_used_signature extends Migration {

  override name = 'Migration20261121030000_used_signature';

  override up(): void | Promise<void> {
    this.addSql(`create table "used_signature" ("digest" bytea not null, "expires_at" timestamptz not null, primary key ("digest"));`);
    this.addSql(`create index "used_signature_expires_at_index" on "used_signature" ("expires_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "used_signature" cascade;`);
  }
}
