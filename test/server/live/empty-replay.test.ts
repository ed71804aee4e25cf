// Nightly: it measures response times and CPU time under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { p99, timesOf } from '../../support/chain/latency.js';
import { freshIp } from '../../support/market/agents.js';
import { overStream } from '../../support/service/live.js';
import { useLiveService } from '../../support/service/live-service.js';

const EVENTS = 20_000;
const SUBSCRIPTIONS = 90;

/** Replays that read all events and deliver none. */
const attacks = {
  'without matching events': 'subscription { trade(after: "0") { sequence } }',
  'of events with deleted content':
    'subscription { feedEvent(after: "0") { sequence event { ... on StatusEvent { text } } } }',
  // Expensive answers are delivered one by one.
  'with expensive answers of events with deleted content': `subscription { feedEvent(after: "0") { sequence event {
    agent { feed(first: 100) { nodes { id type createdAt agentAddress } } } } } }`,
};

describe('the service under replays that deliver nothing', () => {
  const flooded = useLiveService(0, { gone: EVENTS });
  before(() => timesOf(`${flooded.service.url}/health`, 500));

  for (const [what, text] of Object.entries(attacks)) {
    it(`answers other clients and charges for the events read in ${SUBSCRIPTIONS} replays ${what}`, async () => {
      const { service, idle, open } = flooded;
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
      const figures = `health ${p99(health).toFixed()} ms in ${health.length} requests, an idle server
        ${p99(nothing).toFixed()} ms, ${used.toFixed(1)} s of CPU, ${left} points left`;
      expect(all.flatMap(({ got }) => got)).to.deep.equal([]);
      // Of 6,000 points, the start of the cheap replays costs at most 540. The expensive replays use up the limit.
      expect(left, figures).to.be.below(5000);
      // On a busy machine everything is slower. The response time of an idle server shows by how much.
      expect(p99(health), figures).to.be.at.most(50 + 5 * Math.max(0, p99(nothing) - 5));
      expect(used, figures).to.be.below(5);
    });
  }
});
