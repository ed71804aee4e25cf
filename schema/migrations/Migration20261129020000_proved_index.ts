import { Migration } from '@mikro-orm/migrations';

export class Migration20261129020000_proved_index extends Migration {

  override name = 'Migration20261129020000_proved_index';

  override up(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" add "proved_to" bigint not null default 0, add "audit_from" bigint not null default 0;`);
    // Blocks before the first market hold no facts.
    this.addSql(`update "indexer_cursor" set "proved_to" = coalesce((select min("block_number") - 1 from "market"), "block_number");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" drop column "proved_to", drop column "audit_from";`);
  }

}
