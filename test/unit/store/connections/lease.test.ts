import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import pg, { type PoolClient } from 'pg';
import { outageOf } from '../../../../src/observe/database-errors.js';
import { Lease } from '../../../../src/store/connections/lease.js';
import { thrownBy } from '../../../support/refused.js';
import { manualTimes } from '../../../support/times.js';

/** An error of the database server. Its severity is a word in the language of the server. Its code is the same everywhere. */
const refusal = (code: string | undefined, severity: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('nicht möglich', 0, 'error'), { code, severity });

/** A lease of a connection. The server answers every statement with this error, or with no rows. */
function leaseThatGets(error?: Error) {
  const counted: string[] = [];
  const seen = { isClosed: false };
  const query = async () => {
    if (error) throw error;
    return { rows: [] };
  };
  const release = (isBroken: boolean) => void Object.assign(seen, { isClosed: isBroken });
  const client = Object.assign(new EventEmitter(), { query, release });
  const lease = new Lease(client as unknown as PoolClient, {
    times: manualTimes(),
    timeouts: new WeakMap(),
    count: ({ command, result }) => void counted.push(`${command} ${result}`),
    onOverdue: () => {},
  });
  return { lease, client, seen, counted };
}

async function queried(error: Error, text: string) {
  const { lease, seen } = leaseThatGets(error);
  const thrown = await thrownBy(lease.query(text));
  return { thrown, outage: outageOf(thrown)?.code, lost: seen.isClosed };
}

describe('a statement that the server answers with an error', () => {
  for (const severity of ['ERROR', 'FEHLER', 'ОШИБКА']) {
    it(`keeps its connection, and fails with DATABASE_BUSY if the server cancelled it (${severity})`, async () => {
      // Errors after which the session goes on. 57014 is the code of a cancelled statement.
      for (const code of ['23505', '42P01', '22P02', '25P02', 'P0001', '57014']) {
        const error = refusal(code, severity);
        const outage = code === '57014' ? 'DATABASE_BUSY' : undefined;
        expect(await queried(error, 'commit'), code).to.deep.equal({ thrown: error, outage, lost: false });
      }
    });
  }

  it('loses its connection when the server ends the session, also without an SQLSTATE', async () => {
    // Codes with which the server ends a session: failed connections and logins, shutdowns and timeouts.
    const codes = '08006 28000 53300 57P01 57P02 57P03 57P04 57P05 25P03 25P04'.split(' ');
    for (const code of [...codes, undefined]) {
      for (const [text, outage] of [
        ['insert into agent values (1)', 'DATABASE_UNAVAILABLE'],
        ['commit', 'OUTCOME_UNKNOWN'],
      ] as const) {
        const thrown = await queried(refusal(code, 'FATAL'), text);
        expect([thrown.outage, thrown.lost], code).to.deep.equal([outage, true]);
      }
    }
  });
});

describe('a lease', () => {
  it('sends nothing after its connection was lost, so a commit has no effect', async () => {
    const { lease, client, seen, counted } = leaseThatGets();
    client.emit('end');
    const thrown = await thrownBy(lease.query('commit'));
    expect([outageOf(thrown)?.code, seen.isClosed, counted]).to.deep.equal(['DATABASE_UNAVAILABLE', true, ['COMMIT failed']]);
  });

  it('closes a connection that refuses to begin or to roll back, because Kysely does not return it', async () => {
    for (const text of ['begin', 'start transaction isolation level serializable', 'rollback']) {
      const { outage, lost } = await queried(refusal('57014', 'ERROR'), text);
      expect([outage, lost], text).to.deep.equal(['DATABASE_BUSY', true]);
    }
  });
});

describe('a statement', () => {
  it('fails as a fault of its caller if pg cannot serialise a value, and loses its connection', async () => {
    const error = new TypeError('Converting circular structure to JSON');
    expect(await queried(error, 'select $1')).to.deep.equal({ thrown: error, outage: undefined, lost: true });
  });

  it('is counted by its first word and its result', async () => {
    const [whole, broken] = [leaseThatGets(), leaseThatGets(refusal('23505', 'ERROR'))];
    await whole.lease.query(' select 1');
    await whole.lease.query({ text: 'with a as (select 1) select * from a' });
    await broken.lease.query('insert into agent values (1)').catch(() => {});
    expect([...whole.counted, ...broken.counted]).to.deep.equal(['SELECT done', 'WITH done', 'INSERT failed']);
  });
});
