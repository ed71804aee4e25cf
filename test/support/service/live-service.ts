import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Agent } from '../../../src/features/agents/entities.js';
import { AgentActivity } from '../../../src/features/feed/entities.js';
import { hashKey } from '../../../src/keys.js';
import { announce } from '../../../src/live/announce.js';
import { migrate, openDatabase } from '../../../src/store/database.js';
import { createDatabase, serverUrl } from '../database.js';
import { randomWallet } from '../market/rows.js';
import { testTimes } from '../times.js';
import type { Subscriber } from './live.js';
import { endProcesses, freshDirectory, type Running, run } from './process.js';

/** The service as a separate process with stored live events, and its measurements. */
type LiveService = {
  readonly url: string;
  /** Publishes a post, each time as a different agent. */
  post(text: string): Promise<void>;
  residentMegabytes(): number;
  /** The CPU time used so far, in seconds. */
  cpuSeconds(): number;
  /** The longest delay of the event loop since the last call, in milliseconds. */
  blockedFor(): Promise<number>;
};

/** The number of agents. Each call of `post` uses another agent, because an agent may post only a few times a day. */
const POSTERS = 20;

/** Live events that are stored before the service starts: of posts, and before them of posts that are deleted. */
type Stored = { readonly posts?: number; readonly gone?: number };

async function startLiveService(stored: Stored): Promise<LiveService> {
  const directory = freshDirectory();
  const database =
    serverUrl === undefined ? { directory: join(directory, 'database') } : { url: await createDatabase(serverUrl) };
  const orm = await openDatabase(database, { times: testTimes });
  const keys = Array.from({ length: POSTERS }, () => randomBytes(48).toString('base64url'));
  try {
    await migrate(orm, database);
    await store(orm.em.fork() as SqlEntityManager, keys, stored);
  } finally {
    await orm.close(true);
  }
  const service = run({
    env: {
      DATA_DIR: directory,
      TRUST_PROXY: '1',
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'loop-delay.js'))}`,
      ...('url' in database ? { DATABASE_URL: database.url } : {}),
    },
  });
  await service.ready();
  return { url: service.url, ...measures(service), post: (text) => post(service.url, String(keys.pop()), text) };
}

/** What a suite of floods uses: the service, a server without work beside it, and what to call at the end. */
export type Flooded = { readonly service: LiveService; readonly idle: IdleServer; readonly open: Subscriber[] };

/** Starts the service and an idle server for the calling suite. Cuts the subscriptions in `open` after each test. */
export function useLiveService(stored: Stored): Flooded {
  const made = { open: [] as Subscriber[] } as { -readonly [K in keyof Flooded]: Flooded[K] };
  before(async () => {
    // The service may need a minute to start on a busy machine.
    made.service = await startLiveService(stored);
    made.idle = await startIdleServer();
  });
  afterEach(() => {
    for (const one of made.open.splice(0)) one.cut();
  });
  after(async () => {
    made.idle?.end();
    await endProcesses();
  });
  return made;
}

async function store(em: SqlEntityManager, keys: readonly string[], { posts = 0, gone = 0 }: Stored): Promise<void> {
  const now = new Date();
  const agents = keys.map((key, i) => ({
    wallet: randomWallet(),
    name: `Poster ${i}`,
    agentId: `poster_${i}`,
    apiKeyHash: hashKey(key),
    verificationCode: `TEST-${i}`,
    registrationIp: Buffer.alloc(32),
    createdAt: now,
  }));
  await em.insertMany(Agent, agents);
  const made = Array.from({ length: gone + posts }, (_, i) => ({
    id: randomBytes(16).toString('base64url'),
    agent: String(agents[i % agents.length]?.wallet),
    text: `Stored post ${i}`.padEnd(200, '.'),
    // The posts are old enough not to count against the post limits.
    createdAt: new Date(now.getTime() - 3 * 86_400_000),
  }));
  const rows = made.slice(gone);
  await em.transactional(async (tx) => {
    for (let i = 0; i < rows.length; i += 500) await tx.insertMany(AgentActivity, rows.slice(i, i + 500));
    await announce(
      tx,
      made.map(({ id, agent }) => ({ topic: 'post' as const, subject: id, agent })),
      now,
    );
  });
}

async function post(url: string, key: string, text: string): Promise<void> {
  const answer = await fetch(`${url}/api/feed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ text }),
  });
  if (!answer.ok) throw new Error(`the post was answered ${answer.status}: ${await answer.text()}`);
}

const measures = (service: Running) => ({
  residentMegabytes: () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024,
  cpuSeconds() {
    // /proc/PID/stat contains the program name in brackets, and values after it. Values 12 and 13 after the name are
    // user and system time in hundredths of a second.
    const values = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(values[11]) + Number(values[12])) / 100;
  },
  async blockedFor() {
    const before = service.stderr.length;
    service.kill('SIGUSR2');
    await service.until(
      () => service.stderr.indexOf('\n', before) >= 0,
      'the service did not report its event loop delay',
    );
    await sleep(10);
    return Number(/blocked for ([\d.]+) ms/.exec(service.stderr.slice(before))?.[1]);
  },
});

export const p99 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] ?? 0;

/** Returns the durations of sequential requests that start at least 20 ms apart. */
export async function timesOf(url: string, milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const began = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - began);
    await sleep(Math.max(0, 20 - (times.at(-1) ?? 0)));
  }
  return times;
}

/** A server without work. Its response time measures the load of the machine and of this process. */
type IdleServer = { readonly url: string; end(): void };

async function startIdleServer(): Promise<IdleServer> {
  const program = `require('http').createServer((_, res) => res.end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const idle = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(idle.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}/`, end: () => void idle.kill() };
}
