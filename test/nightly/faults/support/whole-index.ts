import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ethersChain } from '../../../../src/chain/chain.js';
import type { Deps } from '../../../../src/deps.js';
import { openDatabase } from '../../../../src/service/orm.js';
import { openSql } from '../../../../src/store/sql.js';
import { CHAIN_ID, type TestChain } from '../../../support/chain/chain.js';
import { storedFacts } from '../../../support/chain/facts.js';
import { oracle, type Row, type Tables } from '../../../support/market/oracle.js';
import { print } from '../../../support/print.js';
import type { PostgresServer } from '../../../support/servers/postgres.js';
import { run } from '../../../support/service/process.js';
import { testTimes } from '../../../support/times.js';

/** Maximum time in which the index reads the last blocks after the last write. */
const CATCHES_UP_MS = 10_000;

/** Checks that every table of the index equals what the oracle computes from the logs of the chain. Returns the figures as text. */
export async function expectWholeIndex(chain: TestChain, postgres: PostgresServer, catchesUpMs = CATCHES_UP_MS): Promise<string> {
  return withIndex(postgres, async (deps) => {
    const { facts } = await ethersChain(chain.provider, { chainId: CHAIN_ID, ...chain }).range(
      1,
      await chain.provider.getBlockNumber(),
    );
    const expected = oracle(facts);
    const since = performance.now();
    let difference = compare(await storedFacts(deps), expected);
    while (difference.wrong.length > 0 && performance.now() - since < catchesUpMs) {
      await sleep(200);
      difference = compare(await storedFacts(deps), expected);
    }
    const { rows, lost, doubled, wrong } = difference;
    expect(wrong.slice(0, 3), `${lost} rows lost, ${doubled} duplicated`).to.deep.equal([]);
    expect(facts.length).to.be.greaterThan(0);
    return `${facts.length} facts, ${rows} rows of the index: ${lost} lost, ${doubled} duplicated, 0 wei off`;
  });
}

/** Checks that a rebuild of the index from the chain gives the same rows. `env` is the environment of the service. */
export async function expectSameRebuild(postgres: PostgresServer, env: Record<string, string>): Promise<void> {
  const stored = () => withIndex(postgres, async (deps) => JSON.stringify(await storedFacts(deps)));
  const before = await stored();
  const rebuild = run({ env, program: ['cli/reindex.js'] });
  expect(await rebuild.exited, rebuild.stderr).to.include({ code: 0 });
  expect(rebuild.stdout).to.include('No corrections.');
  expect((await stored()) === before, 'same rows').to.equal(true);
  print('the rebuild from the chain gives the same rows');
}

async function withIndex<T>({ url }: PostgresServer, read: (deps: Deps) => Promise<T>): Promise<T> {
  const orm = await openDatabase({ url }, { times: testTimes });
  try {
    return await read({ sql: await openSql(orm) } as Deps);
  } finally {
    await orm.close(true);
  }
}

/** Counts the rows that only one side has. A row with a wrong value counts as lost and as duplicated. */
function compare(stored: Tables, expected: Tables) {
  let rows = 0;
  const wrong: string[] = [];
  let [lost, doubled] = [0, 0];
  for (const table of new Set([...Object.keys(stored), ...Object.keys(expected)])) {
    const [have, want] = [counted(stored[table]), counted(expected[table])];
    for (const row of new Set([...have.keys(), ...want.keys()])) {
      const surplus = (have.get(row) ?? 0) - (want.get(row) ?? 0);
      rows += want.get(row) ?? 0;
      if (surplus === 0) continue;
      if (surplus < 0) lost -= surplus;
      else doubled += surplus;
      wrong.push(`${table}: ${surplus < 0 ? 'lacks' : 'has'} ${row}`);
    }
  }
  return { rows, lost, doubled, wrong };
}

/** How often each row occurs, by its JSON with sorted columns. */
function counted(rows: readonly Row[] = []): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = JSON.stringify(row, Object.keys(row).sort());
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}
