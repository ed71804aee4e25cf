import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050000_moderation extends Migration {

  override name = 'Migration20261122050000_moderation';

  override up(): void | Promise<void> {
    this.addSql(`create table "hidden_profile" ("wallet" varchar(42) not null, "part" text not null, "avatar_url" varchar(500) null, "description" varchar(160) null, "bio" varchar(200) null, "created_at" timestamptz not null, primary key ("wallet", "part"));`);
    this.addSql(`alter table "hidden_profile" add constraint "hidden_profile_part_check" check ("part" in ('avatar', 'texts'));`);
    this.addSql(`create table "moderation" ("id" bigserial primary key, "action" text not null, "target" text not null, "subject" varchar(42) not null, "agent" varchar(42) not null, "avatar_url" varchar(500) null, "operator" varchar(64) not null, "reason" varchar(200) not null, "created_at" timestamptz not null);`);
    this.addSql(`alter table "moderation" add constraint "moderation_action_check" check ("action" in ('hide', 'restore', 'rename-avatar'));`);
    this.addSql(`alter table "moderation" add constraint "moderation_target_check" check ("target" in ('post', 'avatar', 'texts'));`);
    this.addSql(`create index "moderation_agent_id_index" on "moderation" ("agent", "id");`);
    this.addSql(`create or replace function "moderation_moderation_permanent_fn"() returns trigger as \$\$ begin raise exception 'the record of moderation is permanent' using errcode = 'check_violation'; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "moderation_permanent" BEFORE UPDATE OR DELETE on "moderation" for each ROW execute function "moderation_moderation_permanent_fn"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "moderation" cascade;`);
    this.addSql(`drop function if exists "moderation_moderation_permanent_fn"();`);
    this.addSql(`drop table if exists "hidden_profile" cascade;`);
  }
}
