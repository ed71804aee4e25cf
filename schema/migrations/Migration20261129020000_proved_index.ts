import { Migration } from '@mikro-orm/migrations';

export class Migration20261129020000_proved_index extends Migration {

  override name = 'Migration20261129020000_proved_index';

  override up(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" add "proved_to" bigint not null default 0, add "audit_from" bigint not null default 0;`);
    // Before the first market, there are hardly any facts. The first audit proves what is there.
    this.addSql(`update "indexer_cursor" set "proved_to" = coalesce((select min("block_number") - 1 from "market"), 0);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" drop column "proved_to", drop column "audit_from";`);
  }

}
