import { Migration } from '@mikro-orm/migrations';

export class Migration20261129000000_agent_handle extends Migration {

  override name = 'Migration20261129000000_agent_handle';

  override up(): void | Promise<void> {
    this.addSql(`create index "agent_handle" on "agent" (lower("social_handle" collate "C")) where "social_handle" is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "agent_handle";`);
  }
}
