import { Migration } from '@mikro-orm/migrations';

export class Migration20261121010000_season_scoring extends Migration {

  override name = 'Migration20261121010000_season_scoring';

  override up(): void | Promise<void> {
    this.addSql(`drop trigger if exists "agent_season_points_frozen" on "agent_season_points";`);
    this.addSql(`drop function if exists "agent_season_points_agent_season_points_frozen_fn"();`);
    this.addSql(`alter table "agent_season_points" add "season_age" int not null default 0;`);
    this.addSql(`alter table "agent_season_points" add constraint "agent_season_points_season_age_check" check (season_age >= 0);`);
    this.addSql(`create or replace function "agent_season_points_agent_season_points_frozen_fn"() returns trigger as \$\$ begin if tg_op = 'DELETE' then
        if exists (select from season where number = old.season and frozen_at is not null)
          and exists (select from agent where wallet = old.agent) then
          raise exception 'season % is frozen', old.season using errcode = 'check_violation';         end if;         return old;       end if;       if exists (select from season where number in (new.season, old.season) and frozen_at is not null) then
        raise exception 'season % is frozen', coalesce(old.season, new.season) using errcode = 'check_violation';       end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "agent_season_points_frozen" BEFORE INSERT OR UPDATE OR DELETE on "agent_season_points" for each ROW execute function "agent_season_points_agent_season_points_frozen_fn"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "agent_season_points" drop constraint "agent_season_points_season_age_check";`);
    this.addSql(`drop trigger if exists "agent_season_points_frozen" on "agent_season_points";`);
    this.addSql(`drop function if exists "agent_season_points_agent_season_points_frozen_fn"();`);
    this.addSql(`alter table "agent_season_points" drop column "season_age";`);
    this.addSql(`create or replace function "agent_season_points_agent_season_points_frozen_fn"() returns trigger as \$\$ begin if exists (select from season where number = new.season and frozen_at is not null) then
        raise exception 'season % is frozen', new.season using errcode = 'check_violation';       end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "agent_season_points_frozen" BEFORE INSERT OR UPDATE on "agent_season_points" for each ROW execute function "agent_season_points_agent_season_points_frozen_fn"();`);
  }

}

