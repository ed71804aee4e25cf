import { expect } from 'chai';
import { startSweeping } from '../../src/jobs/jobs.js';
import { addListedAgent } from '../support/market/rows.js';
import { runSql } from '../support/store.js';
import { useWorld } from '../support/world.js';

describe('the sweeping job', () => {
  const world = useWorld();

  it('deletes notifications older than 72 hours, and live events and answers for retries older than a day', async () => {
    const { wallet } = await addListedAgent(world, { name: 'Absent' });
    const now = world.clock.now().getTime();
    const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
    await runSql(
      world.deps,
      `insert into notification (recipient, type, subject, message, data, created_at)
       select $1, 'NEW_FOLLOWER', 'follower ' || at, 'Somebody follows you.', '{}', at
       from unnest($2::timestamptz[]) as at`,
      [wallet, [0, 71, 73, 200].map(ago)],
    );
    await runSql(
      world.deps,
      `insert into live_event (sequence, topic, removed, subject, agent, created_at)
       select 1000000 + position, 'post', false, 'x', $1, at from unnest($2::timestamptz[]) with ordinality as given (at, position)`,
      [wallet, [ago(30), ago(1)]],
    );
    await runSql(
      world.deps,
      `insert into idempotent_write (id, caller, content, holder, lease_until, answer, created_at)
       select convert_to(at::text, 'UTF8'), 'caller', 'content', gen_random_uuid(), at, 'answer', at from unnest($1::timestamptz[]) as at`,
      [[ago(25), ago(23)]],
    );
    await startSweeping(world.deps).stop();
    const kept = await world.deps.sql<{ created_at: Date }>('select created_at from notification order by 1 desc');
    expect(kept.map(({ created_at }) => created_at.toISOString())).to.deep.equal([0, 71].map(ago));
    const answers = await world.deps.sql<{ created_at: Date }>('select created_at from idempotent_write');
    expect(answers.map(({ created_at }) => created_at.toISOString())).to.deep.equal([ago(23)]);
    expect(await world.deps.sql('select sequence from live_event')).to.deep.equal([{ sequence: 1_000_002 }]);
  });
});
