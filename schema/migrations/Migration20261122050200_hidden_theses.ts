import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050200_hidden_theses extends Migration {

  override name = 'Migration20261122050200_hidden_theses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "trade_claim" add "hidden" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "trade_claim" drop column "hidden";`);
  }
}
