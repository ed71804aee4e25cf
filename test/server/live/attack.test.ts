// Nightly: it measures response times, CPU time and memory under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freshIp } from '../../support/market/agents.js';
import { pointsLeft } from '../../support/service/graphql.js';
import { overSocket, overStream, transports } from '../../support/service/live.js';
import { type Flooded, p99, timesOf, useLiveService } from '../../support/service/live-service.js';

const EVENTS = 3600;
const GONE = 20_000;
const ATTACKERS = 90;
const REPLAY = `subscription { feedEvent(after: "0") { sequence kind id event {
  id ... on StatusEvent { text createdAt agentAddress agent { name agentId } } } } }`;
const FEED = 'subscription { feedEvent { sequence event { ... on StatusEvent { text } } } }';
/** A subscription whose answer contains 100 posts and costs about 1,000 points. A different `n` makes a different document. */
const heavy = (
  n: number,
): string => `subscription Heavy${n} { feedEvent { sequence event { agent { feed(first: 100) { nodes {
  id type createdAt agentAddress ... on StatusEvent { text likeCount repostCount isLiked isReposted } } } } } } }`;
const HEAVY = 200;

/** Replays that read all events and deliver none. */
const empty = {
  'without matching events': 'subscription { trade(after: "0") { sequence } }',
  'of events with deleted content':
    'subscription { feedEvent(after: "0") { sequence event { ... on StatusEvent { text } } } }',
  // Expensive answers are delivered one by one.
  'with expensive answers of events with deleted content': `subscription { feedEvent(after: "0") { sequence event {
    agent { feed(first: 100) { nodes { id type createdAt agentAddress } } } } } }`,
};

/**
 * Expects that the service answers others and needs little CPU time while the attack lasts. Returns the figures, and the
 * milliseconds by which everything may be slower.
 */
async function endure<T>({ service, idle }: Flooded, attack: () => Promise<T>) {
  const cpu = service.cpuSeconds();
  const times = Promise.all([timesOf(`${service.url}/health`, 10_000), timesOf(idle.url, 10_000)]);
  const done = await attack();
  const [health, nothing] = await times;
  const used = service.cpuSeconds() - cpu;
  const figures = `health ${Math.round(p99(health))} ms in ${health.length} requests, an idle server
    ${Math.round(p99(nothing))} ms, ${used.toFixed(1)} s of CPU`;
  // On a busy machine everything is slower. The response time of an idle server shows by how much.
  const load = 5 * Math.max(0, p99(nothing) - 5);
  expect(p99(health), figures).to.be.at.most(50 + load);
  // CPU time does not depend on other load. It includes the requests to /health and the start of the subscriptions.
  expect(used, figures).to.be.below(5);
  return { done, figures, load };
}

describe('the service under a flood of subscriptions', () => {
  const flooded = useLiveService({ posts: EVENTS });
  const { open } = flooded;

  before(async () => {
    const { service } = flooded;
    // The first event is slow: it loads the schema, compiles code and plans statements. The test measures later events.
    const warm = await overSocket(service.url, FEED);
    await service.post('The first post');
    await warm.until(1);
    warm.cut();
  });

  for (const [name, subscribe] of Object.entries(transports)) {
    it(`answers other clients while ${ATTACKERS} subscriptions over ${name} replay all events`, async () => {
      const { service } = flooded;
      const other = await overSocket(service.url, FEED);
      open.push(other);
      const resident = service.residentMegabytes();
      const headers = freshIp();
      const attack = Promise.all(Array.from({ length: ATTACKERS }, () => subscribe(service.url, REPLAY, { headers })));
      attack.then((all) => open.push(...all));
      const {
        done: delays,
        figures,
        load,
      } = await endure(flooded, async () => {
        const delays: number[] = [];
        for (let i = 0; i < 4; i++) {
          await sleep(1500);
          await service.post(`Post ${i} during the attack over ${name}`);
          const answered = performance.now();
          await other.until(i + 1);
          delays.push(performance.now() - answered);
        }
        return delays;
      });
      const all = await attack;
      const answers = all.reduce((sum, { got }) => sum + got.length, 0);
      // Each answer costs 12 of 6,000 points, as does the start of each subscription.
      expect(answers, figures).to.be.within(1, 6000 / 12);
      // A subscription that starts after the limit is used up is refused.
      for (const { extensions } of all.flatMap(({ errors }) => errors))
        expect(extensions.code).to.equal('RATE_LIMITED');
      expect(Math.max(...delays), figures).to.be.below(500 + load);
      expect(service.residentMegabytes() - resident, figures).to.be.at.most(150);
    });
  }

  it(`answers a cheap subscription while ${HEAVY} expensive ones receive the same event`, async () => {
    const { service } = flooded;
    const other = await overSocket(service.url, FEED);
    open.push(other);
    const subscribers = await Promise.all(Array.from({ length: HEAVY }, (_, i) => overSocket(service.url, heavy(i))));
    open.push(...subscribers);
    await service.blockedFor();
    const began = performance.now();
    await service.post('One post for all');
    await other.until(1);
    const delay = performance.now() - began;
    await Promise.all(subscribers.map((one) => one.until(1)));
    const took = performance.now() - began;
    const blocked = await service.blockedFor();
    const figures = `blocked for ${blocked} ms; the cheap subscription after ${delay} ms, the last after ${took} ms`;
    expect(subscribers.map(({ got }) => got[0].event.agent.feed.nodes.length)).to.deep.equal(
      subscribers.map(() => 100),
    );
    // One answer of 1,000 points takes about 10 ms on an idle core. All answers without a pause would take more than a
    // second.
    expect(blocked, figures).to.be.below(250);
    expect(delay, figures).to.be.below(500);
  });
});

describe('the service under replays that deliver nothing', () => {
  const flooded = useLiveService({ gone: GONE });
  before(() => timesOf(`${flooded.service.url}/health`, 500));

  for (const [what, text] of Object.entries(empty)) {
    it(`answers other clients and charges for the events read in ${ATTACKERS} replays ${what}`, async () => {
      const { service, open } = flooded;
      const headers = freshIp();
      const { figures } = await endure(flooded, async () => {
        await sleep(500);
        const all = Array.from({ length: ATTACKERS }, () => overStream(service.url, text, { headers }));
        open.push(...(await Promise.all(all)));
      });
      const asked = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      expect(open.flatMap(({ got }) => got)).to.deep.equal([]);
      // Of 6,000 points, the start of the cheap replays costs at most 540. The expensive replays use up the limit.
      expect(pointsLeft(asked), figures).to.be.below(5000);
    });
  }
});
