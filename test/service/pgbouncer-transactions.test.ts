// Nightly: it starts PostgreSQL, Redis, PgBouncer and the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresServer, postgresPrograms } from '../faults/support/postgres.js';
import { hasRedis, RedisServer } from '../faults/support/redis.js';
import { replicaEnv } from '../faults/support/replicas.js';
import { type MinedTrade, TradeMill } from '../faults/support/trade-mill.js';
import { expectWholeIndex } from '../faults/support/whole-index.js';
import { type TestChain, testChain } from '../support/chain/chain.js';
import { success } from '../support/market/agents.js';
import { hasPgBouncer, PgBouncer } from '../support/proxy/pgbouncer.js';
import { endProcesses, eventually, getJson, type Running, run } from '../support/service/process.js';
import { type Answer, ask } from '../support/world.js';

/** Sessions of the pooler, and clients that ask at the same time. */
const [SESSIONS, CLIENTS] = [3, 20];
/** Sessions that a replica without a job has of its own: the lock of the leader, the index, and one from the start. */
const DIRECT = 3;

describe('replicas behind PgBouncer in transaction mode', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let bouncer: PgBouncer;
  let chain: TestChain;
  let replicas: Running[];
  let mill: TradeMill;
  let trades: MinedTrade[];

  before(async function () {
    if (postgresPrograms() === undefined || !hasPgBouncer() || !hasRedis()) {
      process.stdout.write('    a program is missing: PgBouncer in transaction mode is not tested\n');
      this.skip();
    }
    [postgres, redis, chain] = [await PostgresServer.start(), await RedisServer.start(), await testChain()];
    await chain.resetToRealTime();
    bouncer = await PgBouncer.start({ port: postgres.port, sessions: SESSIONS });
    replicas = [start(), start()];
    for (const replica of replicas) await replica.ready();
    mill = await TradeMill.open(chain, urlOf(0), 6, 1);
    trades = await mill.mine(40);
  });
  after(async () => {
    await endProcesses();
    await bouncer?.stop();
    await postgres?.stop();
    await redis?.stop();
  });

  const start = (): Running => {
    const urls = { DATABASE_URL: postgres.url, DATABASE_POOLER_URL: bouncer.url, REDIS_URL: redis.url };
    return run({ env: { ...replicaEnv(chain), ...urls } });
  };
  const urlOf = (index: number): string => String(replicas[index % replicas.length]?.url);
  const errors = () => replicas.flatMap(({ log }) => log.filter(({ level }) => Number(level) >= 50));
  /** Asks from all clients at the same time, half of them on each replica. Returns the answers. */
  const together = (work: (url: string, index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: CLIENTS }, (_, index) => work(urlOf(index), index)));
  const statusesOf = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].sort();
  const fresh = { 'cache-control': 'no-cache' };
  /** A post, also with a key that makes a retry safe. */
  const post = (url: string, text: string, idempotency?: string): Promise<Answer> =>
    ask(url, 'POST', '/api/feed', {
      key: trades[0]?.key,
      body: { text },
      ...(idempotency && { headers: { 'idempotency-key': idempotency } }),
    });

  it('answer repeated lists over REST and GraphQL, on few sessions', async () => {
    const query = '{ agents(first: 5) { nodes { name trades(first: 3) { nodes { amount trader { name } } } } } }';
    for (let round = 0; round < 8; round++) {
      for (const path of ['/api/agents?limit=7', '/api/feed?limit=5', `/api/agents/${trades[0]?.wallet}`]) {
        const answers = await together((url) => ask(url, 'GET', path, { headers: fresh }));
        expect(statusesOf(answers), JSON.stringify(answers[0]?.body)).to.deep.equal([200]);
      }
      const answers = await together((url) => ask(url, 'POST', '/graphql', { body: { query }, headers: fresh }));
      for (const { body } of answers) expect(body).not.to.have.property('errors');
    }
    expect((await bouncer.show('servers')).length).to.be.within(2, SESSIONS);
    expect((await bouncer.show('clients')).length).to.be.above(CLIENTS / 2);
    const [row] = await postgres.query<{ n: string }>(
      "select count(*) as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    expect(Number(row?.n), 'sessions of the server').to.be.at.most(SESSIONS + 2 * DIRECT);
    expect(errors()).to.deep.equal([]);
  });

  it('record trades that come at the same time exactly once', async () => {
    const send = (trade: MinedTrade, url: string) =>
      ask(url, 'POST', `/api/tickets/${trade.side}`, { key: trade.key, body: trade.body });
    const pairs = await Promise.all(
      trades.map((trade) => Promise.all([send(trade, urlOf(0)), send(trade, urlOf(1)), send(trade, urlOf(0))])),
    );
    for (const pair of pairs) expect(pair.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const [row] = await postgres.query<{ n: string }>('select count(*) as n from trade_claim');
    expect(Number(row?.n)).to.equal(trades.length);
    await expectWholeIndex(chain, postgres);
  });

  it('execute a write with an idempotency key once', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await together((url) => post(url, `Post ${round}`, `key-of-round-${round}`));
      // 409: the first request with the key was still in progress.
      expect(answers.filter(({ status }) => ![201, 409].includes(status))).to.deep.equal([]);
      const repeated = await post(urlOf(round), `Post ${round}`, `key-of-round-${round}`);
      expect(repeated.status).to.equal(201);
      const ids = [...answers, repeated].filter(({ status }) => status === 201).map(({ body }) => JSON.stringify(body));
      expect(new Set(ids).size).to.equal(1);
    }
    const [row] = await postgres.query<{ n: string }>("select count(*) as n from agent_activity where text ~ '^Post '");
    expect(Number(row?.n)).to.equal(5);
  });

  it('hand the index over when the leader dies', async () => {
    const leader = async () => (await postgres.query<{ pid: number }>(LEADER))[0]?.pid;
    const before = await leader();
    expect(before).to.be.a('number');
    // One of both is the leader.
    for (const index of [0, 1]) {
      replicas[index]?.kill('SIGKILL');
      await replicas[index]?.exited;
      await eventually(async () => (await leader()) !== undefined, 'no replica leads');
      trades = [...trades, ...(await mill.mine(5))];
      await expectWholeIndex(chain, postgres);
      replicas[index] = start();
      await replicas[index]?.ready();
    }
    expect(await leader()).not.to.equal(before);
  });

  it('stop a slow statement and a wait for a lock by the timeouts of the pooler', async () => {
    const slow = `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end'`;
    await postgres.query(slow);
    await postgres.query('create trigger slow before insert on agent_activity for each row execute function slow()');
    const timed = async () => {
      const since = performance.now();
      const { status, body } = await post(urlOf(0), `Slow at ${since}`);
      return { status, error: body.error, seconds: Math.floor((performance.now() - since) / 1000) };
    };
    expect(await timed()).to.deep.equal({ status: 503, error: 'Database busy', seconds: 5 });
    const running =
      "select 1 from pg_stat_activity where state = 'active' and query ~ 'agent_activity' and pid <> pg_backend_pid()";
    expect(await postgres.query(running)).to.deep.equal([]);
    await postgres.query('drop function slow cascade');

    const locked = postgres.query('begin; lock table agent_activity; select pg_sleep(6); rollback');
    await sleep(300);
    expect(await timed()).to.deep.equal({ status: 503, error: 'Database busy', seconds: 4 });
    await locked;
    success(await post(urlOf(1), 'Fast again'));
  });

  it('go on when the pooler or the server has restarted', async () => {
    await bouncer.stop();
    expect((await ask(urlOf(0), 'GET', '/api/agents?limit=3', { headers: fresh })).status).to.equal(503);
    await bouncer.run();
    await postgres.kill();
    expect((await ask(urlOf(1), 'GET', '/api/agents?limit=3', { headers: fresh })).status).to.equal(503);
    await postgres.run();
    const since = performance.now();
    for (const index of [0, 1])
      await eventually(async () => (await getJson(`${urlOf(index)}/ready`)).status === 200, 'a replica is not ready');
    expect(performance.now() - since, 'milliseconds until ready').to.be.below(10_000);
    trades = [...trades, ...(await mill.mine(5))];
    await expectWholeIndex(chain, postgres);
  });
});

const LEADER = `select pid from pg_locks join pg_stat_activity using (pid)
where locktype = 'advisory' and granted and application_name = 'curvet leader'`;
