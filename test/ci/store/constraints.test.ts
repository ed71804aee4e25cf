import { expect } from 'chai';
import { DAY, day, hash, type Row, useRows, wallet } from '../../support/market/good-rows.js';
import { thrownBy } from '../../support/refused.js';

describe('the database constraints', () => {
  const { add, sql } = useRows();

  /** For each table: a second row with the same values violates the named unique constraint. */
  const twice: [table: string, same: Row, constraint: string][] = [
    ['agent', { wallet: wallet(9) }, 'agent_pkey'],
    ['agent', { agent_id: 'same' }, 'agent_agent_id_unique'],
    ['agent', { api_key_hash: Buffer.from('same') }, 'agent_api_key_hash_unique'],
    ['agent', { verification_code: 'T-SAME' }, 'agent_verification_code_unique'],
    ['agent', { claim_post_id: '1', claimed_at: DAY }, 'agent_claim_post_id_unique'],
    ['transaction', { tx_hash: hash(9) }, 'transaction_pkey'],
    ['transaction', { block_number: 9 }, 'transaction_block_number_log_index_unique'],
    ['transaction', { event_id: 'same' }, 'transaction_event_id_unique'],
    ['thesis', { tx_hash: hash(9) }, 'thesis_pkey'],
    ['market', { agent_id: 'same' }, 'market_agent_id_unique'],
    ['market', { event_id: 'same' }, 'market_event_id_unique'],
    ['fee_withdrawal', { tx_hash: hash(9) }, 'fee_withdrawal_pkey'],
    ['fee_destination', { tx_hash: hash(9) }, 'fee_destination_pkey'],
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
      expect(await thrownBy(add(table, same))).to.include({ constraint });
    });
  }

  /** The smallest values that the checks of these columns accept. */
  const smallest: [table: string, value: number, columns: string][] = [
    ['agent', 0, 'follower_count following_count'],
    ['agent_activity', 0, 'like_count repost_count'],
    ['season', 1, 'number'],
    ['agent_season_points', 1, 'rank'],
    ['agent_season_points', 0, 'season_age'],
    ['unlinked_standing', 1, 'rank'],
    ['unlinked_standing', 0, 'linked_wallets volume round_trips'],
    ['linked_wallet', 1, 'links'],
    ['market', 1, 'supply'],
    ['market', 0, 'holder_count fees_earned trade_count volume'],
    ['transaction', 1, 'amount supply_after'],
    ['transaction', 0, 'price protocol_fee agent_fee cost_basis'],
    ['ticket_holding', 1, 'amount'],
    ['ticket_holding', 0, 'cost'],
    ['ticket_lot', 1, 'remaining'],
    ['ticket_lot', 0, 'cost'],
    ['fee_withdrawal', 0, 'amount'],
    ['wallet_ledger', 0, 'trade_count sell_count bought'],
    ['candle', 0, 'low volume'],
    ['candle', 1, 'trades'],
    ['live_cursor', 0, 'last'],
    ['live_event', 1, 'sequence'],
    ['indexer_cursor', -1, 'block_number'],
  ];
  /** Rows that violate the named constraint. Without these values, each would be valid. */
  const wrong: [table: string, values: Row, constraint: string][] = [
    ['agent', { wallet: `0x${'A'.repeat(40)}` }, 'agent_wallet_form'],
    ['agent', { n: 3, referred_by: wallet(3), referred_at: DAY }, 'agent_not_own_referrer'],
    ['agent', { identity: 'eip155:8453:0x00:1' }, 'agent_identity_form'],
    ['agent', { referred_by: wallet(1) }, 'agent_referral_whole'],
    ['agent', { referred_by: wallet(99), referred_at: DAY }, 'agent_referred_by_foreign'],
    ['agent', { claimed_at: DAY }, 'agent_claim_whole'],
    ['agent', { claim_final: true }, 'agent_claim_final_claimed'],
    ['agent_activity', { hidden: 'other' }, 'agent_activity_hidden_check'],
    ['hidden_profile', { part: 'name' }, 'hidden_profile_part_check'],
    ['moderation', { action: 'delete' }, 'moderation_action_check'],
    ['moderation', { target: 'name' }, 'moderation_target_check'],
    ['agent_follow', { followed: wallet(1) }, 'agent_follow_not_self'],
    ['agent_follow', { removed_at: day(-1) }, 'agent_follow_order'],
    ['reaction', { kind: 'smile' }, 'reaction_kind_check'],
    ['reaction', { removed_at: day(-1) }, 'reaction_order'],
    ['notification', { type: 'NEWS' }, 'notification_type_check'],
    ['season', { n: 3, end_at: day(29) }, 'season_order'],
    ['season', { n: 3, start_at: day(19) }, 'season_one_active'],
    ['agent_season_points', { season: 7 }, 'agent_season_points_season_foreign'],
    ['link_sign', { kind: 'hunch' }, 'link_sign_kind_check'],
    ['market', { wallet: 'x' }, 'market_wallet_form'],
    ['transaction', { type: 'GIFT' }, 'transaction_type_check'],
    ['transaction', { amount: 21 }, 'transaction_amount_check'],
    ['candle', { low: 3 }, 'candle_range'],
    ['reason', { eligibility: 'counts' }, 'reason_decided'],
    ['reason', { eligibility: 'good', traded_at: DAY }, 'reason_eligibility_check'],
    ['thesis', { confidence: 100 }, 'thesis_confidence_check'],
    ['call_outcome', { weight: 0 }, 'call_outcome_weight_check'],
    ['call_outcome', { horizon: '2h' }, 'call_outcome_horizon_check'],
    ['call_outcome', { judged_block: 1 }, 'call_outcome_judged'],
    ['live_cursor', { id: 2 }, 'live_cursor_id_check'],
    ['live_event', { topic: 'rumour' }, 'live_event_topic_check'],
    ['idempotent_write', { answer: Buffer.alloc(32_769) }, 'idempotent_write_answer_check'],
    ...smallest.flatMap(([table, value, columns]) =>
      columns.split(' ').map((name): [string, Row, string] => [table, { [name]: value - 1 }, `${table}_${name}_check`]),
    ),
  ];
  for (const [table, values, constraint] of wrong) {
    it(`refuse a ${table} with ${JSON.stringify(values).slice(0, 60)}: ${constraint}`, async () => {
      expect(await thrownBy(add(table, values))).to.include({ constraint });
    });
  }

  it('are all covered by these tests as far as they check values', async () => {
    const found = await sql(
      "select conname as name from pg_constraint where contype in ('c', 'x') and conrelid <> 0 and connamespace = 'public'::regnamespace",
    );
    const tested = new Set(wrong.map(([, , constraint]) => constraint));
    // A candle that violates one of these three checks also violates its range or the
    // check of `low`. So no row can test them alone.
    const implied = ['candle_open_check', 'candle_high_check', 'candle_close_check'];
    const names = found.map(({ name }) => String(name)).filter((name) => /^[a-z_]+$/.test(name));
    expect(names.filter((name) => !tested.has(name) && !implied.includes(name))).to.deep.equal([]);
  });
});
