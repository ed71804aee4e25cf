import { expect } from 'chai';
import { WalletLedger } from '../../../src/index/entities.js';
import { entities } from '../../../src/service/orm.js';
import { DAY, day, useRows, wallet } from '../../support/market/good-rows.js';
import { outcomeOf } from '../../support/refused.js';

describe('the database records', () => {
  const { add, sql, em } = useRows();
  /** Tables with facts from the chain. */
  const facts = 'market transaction ticket_holding ticket_lot fee_withdrawal fee_destination wallet_ledger candle'.split(' ');
  const count = async (table: string): Promise<number> => Number((await sql(`select count(*) as n from ${table}`))[0]?.n);

  describe('of a frozen season', () => {
    beforeEach(async () => {
      await add('agent_season_points', { agent: wallet(1), total_points: 7 });
      await add('agent_season_points', { agent: wallet(1), season: 2 });
      await sql('update season set frozen_at = ? where number = 1', [day(20)]);
    });

    const frozen: Record<string, () => Promise<unknown>> = {
      'a new row': () => add('agent_season_points', { agent: wallet(2) }),
      'other points': () => sql('update agent_season_points set total_points = 8 where season = 1'),
      'another rank': () => sql('update agent_season_points set rank = 2 where season = 1'),
      'a row moved out of it': () => sql('update agent_season_points set season = 2, agent = ? where season = 1', [wallet(2)]),
      'a row moved into it': () => sql('update agent_season_points set season = 1, agent = ? where season = 2', [wallet(2)]),
      'other dates': () => sql('update season set end_at = ? where number = 1', [day(19)]),
      'to clear frozen_at': () => sql('update season set frozen_at = null where number = 1'),
      deletion: () => sql('delete from season where number = 1'),
    };
    for (const [what, write] of Object.entries(frozen)) {
      it(`refuse ${what}`, async () => {
        const before = await sql('select * from agent_season_points order by season, agent');
        expect(await outcomeOf(write())).to.match(/season [12] is frozen/);
        expect(await sql('select * from agent_season_points order by season, agent')).to.deep.equal(before);
      });
    }

    it('are deleted with their agent, but the season stays', async () => {
      await sql('update agent_season_points set total_points = 9 where season = 2');
      await sql('delete from agent where wallet = ?', [wallet(1)]);
      expect(await count('agent_season_points')).to.equal(0);
      expect(await count('season')).to.equal(2);
    });
  });

  it('cannot be changed or deleted if they record moderation', async () => {
    await add('moderation');
    const before = await sql('select * from moderation');
    for (const write of ["update moderation set reason = 'other'", 'delete from moderation']) {
      expect(await outcomeOf(sql(write))).to.match(/the record of moderation is permanent/);
    }
    expect(await sql('select * from moderation')).to.deep.equal(before);
  });

  it('are deleted with their agent, except facts from the chain and what is kept about its wallet', async () => {
    const own = ['agent_follow', 'notification', 'thesis', 'reaction', 'agent_season_points'];
    for (const table of own) await add(table);
    await add('agent', { n: 3, referred_by: wallet(1), referred_at: DAY });
    const others = [
      'issued_code',
      'key_replacement',
      'signed_wallet',
      'used_post',
      'hidden_profile',
      'moderation',
      'reason',
      'call_outcome',
      'thesis_record',
    ];
    for (const table of [...facts, ...others]) await add(table, { n: 1 });
    await sql('delete from agent where wallet = ?', [wallet(1)]);
    for (const table of [...own, 'agent_activity']) expect(await count(table), table).to.equal(0);
    for (const table of [...facts, ...others]) expect(await count(table), table).to.equal(1);
    const left = await sql('select wallet, referred_by from agent order by wallet');
    expect(left).to.deep.equal([
      { wallet: wallet(2), referred_by: null },
      { wallet: wallet(3), referred_by: null },
    ]);
  });

  it('are not written again when loaded and flushed without a change', async () => {
    // Values that would change if they were read or written inexactly: a time before 1970, JSON, a fraction, 256-bit integers.
    await add('agent', {
      n: 4,
      claimed_at: '1969-12-31T23:59:59.999Z',
      claim_post_id: '1',
      referred_by: wallet(1),
      referred_at: DAY,
    });
    await add('notification', { data: JSON.stringify({ b: 1, a: 'x', n: null }) });
    await add('agent_season_points', { total_points: 0.1 });
    const max = (2n ** 256n - 1n).toString();
    await add('transaction', { price: max, cost_basis: max, realized_pnl: `-${max}`, type: 'SELL' });
    const manager = em();
    for (const entity of entities) {
      const { tableName } = manager.getMetadata(entity as never);
      if ((await count(tableName)) === 0) await add(tableName);
      const loaded = await manager.find(entity as never, {});
      expect(loaded.length, String(entity.name)).to.be.above(0);
    }
    manager.getUnitOfWork().computeChangeSets();
    const changes = manager.getUnitOfWork().getChangeSets();
    expect(changes.map(({ meta, payload }) => `${meta.className}: ${Object.keys(payload)}`)).to.deep.equal([]);
  });

  it('are written when a large amount changes by one wei', async () => {
    const max = 2n ** 256n - 1n;
    await add('wallet_ledger', { n: 1, bought: String(max - 1n), realized: String(-max) });
    const manager = em();
    const ledger = await manager.findOneOrFail(WalletLedger, wallet(1));
    expect([ledger.bought, ledger.realized]).to.deep.equal([max - 1n, -max]);
    ledger.bought += 1n;
    await manager.flush();
    expect(await sql('select bought::text as bought from wallet_ledger')).to.deep.equal([{ bought: String(max) }]);
    const again = await em().findOneOrFail(WalletLedger, wallet(1));
    expect(again.bought).to.equal(max);
  });

  it('refuse a wallet with upper-case letters before the query is sent', async () => {
    const upper = `0x${'A'.repeat(40)}`;
    const row = { wallet: upper, tradeCount: 0, sellCount: 0, bought: 0n, realized: 0n };
    expect(await outcomeOf(em().insert(WalletLedger, row))).to.equal('not a lowercase wallet address');
  });
});
