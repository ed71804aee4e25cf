// Runs alone: it measures how long others wait under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type IdleServer, p99, startIdleServer, timesOf } from '../../../support/chain/latency.js';
import { freshIp } from '../../../support/market/agents.js';
import { overStream, type Subscriber } from '../../../support/service/live.js';
import { type LiveService, startLiveService } from '../../../support/service/live-service.js';
import { endProcesses } from '../../../support/service/process.js';

const EVENTS = 20_000;
const SUBSCRIPTIONS = 90;

/** Replays that read everything and deliver nothing. */
const attacks = {
  'that match no event': 'subscription { trade(after: "0") { sequence } }',
  'of events whose content is gone':
    'subscription { feedEvent(after: "0") { sequence event { ... on StatusEvent { text } } } }',
  // The costliest answers are delivered one by one.
  'with costly answers of events whose content is gone': `subscription { feedEvent(after: "0") { sequence event {
    agent { feed(first: 100) { nodes { id type createdAt agentAddress } } } } } }`,
};

describe('the service while replays deliver nothing', function () {
  this.timeout(30_000);
  let service: LiveService;
  let idle: IdleServer;
  const open: Subscriber[] = [];

  before(async function () {
    this.timeout(120_000);
    service = await startLiveService(0, { gone: EVENTS });
    idle = await startIdleServer();
    await timesOf(`${service.url}/health`, 500);
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.cut();
  });
  after(async () => {
    idle?.end();
    await endProcesses();
  });

  for (const [what, text] of Object.entries(attacks)) {
    it(`answers others, and charges for what is read, in ${SUBSCRIPTIONS} replays ${what}`, async () => {
      const headers = freshIp();
      const cpu = service.cpuSeconds();
      const measured = Promise.all([timesOf(`${service.url}/health`, 8000), timesOf(idle.url, 8000)]);
      await sleep(500);
      const all = await Promise.all(
        Array.from({ length: SUBSCRIPTIONS }, () => overStream(service.url, text, { headers })),
      );
      open.push(...all);
      const [health, nothing] = await measured;
      const used = service.cpuSeconds() - cpu;
      const asked = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      const left = Number(/r=(\d+)/.exec(asked.headers.get('ratelimit') ?? '')?.[1]);
      const figures = `health ${p99(health).toFixed()} ms in ${health.length} requests, a server that does nothing
        ${p99(nothing).toFixed()} ms, ${used.toFixed(1)} s of CPU, ${left} points left`;
      expect(all.flatMap(({ got }) => got)).to.deep.equal([]);
      // Of 6,000 points. To begin costs 540 at most of the two cheap ones, and the costly ones use the window up.
      expect(left, figures).to.be.below(5000);
      // On a machine with other work everything takes longer: as a server that does nothing does.
      expect(p99(health), figures).to.be.at.most(50 + 5 * Math.max(0, p99(nothing) - 5));
      expect(used, figures).to.be.below(5);
    });
  }
});
