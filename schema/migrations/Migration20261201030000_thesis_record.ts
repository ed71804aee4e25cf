import { Migration } from '@mikro-orm/migrations';

export class Migration20261201030000_thesis_record extends Migration {

  override name = 'Migration20261201030000_thesis_record';

  override up(): void | Promise<void> {
    this.addSql(`create table "thesis_record" ("author" varchar(42) not null, "is_stale" boolean not null, "is_ranked" boolean not null default true, "figures" jsonb not null, "lower_bound" int null, "luck" double precision null, "rank" int null, "beyond_luck" boolean not null default false, primary key ("author"));`);
    this.addSql(`create index "thesis_record_rank" on "thesis_record" ("rank") where rank is not null;`);
    this.addSql(`create index "thesis_record_stale" on "thesis_record" ("author") where is_stale or not is_ranked;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "thesis_record";`);
  }

}
