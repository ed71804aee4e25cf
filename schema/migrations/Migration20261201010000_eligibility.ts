import { Migration } from '@mikro-orm/migrations';

export class Migration20261201010000_eligibility extends Migration {

  override name = 'Migration20261201010000_eligibility';

  override up(): void | Promise<void> {
    this.addSql(`alter table "thesis" drop constraint "thesis_author_foreign", add "confidence" int null, add "eligibility" text null, add "traded_at" timestamptz null;`);
    this.addSql(`alter table "thesis" add constraint "thesis_decided" check ((eligibility is null) = (traded_at is null));`);
    this.addSql(`alter table "thesis" add constraint "thesis_confidence_check" check (confidence >= 1 and confidence <= 99);`);
    this.addSql(`alter table "thesis" add constraint "thesis_eligibility_check" check ("eligibility" in ('counts', 'late', 'ownMarket', 'tooSmall', 'joined', 'dailyLimit'));`);
    this.addSql(`create index "thesis_traded_at_index" on "thesis" ("traded_at");`);
    this.addSql(`create index "thesis_undecided" on "thesis" ("tx_hash", "ordinal") where eligibility is null and text is not null;`);
    this.addSql(`create or replace function "agent_agent_forgotten_fn"() returns trigger as \$\$ begin update thesis set text = '' where author = old.wallet and text is not null;       return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "agent_forgotten" AFTER DELETE on "agent" for each ROW execute function "agent_agent_forgotten_fn"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "agent_forgotten" on "agent";`);
    this.addSql(`drop function "agent_agent_forgotten_fn"();`);
    // The version before has no records of agents that are gone.
    this.addSql(`delete from "thesis" where not exists (select from "agent" where "wallet" = "author");`);
    this.addSql(`alter table "thesis" drop column "confidence", drop column "eligibility", drop column "traded_at";`);
    this.addSql(`alter table "thesis" add constraint "thesis_author_foreign" foreign key ("author") references "agent" ("wallet") on delete cascade;`);
  }

}
