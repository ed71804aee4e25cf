import { Migration } from '@mikro-orm/migrations';

export class Migration20261201000000_block_time extends Migration {

  override name = 'Migration20261201000000_block_time';

  override up(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" add "block_time" timestamptz null, add "changed_from" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" drop column "block_time", drop column "changed_from";`);
  }

}
