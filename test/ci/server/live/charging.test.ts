import { expect } from 'chai';
import type { Limits } from '../../../../src/limits/limits.js';
import { costWindows } from '../../../../src/server/graphql/admit.js';
import { askAs, freshIp, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addPosts } from '../../../support/market/rows.js';
import { POINTS, POINTS_OF_KEY, pointsLeft, query } from '../../../support/service/graphql.js';
import { type Subscribe, type Subscriber, transports, useSubscriptions } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';

/** The query cost is 6 points plus 2 points for each of 100 nodes. */
const HEAVY = `subscription ($after: ID) { feedEvent(after: $after) { sequence event { agent {
  feed(first: 100) { nodes { id type } } } } } }`;
const HEAVY_COST = 206;
/** Points per minute that `spend` leaves to an address or to a key. */
const PER_IP = 6000;
const PER_KEY = 12_000;
/** Interval at which the hub checks whether callers without points can pay again. */
const POLL_MS = 1000;
/** Number of events that a round executes for a subscription with HEAVY. They are charged together. */
const PER_ROUND = 2;
/** Number of answers with HEAVY that PER_IP points pay for. A round is paid as a whole, so the number is even. */
const AFFORDED = PER_ROUND * Math.floor(PER_IP / (PER_ROUND * HEAVY_COST));
const CHEAP = 'subscription { feedEvent { sequence } }';
const CHEAP_COST = 2;

for (const [name, subscribe] of Object.entries(transports)) {
  describe(`the query cost of subscriptions over ${name}`, () => {
    const world = useWorld({ TRUST_PROXY: '1' });
    let agent: TestAgent;
    /** Number of charges that found no room. */
    let refused = 0;
    const watch = useSubscriptions(world, subscribe);
    // Timeouts that would cut off a waiting client or request are endless, so this timer only triggers the polls of the hub.
    const endless = Number.POSITIVE_INFINITY;
    const times = manualTimes({ socketPing: endless, streamPing: endless, slowReader: endless, request: endless });

    before(async () => {
      const { limits } = world.deps;
      const take: Limits['take'] = async (...call) => {
        const verdict = await limits.take(...call);
        if (!verdict.allowed) refused += 1;
        return verdict;
      };
      Object.assign(world.deps, { times, limits: { ...limits, take } });
      agent = await newAgent(world);
    });
    afterEach(() => world.clock.advance(61_000));

    /** Adds posts and returns the sequence numbers of their events. */
    async function post(count: number): Promise<string[]> {
      await addPosts(world, agent.wallet, Array(count).fill('A post'));
      const [row] = await world.deps.sql<{ last: number }>('select last from live_cursor');
      const first = Number(row?.last ?? 0) - count + 1;
      return Array.from({ length: count }, (_, i) => String(first + i));
    }
    const sequences = ({ got }: Subscriber): string[] => got.map(({ sequence }) => sequence);
    /** The points that the caller had left before this call. The query itself costs one point, which is added again. */
    const left = async (options: Subscribe) => pointsLeft(await query(world, '{ __typename }', options)) + 1;
    /** Uses up the points of a caller in this minute, except PER_IP or PER_KEY points. */
    const spend = async (headers: Record<string, string>, actor: TestAgent | null = null) => {
      const cost = actor ? POINTS_OF_KEY - PER_KEY : POINTS - PER_IP;
      const windows = costWindows(actor as never, String(headers['x-forwarded-for'])).map((window) => ({
        ...window,
        cost,
      }));
      expect((await world.deps.limits.take(windows, world.clock.now().getTime())).allowed).to.equal(true);
    };
    /** Resolves when more than `since` charges have found no room in their window. */
    const untilRefused = (since: number) => eventually(() => refused > since, 'no subscription was refused');
    /** Advances the timer by one poll of the hub after another until the condition holds. */
    const pollUntil = (holds: () => boolean, otherwise: string) =>
      eventually(() => {
        times.advance(POLL_MS);
        return holds();
      }, otherwise);

    it('is charged for each answer, live or replayed', async () => {
      const headers = freshIp();
      await spend(headers);
      const live = await watch(CHEAP, { headers });
      const posted = await post(7);
      await live.until(7);
      // Seven answers, and the start of the subscription, which costs as much as an answer.
      expect(await left({ headers })).to.equal(PER_IP - 8 * CHEAP_COST);
      // Each call of `left` costs one point, so the call above used one up.
      const spent = PER_IP + 1 - (await left({ headers }));
      const after = String(Number(posted[0]) - 1);
      const replayed = await watch(HEAVY, { headers, variables: { after } });
      await replayed.until(7);
      expect(await left({ headers })).to.equal(PER_IP - spent - 8 * HEAVY_COST);
    });

    it('pauses a subscription when the limit is used up, until points are available again', async () => {
      const [headers, others] = [freshIp(), freshIp()];
      await spend(headers);
      const paused = await watch(HEAVY, { headers });
      const [same, cheap] = [await watch(HEAVY, { headers: others }), await watch(CHEAP, { headers })];
      const first = await post(20);
      await same.until(20);
      await eventually(() => cheap.got.length + paused.got.length >= 40, 'the subscriptions were paused too early');
      const second = await post(8);
      await same.until(28);
      const third = await post(12);
      // The remaining points do not cover another expensive answer.
      await untilRefused(0);
      expect(await left({ headers })).to.be.below(PER_ROUND * HEAVY_COST);
      expect(paused.got.length).to.be.within(20, AFFORDED - 1);
      world.clock.advance(61_000);
      const watched = [paused, cheap, same];
      await pollUntil(() => watched.every(({ got }) => got.length === 40), 'the subscriptions did not resume');
      const all = [...first, ...second, ...third];
      expect(sequences(paused)).to.deep.equal(all);
      expect(sequences(cheap)).to.deep.equal(all);
      expect(sequences(same)).to.deep.equal(all);
      expect([paused.errors, paused.closed]).to.deep.equal([[], false]);
      // The subscription receives live events again.
      const [last] = await post(1);
      await paused.until(41);
      expect(sequences(paused).at(-1)).to.equal(last);
    });

    it('pauses a replay when the limit is used up, and never exceeds the limit', async () => {
      const posted = await post(70);
      const headers = freshIp();
      const after = String(Number(posted[0]) - 1);
      await spend(headers);
      const replays = [
        await watch(HEAVY, { headers, variables: { after } }),
        await watch(HEAVY, { headers, variables: { after } }),
      ];
      const came = () => replays.reduce((sum, { got }) => sum + got.length, 0);
      for (let minute = 1; came() < 140; minute++) {
        const before = refused;
        // The points of the first minute also pay for the start of both subscriptions, so they get two answers fewer.
        const most = Math.min(140, AFFORDED * minute - 2);
        await eventually(
          () => came() >= most,
          () => `${came()} of ${most} came in minute ${minute}`,
        );
        if (most < 140) {
          await untilRefused(before);
          // The next poll of the hub finds no room in the window either.
          const looked = refused;
          times.advance(POLL_MS);
          await untilRefused(looked);
        }
        expect(came()).to.equal(most);
        // The hub serves the older event first, so no replay gets ahead by more than a round. In the first minute, one replay
        // starts before the other, so the difference may be larger.
        const [one, other] = replays.map(({ got }) => got.length) as [number, number];
        if (minute > 1) expect(Math.abs(one - other)).to.be.at.most(PER_ROUND);
        world.clock.advance(61_000);
        await spend(headers);
        times.advance(POLL_MS);
      }
      for (const replay of replays) expect(sequences(replay)).to.deep.equal(posted);
    });

    it('is charged to the key if there is one, whose deletion ends a paused subscription', async () => {
      const before = refused;
      const leaver = await newAgent(world);
      const headers = freshIp();
      const text = HEAVY.replace('agent {', 'agent { name ');
      await spend(headers, leaver);
      const one = await watch(text, { key: leaver.key, headers });
      await post(80);
      // The 12,000 points pay for the start and 56 answers.
      await one.until(56);
      expect(await left({ headers })).to.equal(POINTS);
      await untilRefused(before);
      await askAs(world, leaver, 'DELETE', `/api/agents/${leaver.wallet}`);
      world.clock.advance(61_000);
      await pollUntil(() => one.errors.length > 0, 'the subscription did not end');
      expect(one.errors[0].extensions.code).to.equal('INVALID_KEY');
      expect(one.got).to.have.length(56);
    });
  });
}
