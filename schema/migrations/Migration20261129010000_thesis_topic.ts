import { Migration } from '@mikro-orm/migrations';

export class Migration20261129010000_thesis_topic extends Migration {

  override name = 'Migration20261129010000_thesis_topic';

  override up(): void | Promise<void> {
    this.addSql(`alter table "live_event" drop constraint "live_event_topic_check";`);
    this.addSql(`alter table "live_event" add constraint "live_event_topic_check" check ("topic" in ('registration', 'trade', 'thesis', 'post', 'notification', 'price', 'feed', 'profile'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "live_event" where "topic" = 'thesis';`);
    this.addSql(`alter table "live_event" drop constraint "live_event_topic_check";`);
    this.addSql(`alter table "live_event" add constraint "live_event_topic_check" check ("topic" in ('registration', 'trade', 'post', 'notification', 'price', 'feed', 'profile'));`);
  }
}
