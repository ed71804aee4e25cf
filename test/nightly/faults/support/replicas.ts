import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { TestChain } from '../../../support/chain/chain.js';
import { print } from '../../../support/print.js';
import type { PostgresServer } from '../../../support/servers/postgres.js';
import type { RedisServer } from '../../../support/servers/redis.js';
import { type Exit, type Running, replicaEnv, run } from '../../../support/service/process.js';
import type { Crowd, Promised } from './crowd.js';
import { expectWholeIndex } from './whole-index.js';

export { replicaEnv };

export type ReplicaParts = {
  readonly redis: RedisServer;
  readonly chain: TestChain;
  /** Overrides of the environment of the replicas. */
  readonly env?: Record<string, string>;
};

/** Starts one replica of the service per database URL, with the given Redis server and chain. */
export async function startReplicas(databaseUrls: readonly string[], { redis, chain, env }: ReplicaParts): Promise<Running[]> {
  const replicas = databaseUrls.map((url) =>
    run({ env: { ...replicaEnv(chain), DATABASE_URL: url, REDIS_URL: redis.url, ...env } }),
  );
  for (const replica of replicas) await replica.ready();
  return replicas;
}

/** Stops a service with SIGTERM, and returns its exit and the duration of the stop in milliseconds. */
export async function timedStop(service: Running): Promise<Exit & { readonly ms: number }> {
  const asked = performance.now();
  const exit = await service.stop();
  return { ...exit, ms: performance.now() - asked };
}

/**
 * Waits until the replicas have recovered from the last fault, stops the writes, prints the figures, and checks the guarantees of
 * docs/operation.md: ready within 10 s, a read answered within 5 s, every confirmed write stored.
 */
export async function expectRecovery(
  urls: readonly string[],
  { crowd, postgres, chain }: { readonly crowd: Crowd; readonly postgres: PostgresServer; readonly chain: TestChain },
): Promise<void> {
  const over = performance.now();
  const readyAfter = await Promise.all(urls.map((url) => untilReady(url, over)));
  const answerTimes = await Promise.all(urls.map(timeOf));
  await sleep(1000);
  await crowd.stop();
  const { replies, promised } = crowd;
  const counts = new Map<string, number>();
  for (const { status, body } of replies) {
    const kind = status < 300 ? String(status) : `${status} ${body.error ?? 'over GraphQL'}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const longest = Math.max(...replies.map(({ ms }) => ms));
  print(`${replies.length} writes: ${[...counts].map(([kind, n]) => `${n} x ${kind}`).join(', ')}`);
  print(`longest answer ${Math.round(longest)} ms; ready after ${readyAfter.map(Math.round).join(', ')} ms`);
  expect(Math.max(...readyAfter), 'time until ready').to.be.lessThan(10_000);
  expect(Math.max(...answerTimes), 'time of an answer').to.be.lessThan(5000);
  expect(longest, 'longest time of an answer').to.be.lessThan(15_000);
  const bad = replies.filter(({ status }) => status === 0 || (status >= 500 && status !== 503));
  expect(bad.slice(0, 3), 'answers with 5xx other than 503, or timeouts').to.deep.equal([]);
  const silent = replies.filter(({ status, retryAfter }) => status === 503 && retryAfter === null);
  expect(silent.slice(0, 3), '503 answers without Retry-After').to.deep.equal([]);
  await expectStored(postgres, promised);
  print(await expectWholeIndex(chain, postgres));
}

/** Checks that every confirmed write is stored. */
export async function expectStored(postgres: Pick<PostgresServer, 'query'>, { agents, posts, trades }: Promised): Promise<void> {
  for (const [ids, text] of [
    [agents, 'select wallet as id from agent'],
    [posts, 'select id from agent_activity'],
    [trades, 'select tx_hash as id from thesis'],
  ] as const) {
    const stored = new Set((await postgres.query<{ id: string }>(text)).map(({ id }) => id));
    expect(ids.filter((id) => !stored.has(id))).to.deep.equal([]);
  }
}

/** The milliseconds that a read takes, also if it fails. */
async function timeOf(url: string): Promise<number> {
  const begun = performance.now();
  await fetch(`${url}/api/agents`, { signal: AbortSignal.timeout(20_000) }).catch(() => {});
  return performance.now() - begun;
}

/** Returns the milliseconds from `since` until the replica is ready. Throws with its last answer if that takes more than 30 s. */
export async function untilReady(url: string, since: number): Promise<number> {
  for (;;) {
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(`${url}/ready`, { signal }).then(
      async (response) => `${response.status} ${await response.text()}`,
      String,
    );
    const ms = performance.now() - since;
    if (answer.startsWith('200')) return ms;
    if (ms > 30_000) throw new Error(`${url} is not ready: ${answer}`);
    await sleep(100);
  }
}
