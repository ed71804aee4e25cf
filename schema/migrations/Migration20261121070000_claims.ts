import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070000_claims extends Migration {

  override name = 'Migration20261121070000_claims';

  override up(): void | Promise<void> {
    this.addSql(`alter table "agent" add column "claim_final" boolean not null default false;`);
    this.addSql(`alter table "agent" add constraint "agent_claim_final_claimed" check (claimed_at is not null or not claim_final);`);
    this.addSql(`create table "signed_wallet" ("wallet" varchar(42) not null, primary key ("wallet"));`);
    this.addSql(`insert into "signed_wallet" ("wallet") select wallet from "agent" where signed;`);
    this.addSql(`alter table "issued_code" add column "wallet" varchar(42) null, add column "issued_at" timestamptz null, add column "free_from" timestamptz null;`);
    // It is unknown whether the deleted agents of the other codes were claimed, so these codes stay taken.
    this.addSql(`update "issued_code" set wallet = a.wallet, issued_at = a.created_at from "agent" a where a.verification_code = code;`);
    this.addSql(`create index "issued_code_wallet_index" on "issued_code" ("wallet");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "issued_code_wallet_index";`);
    this.addSql(`alter table "issued_code" drop column "wallet", drop column "issued_at", drop column "free_from";`);
    this.addSql(`drop table if exists "signed_wallet" cascade;`);
    this.addSql(`alter table "agent" drop constraint "agent_claim_final_claimed";`);
    this.addSql(`alter table "agent" drop column "claim_final";`);
  }
}
