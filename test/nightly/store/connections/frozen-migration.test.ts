import { expect } from 'chai';
import { TIMES } from '../../../../src/config/timeouts.js';
import { openDatabase } from '../../../../src/service/orm.js';
import { type DatabaseTarget, migrate } from '../../../../src/store/database.js';
import { FaultyLine } from '../../../support/chain/faulty-line.js';
import { createDatabase, serverUrl } from '../../../support/database.js';

async function start(target: DatabaseTarget): Promise<unknown> {
  const fresh = await openDatabase(target, { times: TIMES });
  try {
    await migrate(fresh, target);
    return await fresh.migrator.getPending();
  } finally {
    await fresh.close(true);
  }
}

if (serverUrl !== undefined) {
  const server = serverUrl;
  describe('the lock of migrations', () => {
    for (const [what, statement] of [
      ['creates the table of migrations', /create table "mikro/],
      ['creates the tables', /create table "agent"/],
    ] as const) {
      it(`is released within 20 s when the network freezes while a replica ${what}`, async () => {
        const url = await createDatabase(server);
        const faulty = await FaultyLine.to(url);
        try {
          const frozen = faulty.at(statement, 'freeze');
          const first = start({ url: faulty.url }).catch((error: unknown) => error);
          await frozen;
          // New connections hang, too, so nothing that the first replica sends can arrive.
          faulty.freeze();
          const begun = performance.now();
          expect(await start({ url })).to.deep.equal([]);
          // It takes a second at least, because it has to wait for the lock of the first replica.
          expect(performance.now() - begun).to.be.within(1000, 20_000);
          faulty.reset();
          expect(await first).to.be.instanceOf(Error);
        } finally {
          await faulty.close();
        }
      });
    }
  });
}
