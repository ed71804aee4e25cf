import { Migration } from '@mikro-orm/migrations';

export class Migration20261201000000_block_time extends Migration {

  override name = 'Migration20261201000000_block_time';

  override up(): void | Promise<void> {
    this.addSql(`alter table "indexer_cursor" add "block_time" timestamptz null, add "changed_block" bigint null, add "changed_from" timestamptz null;`);
    this.addSql(`create or replace function "indexer_cursor_indexer_cursor_back_fn"() returns trigger as \$\$ begin if new.block_number < old.block_number then
        new.block_time := coalesce(
          (select block_time from transaction where block_number <= new.block_number order by block_number desc limit 1),
          to_timestamp(0)
        );         new.changed_block := least(old.changed_block, new.block_number);         new.changed_from := least(old.changed_from, new.block_time);       end if;       return new; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "indexer_cursor_back" BEFORE UPDATE on "indexer_cursor" for each ROW execute function "indexer_cursor_indexer_cursor_back_fn"();`);
    // The newest block is at least as late as the newest trade.
    this.addSql(`update "indexer_cursor" set "block_time" = (select max("block_time") from "transaction");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "indexer_cursor_back" on "indexer_cursor";`);
    this.addSql(`drop function "indexer_cursor_indexer_cursor_back_fn"();`);
    this.addSql(`alter table "indexer_cursor" drop column "block_time", drop column "changed_block", drop column "changed_from";`);
  }

}
