import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { AgentActivity } from '../../../../src/features/feed/entities.js';
import { announce } from '../../../../src/live/announce.js';
import { openDatabase } from '../../../../src/service/orm.js';
import { migrate } from '../../../../src/store/database.js';
import { createDatabase, serverUrl } from '../../../support/database.js';
import { freshIp, success } from '../../../support/market/agents.js';
import { addAgent } from '../../../support/market/rows.js';
import { drawBytes } from '../../../support/seed.js';
import { POINTS, pointsLeft } from '../../../support/service/graphql.js';
import { overSocket, overStream, type Subscriber, transports } from '../../../support/service/live.js';
import { endProcesses, freshDirectory, type Running, root, run } from '../../../support/service/process.js';
import { storeOf } from '../../../support/store.js';
import { testTimes } from '../../../support/times.js';
import { ask, type World } from '../../../support/world.js';

/** Number of agents that post. Each may post only a few times a day, so every post of a test comes from another agent. */
const POSTERS = 20;
/** Number of stored events of posts that still exist. */
const EVENTS = 3600;
/** Number of stored events of posts that were deleted. */
const GONE = 20_000;
/** Number of subscriptions of an attacker with one address, which may have at most 100 connections. */
const ATTACKERS = 90;
const REPLAY = `subscription { feedEvent(after: "0") { sequence kind id event {
  id ... on StatusEvent { text createdAt agentAddress agent { name agentId } } } } }`;
const FEED = 'subscription { feedEvent { sequence event { ... on StatusEvent { text } } } }';
/** A subscription whose answer contains 100 posts and costs about 1,000 points. A different `n` makes a different document. */
const heavy = (n: number): string => `subscription Heavy${n} { feedEvent { sequence event { agent { feed(first: 100) { nodes {
  id type createdAt agentAddress ... on StatusEvent { text likeCount repostCount isLiked isReposted } } } } } } }`;
/** Number of subscriptions with `heavy`. */
const HEAVY = 200;

/** Replays that read all events and deliver none. */
const empty = {
  'without matching events': 'subscription { trade(after: "0") { sequence } }',
  'of events with deleted content': 'subscription { feedEvent(after: "0") { sequence event { ... on StatusEvent { text } } } }',
  // A round of the hub delivers only one answer of this cost to a subscription, so this replay needs a round per event.
  'with expensive answers of events with deleted content': `subscription { feedEvent(after: "0") { sequence event {
    agent { feed(first: 100) { nodes { id type createdAt agentAddress } } } } } }`,
};

/** Starts a service whose database contains live events: `gone` events of deleted posts, then `posts` events of existing ones. */
async function startService({ posts = 0, gone = 0 }) {
  const directory = freshDirectory();
  const url = serverUrl === undefined ? undefined : await createDatabase(serverUrl);
  const database = url === undefined ? { directory: join(directory, 'database') } : { url };
  const orm = await openDatabase(database, { times: testTimes });
  await migrate(orm, database);
  const deps = await storeOf(orm);
  const now = new Date();
  const world = { deps, clock: { now: () => now, advance() {} } } as unknown as World;
  const agents: Awaited<ReturnType<typeof addAgent>>[] = [];
  for (let i = 0; i < POSTERS; i++) agents.push(await addAgent(world));
  const made = Array.from({ length: gone + posts }, (_, i) => ({
    id: drawBytes(16).toString('base64url'),
    agent: String(agents[i % POSTERS]?.wallet),
    text: `Stored post ${i}`.padEnd(200, '.'),
    // The posts are old enough not to count against the post limits.
    createdAt: new Date(now.getTime() - 3 * 86_400_000),
  }));
  await deps.write(async (tx) => {
    for (let i = gone; i < made.length; i += 500) await tx.insertMany(AgentActivity, made.slice(i, i + 500));
    const news = made.map(({ id, agent }) => ({ topic: 'post' as const, subject: id, agent }));
    await announce(tx, news, now);
  });
  await orm.close(true);
  const loopDelay = pathToFileURL(join(root, 'dist/test/support/service/loop-delay.js'));
  const NODE_OPTIONS = `--import ${loopDelay}`;
  const service = run({
    env: { DATA_DIR: directory, TRUST_PROXY: '1', NODE_OPTIONS, ...(url && { DATABASE_URL: url }) },
  });
  await service.ready();
  const post = async (text: string) =>
    success(await ask(service.url, 'POST', '/api/feed', { key: agents.pop()?.key, body: { text } }));
  return { service, post };
}

/** A server that does nothing. Its response time measures the load of the machine and of this process. */
async function startIdleServer() {
  const program = `require('http').createServer((_, res) => res.end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const idle = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(idle.stdout, 'data');
  return { idle, idleUrl: `http://127.0.0.1:${String(port).trim()}/` };
}

type Flooded = Awaited<ReturnType<typeof startService>> &
  Awaited<ReturnType<typeof startIdleServer>> & { readonly open: Subscriber[] };

/** Starts both servers for the calling suite. Cuts the subscriptions in `open` after each test. */
function useFlooded(stored: Parameters<typeof startService>[0]): Flooded {
  const made = { open: [] as Subscriber[] } as Flooded;
  before(async () => void Object.assign(made, await startService(stored), await startIdleServer()));
  afterEach(() => {
    for (const one of made.open.splice(0)) one.cut();
  });
  after(async () => {
    made.idle?.kill();
    await endProcesses();
  });
  return made;
}

const residentMegabytes = ({ pid }: Running) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** The CPU time used so far, in seconds. */
function cpuSeconds({ pid }: Running): number {
  // /proc/PID/stat contains the program name in brackets, and values after it. Values 12 and 13 after the name are
  // user and system time in hundredths of a second.
  const values = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(values[11]) + Number(values[12])) / 100;
}

/** The longest delay of the event loop since the last call, in milliseconds. */
async function blockedFor(service: Running): Promise<number> {
  const before = service.stderr.length;
  service.kill('SIGUSR2');
  const told = () => /blocked for ([\d.]+) ms\n/.exec(service.stderr.slice(before))?.[1];
  await service.until(() => told() !== undefined, 'the service did not report its event loop delay');
  return Number(told());
}

const p99 = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] ?? 0;

/** Returns the durations of sequential requests that start at least 20 ms apart. */
async function timesOf(url: string, milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const began = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - began);
    await sleep(Math.max(0, 20 - (times.at(-1) ?? 0)));
  }
  return times;
}

/**
 * Runs the attack, and expects that the service answers other requests quickly and needs little CPU time. Returns the result of
 * the attack, the figures as text, and `load`: the milliseconds by which a busy machine delays everything.
 */
async function endure<T>({ service, idleUrl }: Flooded, attack: () => Promise<T>) {
  const cpu = cpuSeconds(service);
  const times = Promise.all([timesOf(`${service.url}/health`, 10_000), timesOf(idleUrl, 10_000)]);
  const done = await attack();
  const [health, nothing] = await times;
  const used = cpuSeconds(service) - cpu;
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
  const flooded = useFlooded({ posts: EVENTS });
  const { open } = flooded;

  before(async () => {
    const { service, post } = flooded;
    // The first event is slow: it loads the schema, compiles code and plans statements. The test measures later events.
    const warm = await overSocket(service.url, FEED);
    await post('The first post');
    await warm.until(1);
    warm.cut();
  });

  for (const [name, subscribe] of Object.entries(transports)) {
    it(`answers other clients while ${ATTACKERS} subscriptions over ${name} replay all events`, async () => {
      const { service, post } = flooded;
      const other = await overSocket(service.url, FEED);
      open.push(other);
      const resident = residentMegabytes(service);
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
          await post(`Post ${i} during the attack over ${name}`);
          const answered = performance.now();
          await other.until(i + 1);
          delays.push(performance.now() - answered);
        }
        return delays;
      });
      const all = await attack;
      const answers = all.reduce((sum, { got }) => sum + got.length, 0);
      // Each answer costs 12 of 60,000 points, as does the start of each subscription.
      expect(answers, figures).to.be.within(1, POINTS / 12);
      // A subscription that starts when the limit is already used up is refused, which is the only error that may occur.
      for (const { extensions } of all.flatMap(({ errors }) => errors)) expect(extensions.code).to.equal('RATE_LIMITED');
      expect(Math.max(...delays), figures).to.be.below(500 + load);
      expect(residentMegabytes(service) - resident, figures).to.be.at.most(150);
    });
  }

  it(`answers a cheap subscription while ${HEAVY} expensive ones receive the same event`, async () => {
    const { service, post } = flooded;
    const other = await overSocket(service.url, FEED);
    open.push(other);
    const subscribers = await Promise.all(Array.from({ length: HEAVY }, (_, i) => overSocket(service.url, heavy(i))));
    open.push(...subscribers);
    await blockedFor(service);
    const began = performance.now();
    await post('One post for all');
    await other.until(1);
    const delay = performance.now() - began;
    await Promise.all(subscribers.map((one) => one.until(1)));
    const took = performance.now() - began;
    const blocked = await blockedFor(service);
    const figures = `blocked for ${blocked} ms; the cheap subscription after ${delay} ms, the last after ${took} ms`;
    expect(subscribers.map(({ got }) => got[0].event.agent.feed.nodes.length)).to.deep.equal(subscribers.map(() => 100));
    // One answer of 1,000 points takes about 10 ms on an idle core. All answers without a pause would take more than a
    // second.
    expect(blocked, figures).to.be.below(250);
    expect(delay, figures).to.be.below(500);
  });
});

describe('the service under replays that deliver nothing', () => {
  const flooded = useFlooded({ gone: GONE });
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
      const asked = await ask(service.url, 'POST', '/graphql', { headers, body: { query: '{ __typename }' } });
      expect(open.flatMap(({ got }) => got)).to.deep.equal([]);
      // Of 60,000 points, the start of the cheap replays costs at most 540. The expensive replays use up the limit.
      expect(pointsLeft(asked), figures).to.be.below(POINTS - 1000);
    });
  }
});
