import { Migration } from '@mikro-orm/migrations';

export class Migration20261201010000_reason extends Migration {

  override name = 'Migration20261201010000_reason';

  override up(): void | Promise<void> {
    this.addSql(`alter table "thesis" add "confidence" int null;`);
    this.addSql(`alter table "thesis" add constraint "thesis_confidence_check" check (confidence >= 1 and confidence <= 99);`);
    this.addSql(`create table "reason" ("tx_hash" varchar(66) not null, "ordinal" int not null, "author" varchar(42) not null, "given_at" timestamptz not null, "confidence" int null, "eligibility" text null, "traded_at" timestamptz null, primary key ("tx_hash", "ordinal"));`);
    this.addSql(`create index "reason_author_index" on "reason" ("author");`);
    this.addSql(`create index "reason_traded_at_index" on "reason" ("traded_at");`);
    this.addSql(`create index "reason_undecided" on "reason" ("tx_hash", "ordinal") where eligibility is null;`);
    this.addSql(`alter table "reason" add constraint "reason_decided" check ((eligibility is null) = (traded_at is null));`);
    this.addSql(`alter table "reason" add constraint "reason_eligibility_check" check ("eligibility" in ('counts', 'late', 'ownMarket', 'tooSmall', 'joined', 'dailyLimit'));`);
    this.addSql(`create or replace function "thesis_thesis_reasoned_fn"() returns trigger as \$\$ begin if new.text is not null then
        insert into reason (tx_hash, ordinal, author, given_at, confidence)
          values (new.tx_hash, new.ordinal, new.author, new.created_at, new.confidence)
          on conflict (tx_hash, ordinal) do update
            set author = excluded.author, given_at = excluded.given_at, confidence = excluded.confidence,
              eligibility = null, traded_at = null
            where reason.author <> excluded.author;       end if;       return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "thesis_reasoned" AFTER INSERT OR UPDATE on "thesis" for each ROW execute function "thesis_thesis_reasoned_fn"();`);
    this.addSql(`insert into "reason" ("tx_hash", "ordinal", "author", "given_at") select "tx_hash", "ordinal", "author", "created_at" from "thesis" where "text" is not null;`);
    this.addSql(`analyze "reason";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "thesis_reasoned" on "thesis";`);
    this.addSql(`drop function "thesis_thesis_reasoned_fn"();`);
    this.addSql(`drop table "reason";`);
    this.addSql(`alter table "thesis" drop column "confidence";`);
  }

}
