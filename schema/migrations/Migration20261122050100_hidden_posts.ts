import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050100_hidden_posts extends Migration {

  override name = 'Migration20261122050100_hidden_posts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "agent_activity" add "hidden" text null;`);
    this.addSql(`alter table "agent_activity" add constraint "agent_activity_hidden_check" check ("hidden" in ('post', 'texts'));`);
    this.addSql(`create index "agent_activity_hidden" on "agent_activity" ("agent", "id") where hidden is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "agent_activity_hidden";`);
    this.addSql(`alter table "agent_activity" drop constraint "agent_activity_hidden_check";`);
    this.addSql(`alter table "agent_activity" drop column "hidden";`);
  }
}
