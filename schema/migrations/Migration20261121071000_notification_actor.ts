import { Migration } from '@mikro-orm/migrations';

export class Migration20261121071000_notification_actor extends Migration {

  override name = 'Migration20261121071000_notification_actor';

  override up(): void | Promise<void> {
    this.addSql(`alter table "notification" add column "actor" varchar(42) null;`);
    this.addSql(`update "notification" set actor = coalesce(data->>'actor', data->>'trader');`);
    this.addSql(`create index "notification_actor_index" on "notification" ("actor");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "notification_actor_index";`);
    this.addSql(`alter table "notification" drop column "actor";`);
  }
}
