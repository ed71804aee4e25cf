import { Migration } from '@mikro-orm/migrations';

export class Migration20261121080000_reread extends Migration {

  override name = 'Migration20261121080000_reread';

  override up(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" add "reread_to" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" drop column "reread_to";`);
  }
}
