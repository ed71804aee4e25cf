import { Migration } from '@mikro-orm/migrations';

export class Migration20261121060000_sales extends Migration {

  override name = 'Migration20261121060000_sales';

  override up(): void | Promise<void> {
    this.addSql(`create index "transaction_sales" on "transaction" ("trader", "block_number", "log_index") where realized_pnl is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "transaction_sales";`);
  }
}
