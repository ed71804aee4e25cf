import { Migration } from '@mikro-orm/migrations';

export class Migration20261121020000_new_holders extends Migration {

  override name = 'Migration20261121020000_new_holders';

  override up(): void | Promise<void> {
    this.addSql(`create index "ticket_holding_since_agent_index" on "ticket_holding" ("since", "agent");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "ticket_holding_since_agent_index";`);
  }
}
