// CI: it fills the tables anew for each of 100 refused rows.
import { expect } from 'chai';
import { DAY, day, hash, type Row, rows, useRows, wallet } from './good-rows.js';

describe('the database constraints', () => {
  const { add, sql } = useRows();
  /** The name of the violated constraint, or the error message of the database. */
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'accepted',
      (error: Error & { constraint?: string }) => error.constraint ?? error.message,
    );

  it('accept valid rows of every table', async () => {
    for (const table of Object.keys(rows)) await add(table);
  });

  /** The second insert of such a row violates the named unique constraint. */
  const twice: [table: string, same: Row, constraint: string][] = [
    ['agent', { wallet: wallet(9) }, 'agent_pkey'],
    ['agent', { agent_id: 'same' }, 'agent_agent_id_unique'],
    ['agent', { api_key_hash: Buffer.from('same') }, 'agent_api_key_hash_unique'],
    ['agent', { verification_code: 'T-SAME' }, 'agent_verification_code_unique'],
    ['agent', { claim_post_id: '1', claimed_at: DAY }, 'agent_claim_post_id_unique'],
    ['transaction', { tx_hash: hash(9) }, 'transaction_pkey'],
    ['transaction', { block_number: 9 }, 'transaction_block_number_log_index_unique'],
    ['transaction', { event_id: 'same' }, 'transaction_event_id_unique'],
    ['trade_claim', { tx_hash: hash(9) }, 'trade_claim_pkey'],
    ['market', { agent_id: 'same' }, 'market_agent_id_unique'],
    ['market', { event_id: 'same' }, 'market_event_id_unique'],
    ['fee_withdrawal', { tx_hash: hash(9) }, 'fee_withdrawal_pkey'],
    ['ticket_holding', { holder: wallet(9) }, 'ticket_holding_pkey'],
    ['agent_follow', {}, 'agent_follow_standing'],
    ['reaction', {}, 'reaction_standing'],
    ['agent_season_points', {}, 'agent_season_points_pkey'],
    ['indexer_cursor', {}, 'indexer_cursor_single'],
    ['live_cursor', {}, 'live_cursor_pkey'],
    ['live_event', { sequence: 9 }, 'live_event_pkey'],
    ['issued_code', { code: 'T-SAME' }, 'issued_code_pkey'],
    ['hidden_profile', { wallet: wallet(9) }, 'hidden_profile_pkey'],
  ];
  for (const [table, same, constraint] of twice) {
    it(`refuse a second ${table} with the same ${Object.keys(same)[0] ?? 'parties'}: ${constraint}`, async () => {
      await add(table, same);
      expect(await refusal(add(table, same))).to.equal(constraint);
    });
  }

  const wrong: [table: string, values: Row, constraint: string][] = [
    ['agent', { wallet: `0x${'A'.repeat(40)}` }, 'agent_wallet_form'],
    ['agent', { n: 3, referred_by: wallet(3), referred_at: DAY }, 'agent_not_own_referrer'],
    ['agent', { referred_by: wallet(1) }, 'agent_referral_whole'],
    ['agent', { referred_by: wallet(99), referred_at: DAY }, 'agent_referred_by_foreign'],
    ['agent', { claimed_at: DAY }, 'agent_claim_whole'],
    ['agent', { claim_final: true }, 'agent_claim_final_claimed'],
    ['agent', { follower_count: -1 }, 'agent_follower_count_check'],
    ['agent', { following_count: -1 }, 'agent_following_count_check'],
    ['agent_activity', { like_count: -1 }, 'agent_activity_like_count_check'],
    ['agent_activity', { hidden: 'other' }, 'agent_activity_hidden_check'],
    ['hidden_profile', { part: 'name' }, 'hidden_profile_part_check'],
    ['moderation', { action: 'delete' }, 'moderation_action_check'],
    ['moderation', { target: 'name' }, 'moderation_target_check'],
    ['agent_activity', { repost_count: -1 }, 'agent_activity_repost_count_check'],
    ['agent_follow', { followed: wallet(1) }, 'agent_follow_not_self'],
    ['agent_follow', { removed_at: day(-1) }, 'agent_follow_order'],
    ['reaction', { kind: 'smile' }, 'reaction_kind_check'],
    ['reaction', { removed_at: day(-1) }, 'reaction_order'],
    ['notification', { type: 'NEWS' }, 'notification_type_check'],
    ['season', { n: 3, number: 0 }, 'season_number_check'],
    ['season', { n: 3, end_at: day(29) }, 'season_order'],
    ['season', { n: 3, start_at: day(19) }, 'season_one_active'],
    ['agent_season_points', { rank: 0 }, 'agent_season_points_rank_check'],
    ['agent_season_points', { season_age: -1 }, 'agent_season_points_season_age_check'],
    ['agent_season_points', { season: 7 }, 'agent_season_points_season_foreign'],
    ['market', { supply: 0 }, 'market_supply_check'],
    ['market', { holder_count: -1 }, 'market_holder_count_check'],
    ['market', { fees_earned: -1 }, 'market_fees_earned_check'],
    ['market', { trade_count: -1 }, 'market_trade_count_check'],
    ['market', { volume: -1 }, 'market_volume_check'],
    ['market', { wallet: 'x' }, 'market_wallet_form'],
    ['transaction', { type: 'GIFT' }, 'transaction_type_check'],
    ['transaction', { amount: 0 }, 'transaction_amount_check'],
    ['transaction', { amount: 21 }, 'transaction_amount_check'],
    ['transaction', { price: -1 }, 'transaction_price_check'],
    ['transaction', { protocol_fee: -1 }, 'transaction_protocol_fee_check'],
    ['transaction', { agent_fee: -1 }, 'transaction_agent_fee_check'],
    ['transaction', { supply_after: 0 }, 'transaction_supply_after_check'],
    ['transaction', { cost_basis: -1 }, 'transaction_cost_basis_check'],
    ['ticket_holding', { amount: 0 }, 'ticket_holding_amount_check'],
    ['ticket_holding', { cost: -1 }, 'ticket_holding_cost_check'],
    ['ticket_lot', { remaining: 0 }, 'ticket_lot_remaining_check'],
    ['ticket_lot', { cost: -1 }, 'ticket_lot_cost_check'],
    ['fee_withdrawal', { amount: -1 }, 'fee_withdrawal_amount_check'],
    ['wallet_ledger', { trade_count: -1 }, 'wallet_ledger_trade_count_check'],
    ['wallet_ledger', { sell_count: -1 }, 'wallet_ledger_sell_count_check'],
    ['wallet_ledger', { bought: -1 }, 'wallet_ledger_bought_check'],
    ['candle', { low: 3 }, 'candle_range'],
    ['candle', { low: -1 }, 'candle_low_check'],
    ['candle', { volume: -1 }, 'candle_volume_check'],
    ['candle', { trades: 0 }, 'candle_trades_check'],
    ['live_cursor', { id: 2 }, 'live_cursor_id_check'],
    ['live_cursor', { last: -1 }, 'live_cursor_last_check'],
    ['live_event', { sequence: 0 }, 'live_event_sequence_check'],
    ['live_event', { topic: 'rumour' }, 'live_event_topic_check'],
    ['indexer_cursor', { block_number: -2 }, 'indexer_cursor_block_number_check'],
    ['idempotent_write', { answer: Buffer.alloc(32_769) }, 'idempotent_write_answer_check'],
  ];
  for (const [table, values, constraint] of wrong) {
    it(`refuse a ${table} with ${JSON.stringify(values).slice(0, 60)}: ${constraint}`, async () => {
      expect(await refusal(add(table, values))).to.equal(constraint);
    });
  }

  it('are all covered by these tests', async () => {
    const found = await sql(
      "select conname as name from pg_constraint where contype in ('c', 'x') and conrelid <> 0 and connamespace = 'public'::regnamespace",
    );
    const tested = new Set(wrong.map(([, , constraint]) => constraint));
    // A candle that violates one of these three checks also violates its range or the check of `low`, so no row tests
    // them alone.
    const implied = ['candle_open_check', 'candle_high_check', 'candle_close_check'];
    const names = found.map(({ name }) => String(name)).filter((name) => /^[a-z_]+$/.test(name));
    expect(names.filter((name) => !tested.has(name) && !implied.includes(name))).to.deep.equal([]);
  });
});
