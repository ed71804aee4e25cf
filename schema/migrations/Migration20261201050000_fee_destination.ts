import { Migration } from '@mikro-orm/migrations';

export class Migration20261201050000_fee_destination extends Migration {

  override name = 'Migration20261201050000_fee_destination';

  override up(): void | Promise<void> {
    this.addSql(`create table "fee_destination" ("tx_hash" varchar(66) not null, "ordinal" int not null, "agent" varchar(42) not null, "destination" varchar(42) not null, "block_number" bigint not null, "log_index" int not null, primary key ("tx_hash", "ordinal"));`);
    this.addSql(`create index "fee_destination_destination_index" on "fee_destination" ("destination");`);
    this.addSql(`create index "fee_destination_agent_block_number_log_index_index" on "fee_destination" ("agent", "block_number", "log_index");`);
    this.addSql(`create index "fee_destination_block_number_index" on "fee_destination" ("block_number");`);
    this.addSql(`create or replace function "indexer_cursor_indexer_cursor_back_fn"() returns trigger as \$\$ begin if new.block_number < old.block_number then
        new.block_time := coalesce(
          (select block_time from transaction where block_number <= new.block_number order by block_number desc limit 1),
          to_timestamp(0)
        );         new.changed_block := least(old.changed_block, new.block_number);         new.changed_from := least(old.changed_from, new.block_time);         delete from fee_destination where block_number > new.block_number;       end if;       return new; end; \$\$ language plpgsql;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create or replace function "indexer_cursor_indexer_cursor_back_fn"() returns trigger as \$\$ begin if new.block_number < old.block_number then
        new.block_time := coalesce(
          (select block_time from transaction where block_number <= new.block_number order by block_number desc limit 1),
          to_timestamp(0)
        );         new.changed_block := least(old.changed_block, new.block_number);         new.changed_from := least(old.changed_from, new.block_time);       end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`drop table "fee_destination";`);
  }

}
