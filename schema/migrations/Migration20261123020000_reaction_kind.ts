import { Migration } from '@mikro-orm/migrations';

export class Migration20261123020000_reaction_kind extends Migration {

  override name = 'Migration20261123020000_reaction_kind';

  override up(): void | Promise<void> {
    this.addSql(`create index "reaction_kind_created_at_id_index" on "reaction" ("kind", "created_at", "id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "reaction_kind_created_at_id_index";`);
  }
}
