import { Migration } from '@mikro-orm/migrations';

export class Migration20261201040000_outcome_topic extends Migration {

  override name = 'Migration20261201040000_outcome_topic';

  override up(): void | Promise<void> {
    this.addSql(`alter table "live_event" drop constraint "live_event_topic_check";`);
    this.addSql(`alter table "live_event" add constraint "live_event_topic_check" check ("topic" in ('registration', 'trade', 'thesis', 'outcome', 'post', 'notification', 'price', 'feed', 'profile'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "live_event" where "topic" = 'outcome';`);
    this.addSql(`alter table "live_event" drop constraint "live_event_topic_check";`);
    this.addSql(`alter table "live_event" add constraint "live_event_topic_check" check ("topic" in ('registration', 'trade', 'thesis', 'post', 'notification', 'price', 'feed', 'profile'));`);
  }

}
