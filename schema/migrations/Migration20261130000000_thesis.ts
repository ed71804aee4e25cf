import { Migration } from '@mikro-orm/migrations';

export class Migration20261130000000_thesis extends Migration {

  override name = 'Migration20261130000000_thesis';

  override up(): void | Promise<void> {
    this.addSql(`alter table "trade_claim" rename to "thesis";`);
    this.addSql(`alter table "thesis" rename column "claimant" to "author";`);
    this.addSql(`alter table "thesis" rename column "thesis" to "text";`);
    this.addSql(`alter table "thesis" rename constraint "trade_claim_pkey" to "thesis_pkey";`);
    this.addSql(`alter table "thesis" rename constraint "trade_claim_claimant_foreign" to "thesis_author_foreign";`);
    this.addSql(`alter index "trade_claim_claimant_index" rename to "thesis_author_index";`);
    // Replicas of the version before read and write it until they are replaced. The release after this one can drop it.
    this.addSql(`create view "trade_claim" as
      select "tx_hash", "ordinal", "author" as "claimant", "text" as "thesis", "hidden", "created_at" from "thesis";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop view "trade_claim";`);
    this.addSql(`alter index "thesis_author_index" rename to "trade_claim_claimant_index";`);
    this.addSql(`alter table "thesis" rename constraint "thesis_author_foreign" to "trade_claim_claimant_foreign";`);
    this.addSql(`alter table "thesis" rename constraint "thesis_pkey" to "trade_claim_pkey";`);
    this.addSql(`alter table "thesis" rename column "text" to "thesis";`);
    this.addSql(`alter table "thesis" rename column "author" to "claimant";`);
    this.addSql(`alter table "thesis" rename to "trade_claim";`);
  }

}
