import { randomInt } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { type Logger, pino } from 'pino';
import { issueCode } from '../../../src/core/agents/commands/codes.js';
import { codePattern } from '../../../src/core/agents/rules.js';
import { AppError } from '../../../src/errors.js';
import { emptyTables, testDatabase } from '../../support/database.js';

describe('issuing verification codes', () => {
  const lines: Record<string, unknown>[] = [];
  const log: Logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  let em: SqlEntityManager;
  const issue = (random: (below: number) => number = randomInt) =>
    em.fork().transactional((tx) => issueCode({ log }, tx, random));

  before(async function () {
    this.timeout(60_000);
    const { orm } = await testDatabase();
    await emptyTables(orm);
    em = orm.em as SqlEntityManager;
  });

  it('gives codes of the form, each once', async () => {
    const codes = await Promise.all(Array.from({ length: 50 }, () => issue()));
    for (const code of codes) expect(code).to.match(codePattern);
    expect(new Set(codes).size).to.equal(50);
  });

  it('draws again when a code was given before', async () => {
    const draws = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    const next = () => draws.shift() ?? 35;
    expect(await issue(next)).to.equal('CURVET-AAAA');
    expect(await issue(next)).to.equal('CURVET-AAAB');
  });

  it('takes a code back from a registration that fails', async () => {
    const failing = em.fork().transactional(async (tx) => {
      await issueCode({ log }, tx, () => 7);
      throw new Error('registration failed');
    });
    await failing.catch(() => undefined);
    expect(await issue(() => 7)).to.equal('CURVET-HHHH');
  });

  it('refuses and tells the operator when none is left', async () => {
    const refused = await issue(() => 0).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AppError).with.property('code', 'CODES_EXHAUSTED');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 50, msg: 'verification codes are running out: nobody can register' });
  });
});
