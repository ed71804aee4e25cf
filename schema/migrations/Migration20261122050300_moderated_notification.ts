import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050300_moderated_notification extends Migration {

  override name = 'Migration20261122050300_moderated_notification';

  override up(): void | Promise<void> {
    this.addSql(`alter table "notification" drop constraint "notification_type_check";`);
    this.addSql(`alter table "notification" add constraint "notification_type_check" check ("type" in ('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED', 'KEY_REPLACED', 'MODERATED'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "notification" where "type" = 'MODERATED';`);
    this.addSql(`alter table "notification" drop constraint "notification_type_check";`);
    this.addSql(`alter table "notification" add constraint "notification_type_check" check ("type" in ('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED', 'KEY_REPLACED'));`);
  }
}
