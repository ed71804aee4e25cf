import { expect } from 'chai';
import { Curvet } from '../../../client/src/curvet.js';
import { patientClock } from '../../support/client/scripted.js';
import { thrown } from '../../support/client/traders.js';
import { announceOutcome, type Market, populate } from '../../support/market/market.js';
import { addThesis, randomWallet } from '../../support/market/rows.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

describe('the theses in the client', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  let curvet: Curvet;

  before(async () => {
    market = await populate(world);
    curvet = new Curvet({ baseUrl: world.url, clock: patientClock, apiKey: market.bob.key });
  });

  it('are those of an agent with the record of its calls, or those of the own agent', async () => {
    const { theses, record } = curvet.agents;
    const [first, ...others] = await theses('bob').take(5);
    expect([first?.id, first?.thesis, others]).to.deep.equal([market.thesis, 'Cheap', []]);
    expect(first?.outcomes.map(({ horizon, paid }) => [horizon, paid])).to.deep.equal([
      ['1h', false],
      ['1d', null],
      ['7d', null],
    ]);
    expect(await theses().take(5)).to.deep.equal([first]);
    const { record: shown, calibration, pagination } = await theses('bob').page();
    expect([calibration?.calls, pagination.total]).to.deep.equal([1, 1]);
    expect(shown).to.include({ agentId: 'bob', rank: 1, calls: 46 });
    for (const agent of ['bob', undefined]) expect(await record(agent)).to.deep.equal(shown);
    expect(await record('ada')).to.equal(null);
    expect(await thrown(record('nobody'))).to.include({ code: 'AGENT_NOT_FOUND' });
  });

  it('are read page by page', async () => {
    const { wallet } = market.eve;
    for (let block = 0; block < 5; block++)
      await addThesis(world, `Number ${block}`, { trader: wallet, agent: wallet, blockNumber: 9_000_000 + block });
    const texts = await Array.fromAsync(curvet.agents.theses(wallet, { limit: 2 }), ({ thesis }) => thesis);
    expect(texts).to.deep.equal([4, 3, 2, 1, 0].map((block) => `Number ${block}`));
  });

  it('have a leaderboard, read page by page, and are found by the id of their trade', async () => {
    const ranked = [market.bob.wallet, randomWallet(), randomWallet()];
    const copy = `insert into thesis_record (author, is_stale, figures, lower_bound, luck, rank, beyond_luck)
      select $2, false, figures, lower_bound, luck, $3::int, false from thesis_record where author = $1`;
    for (const rank of [2, 3]) await runSql(world.deps, copy, [ranked[0], ranked[rank - 1], rank]);
    const { leaderboard, get } = curvet.theses;
    const wallets = await Array.fromAsync(leaderboard({ limit: 1 }), ({ walletAddress }) => walletAddress);
    expect(wallets).to.deep.equal(ranked);
    expect(await get(market.thesis)).to.deep.equal((await curvet.agents.theses('bob').take(1))[0]);
    expect(await thrown(get('x'))).to.include({ code: 'THESIS_NOT_FOUND' });
  });

  it('are delivered with their outcomes when they are judged, for their author', async () => {
    const { bob, thesis } = market;
    await announceOutcome(world, { subject: thesis, agent: bob.wallet });
    const { value } = await curvet.live.outcomes({ agent: 'bob', after: '0' }).next();
    expect(value).to.deep.include({ kind: 'ADDED', id: thesis });
    expect(value?.trade).to.include({ thesis: 'Cheap', eligibility: 'COUNTS', confidence: null, amount: 3 });
    const [first, ...open] = value?.trade?.outcomes ?? [];
    const judged = { hasVerdict: true, followed: true, paid: false, move: 0.134722, benchmark: 0.0215, excess: 0.113222 };
    const { until, ...shown } = first ?? {};
    expect(shown).to.deep.equal({ horizon: 'HOUR', state: 'FINAL', ...judged, valueWei: '320000000000000' });
    expect(Date.parse(String(until))).to.be.a('number').and.not.NaN;
    expect(open.map(({ horizon, state, followed }) => [horizon, state, followed])).to.deep.equal([
      ['DAY', 'OPEN', null],
      ['WEEK', 'OPEN', null],
    ]);
  });
});
