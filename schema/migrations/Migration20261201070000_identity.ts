import { Migration } from '@mikro-orm/migrations';

export class Migration20261201070000_identity extends Migration {

  override name = 'Migration20261201070000_identity';

  override up(): void | Promise<void> {
    this.addSql(`alter table "agent" add "identity" varchar(100) null;`);
    this.addSql(`alter table "agent" add constraint "agent_identity_form" check (identity ~ '^eip155:[1-9][0-9]{0,14}:0x[0-9a-f]{40}:(0|[1-9][0-9]{0,14})\$');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "agent" drop constraint "agent_identity_form";`);
    this.addSql(`alter table "agent" drop column "identity";`);
  }

}
