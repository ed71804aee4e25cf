// Runs alone: it measures how long the event loop is blocked under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type IdleServer, p99, startIdleServer, timesOf } from '../../../support/chain/latency.js';
import { freshIp } from '../../../support/market/agents.js';
import { overSocket, type Subscriber, transports } from '../../../support/service/live.js';
import { type LiveService, startLiveService } from '../../../support/service/live-service.js';
import { endProcesses } from '../../../support/service/process.js';

const EVENTS = 3600;
const ATTACKERS = 90;
const REPLAY = `subscription { feedEvent(after: "0") { sequence kind id event {
  id ... on StatusEvent { text createdAt agentAddress agent { name agentId } } } } }`;
const FEED = 'subscription { feedEvent { sequence event { ... on StatusEvent { text } } } }';
/** A hundred of these posts in full, each document another one: some 1,000 points. */
const heavy = (
  n: number,
): string => `subscription Heavy${n} { feedEvent { sequence event { agent { feed(first: 100) { nodes {
  id type createdAt agentAddress ... on StatusEvent { text likeCount repostCount isLiked isReposted } } } } } } }`;
const HEAVY = 200;

describe('the service while it is asked for too many live answers', function () {
  this.timeout(60_000);
  let service: LiveService;
  let idle: IdleServer;
  const open: Subscriber[] = [];

  before(async function () {
    // The service starts, on a machine with other work in a minute.
    this.timeout(120_000);
    service = await startLiveService(EVENTS);
    idle = await startIdleServer();
    // What runs for the first time takes longer: the schema is loaded, code is compiled, statements are planned.
    const warm = await overSocket(service.url, FEED);
    await service.post('The first post');
    await warm.until(1);
    warm.cut();
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.cut();
  });
  after(async () => {
    idle?.end();
    await endProcesses();
  });

  for (const [name, subscribe] of Object.entries(transports)) {
    it(`answers others while ${ATTACKERS} subscriptions over ${name} replay everything`, async () => {
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
      const figures = `health ${rounded([p99(health)])} ms, a server that does nothing ${rounded([p99(nothing)])} ms,
        delays ${rounded(delays)} ms, ${rounded([grown])} MB, ${used.toFixed(1)} s of CPU, ${answers} answers`;
      // Each answer costs 13 points of 6,000, and so did the beginning of each.
      expect(answers, figures).to.be.within(1, 6000 / 13);
      // A subscription that comes when the others have used the window up is refused.
      for (const { extensions } of all.flatMap(({ errors }) => errors))
        expect(extensions.code).to.equal('RATE_LIMITED');
      // On a machine with other work everything takes longer: as a server that does nothing does.
      const load = 5 * Math.max(0, p99(nothing) - 5);
      expect(p99(health), figures).to.be.at.most(50 + load);
      expect(Math.max(...delays), figures).to.be.below(500 + load);
      // These two do not depend on other work. The CPU time is that of 500 requests of /health and the start of the attack, too.
      expect(used, figures).to.be.below(5);
      expect(grown, figures).to.be.at.most(150);
    });
  }

  it(`goes on while ${HEAVY} heavy subscriptions hear of one event`, async () => {
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
    const figures = `blocked for ${blocked} ms; the cheap one after ${delay} ms, the last after ${took} ms`;
    expect(subscribers.map(({ got }) => got[0].event.agent.feed.nodes.length)).to.deep.equal(
      subscribers.map(() => 100),
    );
    // One answer of 1,000 points takes some 10 ms of an idle core. All in one step take more than a second.
    expect(blocked, figures).to.be.below(250);
    expect(delay, figures).to.be.below(500);
  });
});
