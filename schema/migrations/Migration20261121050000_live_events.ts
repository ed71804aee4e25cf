import { Migration } from '@mikro-orm/migrations';

export class Migration20261121050000_live_events extends Migration {

  override name = 'Migration20261121050000_live_events';

  override up(): void | Promise<void> {
    this.addSql(`create table "live_cursor" ("id" int not null, "last" bigint not null, primary key ("id"));`);
    this.addSql(`alter table "live_cursor" add constraint "live_cursor_id_check" check (id = 1);`);
    this.addSql(`alter table "live_cursor" add constraint "live_cursor_last_check" check (last >= 0);`);

    this.addSql(`create table "live_event" ("sequence" bigint not null, "topic" text not null, "removed" boolean not null, "subject" varchar(22) null, "agent" varchar(42) not null, "supply" bigint null, "created_at" timestamptz not null, primary key ("sequence"));`);
    this.addSql(`create index "live_event_agent_sequence_index" on "live_event" ("agent", "sequence");`);
    this.addSql(`create index "live_event_subject_sequence_index" on "live_event" ("subject", "sequence");`);
    this.addSql(`alter table "live_event" add constraint "live_event_sequence_check" check (sequence > 0);`);
    this.addSql(`alter table "live_event" add constraint "live_event_topic_check" check ("topic" in ('registration', 'trade', 'post', 'notification', 'price', 'feed', 'profile'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "live_event" cascade;`);
    this.addSql(`drop table if exists "live_cursor" cascade;`);
  }
}
