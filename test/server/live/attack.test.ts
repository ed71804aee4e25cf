// Nightly: it measures response times, CPU time and memory under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { p99, timesOf } from '../../support/chain/latency.js';
import { freshIp } from '../../support/market/agents.js';
import { overSocket, transports } from '../../support/service/live.js';
import { useLiveService } from '../../support/service/live-service.js';

const EVENTS = 3600;
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

describe('the service under a flood of subscriptions', () => {
  const flooded = useLiveService(EVENTS);
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
      const { service, idle } = flooded;
      const other = await overSocket(service.url, FEED);
      open.push(other);
      const [resident, cpu] = [service.residentMegabytes(), service.cpuSeconds()];
      const headers = freshIp();
      const attack = Promise.all(Array.from({ length: ATTACKERS }, () => subscribe(service.url, REPLAY, { headers })));
      attack.then((all) => open.push(...all));
      const measured = Promise.all([timesOf(`${service.url}/health`, 10_000), timesOf(idle.url, 10_000)]);
      const delays: number[] = [];
      for (let i = 0; i < 4; i++) {
        await sleep(1500);
        await service.post(`Post ${i} during the attack over ${name}`);
        const answered = performance.now();
        await other.until(i + 1);
        delays.push(performance.now() - answered);
      }
      const [health, nothing] = await measured;
      const all = await attack;
      const [grown, used] = [service.residentMegabytes() - resident, service.cpuSeconds() - cpu];
      const answers = all.reduce((sum, { got }) => sum + got.length, 0);
      const rounded = (times: readonly number[]) => times.map(Math.round).join();
      const figures = `health ${rounded([p99(health)])} ms, an idle server ${rounded([p99(nothing)])} ms,
        delays ${rounded(delays)} ms, ${rounded([grown])} MB, ${used.toFixed(1)} s of CPU, ${answers} answers`;
      // Each answer costs 12 of 6,000 points, as does the start of each subscription.
      expect(answers, figures).to.be.within(1, 6000 / 12);
      // A subscription that starts after the limit is used up is refused.
      for (const { extensions } of all.flatMap(({ errors }) => errors))
        expect(extensions.code).to.equal('RATE_LIMITED');
      // On a busy machine everything is slower. The response time of an idle server shows by how much.
      const load = 5 * Math.max(0, p99(nothing) - 5);
      expect(p99(health), figures).to.be.at.most(50 + load);
      expect(Math.max(...delays), figures).to.be.below(500 + load);
      // CPU time and memory do not depend on other load. The CPU time includes 500 requests to /health and the start of
      // the subscriptions.
      expect(used, figures).to.be.below(5);
      expect(grown, figures).to.be.at.most(150);
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
