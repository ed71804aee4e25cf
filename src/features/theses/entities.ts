import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../../store/types.js';
import { Agent } from '../agents/entities.js';
import { eligibilities, horizons } from './rules.js';

/**
 * Record of a trade that its trader submitted to the API, with an optional text. It has the key of the trade but no foreign key,
 * so that it survives a reorg or a rebuild of the index.
 */
export const Thesis = defineEntity({
  name: 'Thesis',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    author: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('author').index(),
    text: p.string().length(140).nullable(),
    /** True while the operator hides the texts of the author. `text` is then not shown. */
    hidden: p.boolean().default(false),
    createdAt: p.datetime(),
    /** Confidence of the author that the trade pays within a day, in percent. null if the author gave none. */
    confidence: p.integer().nullable().check('confidence >= 1 and confidence <= 99'),
  },
  triggers: [
    {
      // A trigger, so that replicas of the version before do it, too.
      name: 'thesis_reasoned',
      timing: 'after',
      events: ['insert', 'update'],
      forEach: 'row',
      body: `if new.text is not null then
        insert into reason (tx_hash, ordinal, author, given_at, confidence)
          values (new.tx_hash, new.ordinal, new.author, new.created_at, new.confidence)
          on conflict (tx_hash, ordinal) do update
            set author = excluded.author, given_at = excluded.given_at, confidence = excluded.confidence,
              eligibility = null, traded_at = null
            where reason.author <> excluded.author;
      end if;
      return null`,
    },
  ],
});

/**
 * The fact that a trader gave a reason for a trade, and when. It has no text and no foreign key: it stays when the author is deleted,
 * so that nobody can delete a bad call, and when the thesis is given again.
 */
export const Reason = defineEntity({
  name: 'Reason',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    author: p.type(AddressType).index(),
    givenAt: p.datetime(),
    confidence: p.integer().nullable(),
    /** Whether the thesis is a call, or why not. null until that is decided, and after a reorg. */
    eligibility: p.enum(eligibilities).nullable(),
    /** Time of the block of the trade. Set together with `eligibility`. */
    tradedAt: p.datetime().nullable().index(),
  },
  indexes: [{ name: 'reason_undecided', properties: ['txHash', 'ordinal'], where: 'eligibility is null' }],
  checks: [{ name: 'reason_decided', expression: '(eligibility is null) = (traded_at is null)' }],
});

/**
 * Result of a call at one horizon: a row for each horizon of each call, open until it is judged. It has no foreign key. When the
 * trade falls by a reorg, the next run of `judge` deletes the row.
 */
export const CallOutcome = defineEntity({
  name: 'CallOutcome',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    horizon: p.enum(horizons).primary(),
    author: p.type(AddressType),
    /** The agent whose tickets were traded. */
    agent: p.type(AddressType),
    /** Price of the trade, but at most 0.01 ETH, in units of 0.00002 ETH: how much the call counts. */
    weight: p.integer().check('weight > 0'),
    /** Confidence of the author that the trade pays within a day, in percent. */
    confidence: p.integer().nullable(),
    /** Time of the block of the trade. */
    calledAt: p.datetime(),
    /** End of the horizon. */
    until: p.datetime(),
    /** Newest indexed block when the call was judged. null while it is open. */
    judgedBlock: p.bigint('number').nullable(),
    /** Own move of the market, and the mean move of comparable markets, in millionths of a natural logarithm. */
    move: p.integer().nullable(),
    /** null if there is no verdict. */
    benchmark: p.integer().nullable(),
    /** Whether the trade paid after both fees. null if there is no verdict. */
    paid: p.boolean().nullable(),
    /** Mean value of the tickets in the last tenth of the horizon, in wei. */
    value: p.type(WeiType).nullable(),
    /** Moves of the comparable markets, in the direction of the call. Only at the horizon of one day, for the test of luck. */
    controls: p.array().columnType('int[]').nullable(),
    /** Fees that it would take at least to fake that the trade paid, in wei. null if it did not pay. */
    fakeCost: p.type(WeiType).nullable(),
    /** Whether the author sold at least half of the bought tickets within the horizon. null while it is open. */
    soldHalf: p.boolean().nullable(),
  },
  indexes: [
    { properties: ['author', 'calledAt'] },
    { properties: ['calledAt'] },
    { name: 'call_outcome_due', properties: ['until', 'txHash', 'ordinal'], where: 'judged_block is null' },
  ],
  checks: [
    {
      name: 'call_outcome_judged',
      expression:
        '(judged_block is null) = (move is null) and (judged_block is null) = (value is null) and (judged_block is null) = (sold_half is null) and (benchmark is null) = (paid is null)',
    },
  ],
});

/** What the calls of an author amount to at the horizon of one day. `Figures` in `statistics.ts` says what they are. */
export const ThesisRecord = defineEntity({
  name: 'ThesisRecord',
  properties: {
    author: p.type(AddressType).primary(),
    /** True if outcomes of the author have changed since the figures were computed. */
    isStale: p.boolean(),
    /** False if the figures have changed since the ranks were computed. */
    isRanked: p.boolean().default(true),
    figures: p.json<object>(),
    /** Lower bound of the score, in millionths. null if there are too few calls for a rank. */
    lowerBound: p.integer().nullable(),
    /** Probability that so good a record is luck. null as above. */
    luck: p.double().nullable(),
    /** Both follow from the records of all authors. */
    rank: p.integer().nullable(),
    beyondLuck: p.boolean().default(false),
  },
  indexes: [
    { name: 'thesis_record_rank', properties: ['rank'], where: 'rank is not null' },
    { name: 'thesis_record_stale', properties: ['author'], where: 'is_stale or not is_ranked' },
  ],
});
