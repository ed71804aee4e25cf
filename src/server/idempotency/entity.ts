import { defineEntity, p } from '@mikro-orm/core';

/**
 * A write that was sent with an idempotency key. While it runs, it has a lease and no answer. A write that is refused leaves
 * no row. All fingerprints are HMACs.
 */
export const IdempotentWrite = defineEntity({
  name: 'IdempotentWrite',
  properties: {
    /** Fingerprint of caller, operation and idempotency key. */
    id: p.blob().primary(),
    caller: p.blob(),
    /** Fingerprint of what a retry must repeat. */
    content: p.blob(),
    /** Random name of the execution that has the lease. */
    holder: p.uuid(),
    /**
     * End of the lease, by the clock of the database. The execution renews it in time. After the end, a retry may execute the
     * write.
     */
    leaseUntil: p.datetime(),
    /** The answer, encrypted with a key that is derived from the idempotency key. Answers to writes are below 10 KB. */
    answer: p.blob().nullable(),
    createdAt: p.datetime().index(),
  },
  indexes: [{ properties: ['caller', 'createdAt'] }],
  checks: [{ name: 'idempotent_write_answer_check', expression: 'octet_length(answer) <= 32768' }],
});
