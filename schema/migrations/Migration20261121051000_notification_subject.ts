import { Migration } from '@mikro-orm/migrations';

export class Migration20261121051000_notification_subject extends Migration {

  override name = 'Migration20261121051000_notification_subject';

  override up(): void | Promise<void> {
    this.addSql(`drop index "notification_recipient_type_subject_created_at_index";`);
    this.addSql(`create index "notification_subject_recipient_type_created_at_index" on "notification" ("subject", "recipient", "type", "created_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "notification_subject_recipient_type_created_at_index";`);
    this.addSql(`create index "notification_recipient_type_subject_created_at_index" on "notification" ("recipient", "type", "subject", "created_at");`);
  }
}
