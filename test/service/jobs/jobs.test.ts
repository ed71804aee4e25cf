import { expect } from 'chai';
import { AppError } from '../../../src/errors/errors.js';
import { ChainWatch, startSweeping } from '../../../src/jobs/jobs.js';
import { addListedAgent } from '../../support/market/rows.js';
import { replacing } from '../../support/parts.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const HEAD = 5000;
/**
 * Seconds between two blocks of the chain. With this rhythm, the chain counts as still after more than 60 seconds (`STILL` in
 * src/features/operator/state.ts).
 */
const RHYTHM = 2;

describe('a chain that stands still', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let head: { number: number; time: Date };
  /** Whether no RPC answers. */
  let isAway = false;
  let watch: ChainWatch;

  before(() => {
    const { chain, config } = world.deps;
    head = { number: HEAD, time: world.clock.now() };
    Object.assign(world.deps, {
      config: { ...config, chainEmbedded: false },
      chain: {
        ...chain,
        async head() {
          if (isAway) throw new AppError('CHAIN_UNAVAILABLE');
          return head;
        },
        blockTime: async (number: number) => new Date(head.time.getTime() - (head.number - number) * RHYTHM * 1000),
      },
    });
    watch = new ChainWatch(world.deps);
  });

  /**
   * Sets the clock so that the newest block is this many seconds old, and looks at the
   * chain. Returns the log, the probes and the metrics.
   */
  async function at(seconds: number) {
    world.clock.advance(head.time.getTime() + seconds * 1000 - world.clock.now().getTime());
    const logged = world.logged.length;
    await watch.look();
    const lines = world.logged.slice(logged).filter(({ msg }) => String(msg).startsWith('the chain'));
    const health = await world.ask('GET', '/health');
    const ready = await world.ask('GET', '/ready');
    const { text } = (await world.ask('GET', '/metrics')).body as { text: string };
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { lines, health, ready, value };
  }
  const nextBlock = (seconds: number) => {
    head = { number: head.number + 1, time: new Date(head.time.getTime() + seconds * 1000) };
  };

  it('is reported once in the log when it stops, and once when it moves again', async () => {
    const fresh = await at(60);
    expect([fresh.lines, fresh.health.body.chain]).to.deep.equal([[], 'ok']);

    const still = await at(61);
    expect(still.lines).to.have.lengthOf(1);
    expect(still.lines[0]).to.include({ level: 40, blockNumber: HEAD, ageSeconds: 61 });
    expect([still.health.status, still.health.body.chain]).to.deep.equal([200, 'still']);
    expect(still.ready.status).to.equal(200);
    expect(still.ready.body.chain).to.deep.equal({
      state: 'still',
      detail: 'no new block for 61 s',
      blockNumber: HEAD,
      ageSeconds: 61,
      blockSeconds: RHYTHM,
    });
    expect(still.value('curvet_chain_head_age_seconds')).to.equal(61);
    expect(still.value('curvet_chain_block_seconds')).to.equal(RHYTHM);
    expect(still.value('curvet_chain_up')).to.equal(1);

    expect((await at(100)).lines, 'told again').to.deep.equal([]);
    isAway = true;
    const away = await at(110);
    expect([away.lines, away.health.body.chain, away.ready.status]).to.deep.equal([[], 'down', 503]);
    isAway = false;
    expect((await at(120)).lines, 'told again after the RPC was unavailable').to.deep.equal([]);

    nextBlock(125);
    const moving = await at(5);
    expect(moving.lines).to.have.lengthOf(1);
    expect(moving.lines[0]).to.include({ level: 30, blockNumber: HEAD + 1, seconds: 130 });
    expect([moving.health.body.chain, moving.ready.status]).to.deep.equal(['ok', 200]);
  });

  it('does not lengthen the usual time between two blocks', async () => {
    const { chain } = world.deps;
    // The measured time between two blocks is cached for 10 minutes, so after 11 minutes it is measured again.
    nextBlock(11 * 60);
    const hour = 3_600_000;
    const blockTime = async (number: number) => {
      // The service compares the newest 50 blocks with the 50 blocks before them. The hour without a block is among the latter.
      const gap = number < head.number - 70 ? hour : 0;
      return new Date(head.time.getTime() - (head.number - number) * RHYTHM * 1000 - gap);
    };
    const { value } = await replacing(world, { chain: { ...chain, blockTime }, seen: {} }, () => at(1));
    expect(value('curvet_chain_block_seconds')).to.equal(RHYTHM);
  });

  it('is not reported if its blocks have no rhythm, like those of the embedded chain', async () => {
    // An empty `seen` forgets the time between two blocks that was measured before. NaN: the metric is absent.
    const config = { ...world.deps.config, chainEmbedded: true };
    const { lines, health, value } = await replacing(world, { config, seen: {} }, () => at(100_000));
    expect([lines, health.body.chain, value('curvet_chain_block_seconds')]).to.deep.equal([[], 'ok', Number.NaN]);
  });
});

describe('the sweeping job', () => {
  const world = useWorld();

  it('deletes notifications after 72 hours, live events and answers after a day, and former keys after 90 days', async () => {
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
    await runSql(
      world.deps,
      "insert into former_key (hash, ended_at) select convert_to(at::text, 'UTF8'), at from unnest($1::timestamptz[]) as at",
      [[ago(90 * 24 + 1), ago(90 * 24 - 1)]],
    );
    await startSweeping(world.deps).stop();
    const former = await world.deps.sql<{ ended_at: Date }>('select ended_at from former_key');
    expect(former.map(({ ended_at }) => ended_at.toISOString())).to.deep.equal([ago(90 * 24 - 1)]);
    const kept = await world.deps.sql<{ created_at: Date }>('select created_at from notification order by 1 desc');
    expect(kept.map(({ created_at }) => created_at.toISOString())).to.deep.equal([0, 71].map(ago));
    const answers = await world.deps.sql<{ created_at: Date }>('select created_at from idempotent_write');
    expect(answers.map(({ created_at }) => created_at.toISOString())).to.deep.equal([ago(23)]);
    expect(await world.deps.sql('select sequence from live_event')).to.deep.equal([{ sequence: 1_000_002 }]);
  });
});
