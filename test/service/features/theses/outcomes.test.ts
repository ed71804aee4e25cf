import { expect } from 'chai';
import { judge } from '../../../../src/features/theses/judge.js';
import { liveBounds, liveEvents } from '../../../../src/live/log.js';
import { HOUR_MS } from '../../../../src/values/time.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { newAgent, refusal, success, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const MINUTE_MS = 60_000;

describe('the thesis of a trade', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let [author, market, ann, ben]: TestAgent[] = [];
  const agents = () => [author, market, ann, ben] as [TestAgent, TestAgent, TestAgent, TestAgent];

  beforeEach(async () => {
    [author, market, ann, ben] = [await newAgent(world), await newAgent(world), await newAgent(world), await newAgent(world)];
    await tradeOnChain(ann, 'buy', market, 9);
  });

  /** Buys tickets of the market as the author, and records it. Returns the answer. */
  async function buy(given: object, amount = 2, after = 0) {
    const [who, of] = agents();
    const made = await tradeOnChain(who, 'buy', of, amount);
    world.clock.advance(after);
    return world.ask('POST', '/api/tickets/buy', { key: who.key, body: { ...made, ...given } });
  }
  const thesisOf = async (id: string): Promise<Json> => (await world.ask('GET', `/api/theses/${id}`)).body.thesis;
  const idOf = ({ body }: { body: Json }): string => body.trade.id;

  /** Lets the time pass in which all theses of the present come, and judges. */
  async function judgeAfter(ms: number): Promise<void> {
    world.clock.advance(ms);
    await indexAll(world.deps);
    await judge(world.deps);
  }

  it('is undecided at first, then a call with three open outcomes, and judged after an hour', async () => {
    const id = idOf(await buy({ thesis: 'Up', confidence: 80 }));
    expect(await thesisOf(id)).to.include({ thesis: 'Up', eligibility: 'undecided', confidence: 80 });
    await judgeAfter(21 * MINUTE_MS);
    const open = await thesisOf(id);
    expect(open.eligibility).to.equal('counts');
    expect(open.outcomes.map(({ horizon, state }: Json) => `${horizon} ${state}`)).to.deep.equal(['1h open', '1d open', '7d open']);
    const [, of, , fourth] = agents();
    await tradeOnChain(fourth, 'buy', of, 3);
    await tradeOnChain(agents()[2], 'buy', of, 1);
    await judgeAfter(HOUR_MS);
    const [hour, ...others] = (await thesisOf(id)).outcomes;
    expect(hour).to.include({ horizon: '1h', state: 'final', hasVerdict: true, followed: true, paid: true });
    expect(hour.excess).to.be.closeTo(hour.move - hour.benchmark, 1e-9);
    expect(others.map(({ state }: Json) => state)).to.deep.equal(['open', 'open']);
  });

  it('announces each judgement as a live event about its author', async () => {
    const id = idOf(await buy({ thesis: 'Up' }));
    const { last } = await liveBounds(world.deps);
    await judgeAfter(HOUR_MS + 6000);
    const events = await liveEvents(world.deps, last, 100);
    const judged = events.filter(({ topic }) => topic === 'outcome');
    expect(judged.map(({ subject, agent }) => ({ subject, agent }))).to.deep.equal([{ subject: id, agent: agents()[0].wallet }]);
    // A call that a backfill judges is no news.
    await judgeAfter(30 * HOUR_MS);
    expect((await liveEvents(world.deps, last, 100)).filter(({ topic }) => topic === 'outcome')).to.have.length(1);
  });

  it('is late more than 10 minutes after its block, and never judged', async () => {
    const late = await buy({ thesis: 'I knew it' }, 2, 10 * MINUTE_MS + 2000);
    expect(late.body.trade).to.include({ eligibility: 'late', thesis: 'I knew it' });
    expect(await thesisOf(idOf(late))).to.include({ eligibility: 'late', thesisGivenAt: world.clock.now().toISOString() });
    const { feed } = await data(world, '{ feed(type: BOUGHT, first: 1) { nodes { ... on BoughtEvent { thesis eligibility } } } }');
    expect(feed.nodes).to.deep.equal([{ thesis: 'I knew it', eligibility: 'LATE' }]);
    await judgeAfter(2 * HOUR_MS);
    expect(await thesisOf(idOf(late))).to.deep.include({ eligibility: 'late', outcomes: [] });
  });

  it('takes a confidence from 1 to 99 only, and not without a reason', async () => {
    for (const confidence of [0, 100, 1.5, '80']) {
      expect(refusal(await buy({ thesis: 'Up', confidence })), String(confidence)).to.match(/^400 /);
    }
    const alone = await buy({ confidence: 80 });
    expect(alone.body).to.include({ code: 'INVALID_FIELD' });
    expect(alone.body.hint).to.contain('confidence');
    expect(refusal(await buy({ thesis: ' ', confidence: 80 }))).to.match(/^400 /);
  });

  it('loses its text with the agent, and keeps its outcomes, also if the wallet returns', async () => {
    const [who] = agents();
    const id = idOf(await buy({ thesis: 'Up' }));
    await judgeAfter(21 * MINUTE_MS);
    success(await world.ask('DELETE', `/api/agents/${who.wallet}`, { key: who.key }));
    await judgeAfter(HOUR_MS);
    const gone = await thesisOf(id);
    expect(gone).to.include({ thesis: null, eligibility: 'counts' });
    expect(gone.outcomes[0]).to.include({ state: 'final', hasVerdict: false, move: 0 });
    await world.ask('POST', '/api/agents', { body: { name: who.name, walletAddress: who.wallet } }).then(success);
    const { agent } = await data(
      world,
      `{ agent(address: "${who.wallet}") { theses { totalCount } record { calls judgedCalls } } }`,
    );
    expect(agent).to.deep.equal({ theses: { totalCount: 1 }, record: { calls: 1, judgedCalls: 0 } });
  });

  it('has open outcomes again while the index reads blocks again', async () => {
    const id = idOf(await buy({ thesis: 'Up' }));
    await judgeAfter(HOUR_MS + 6000);
    expect((await thesisOf(id)).outcomes[0].state).to.equal('final');
    await runSql(world.deps, 'update indexer_cursor set changed_from = to_timestamp(0), changed_block = -1');
    expect((await thesisOf(id)).outcomes[0]).to.include({ state: 'open', move: null });
    await judge(world.deps);
    expect((await thesisOf(id)).outcomes[0]).to.include({ state: 'final', move: 0 });
  });
});
