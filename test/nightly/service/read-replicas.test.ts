import { expect } from 'chai';
import { freshIp, type Joined, join, success } from '../../support/market/agents.js';
import type { PostgresServer } from '../../support/servers/postgres.js';
import { useServers } from '../../support/servers.js';
import { eventually, type Running, replicaEnv, run } from '../../support/service/process.js';
import { type Answer, type Ask, ask } from '../../support/world.js';

const FEED = '/api/feed?type=STATUS';
const QUERY = '{ feed(type: STATUS) { nodes { ... on StatusEvent { text } } } }';

describe('read replicas of PostgreSQL', () => {
  const servers = useServers();
  let primary: PostgresServer;
  let replica: PostgresServer;
  let services: Running[];

  before(async () => {
    primary = servers.postgres;
    replica = await primary.standby();
    // Without this setting, a commit would wait for a replica that a test has killed.
    await primary.query('alter system reset synchronous_standby_names');
    await primary.query('select pg_reload_conf()');
    services = [start(), start()];
    for (const service of services) await service.ready();
  });
  after(() => replica?.stop());
  afterEach(() => replica?.query('select pg_wal_replay_resume()').catch(() => {}));

  /**
   * Starts a service on the primary and its replica. The long timeouts of the tests
   * accept a lag, so a slow machine changes nothing.
   */
  const start = (env: Record<string, string> = {}): Running =>
    run({
      env: {
        ...replicaEnv(servers.chain),
        RATE_LIMITS: 'on',
        TRUST_PROXY: '1',
        LOG_LEVEL: 'info',
        DATABASE_URL: primary.url,
        DATABASE_READ_URLS: replica.url,
        REDIS_URL: servers.redis.url,
        ...env,
      },
    });
  const send = (method: string, path: string, options: Ask = {}, service = services[0]): Promise<Answer> =>
    ask(String(service?.url), method, path, { headers: freshIp(), ...options });
  const textOf = ({ body }: Answer): string => JSON.stringify(body);

  let number = 0;
  const register = (): Promise<Joined> => join(servers.chain, services[0]?.url ?? '', `Writer ${++number}`, freshIp());
  /** Stops the replay, so that the replica does not get later writes. */
  const pause = () => replica.query('select pg_wal_replay_pause()');
  /** Waits until the replica has replayed everything and both services read from it. */
  async function untilFresh(): Promise<void> {
    await replica.query('select pg_wal_replay_resume()');
    const [{ position } = { position: '' }] = await primary.query<{ position: string }>(
      'select pg_current_wal_lsn()::text as position',
    );
    const reached = `select pg_last_wal_replay_lsn() >= $1::pg_lsn as reached`;
    await eventually(async () => {
      const [row] = await replica.query<{ reached: boolean }>(reached, [position]);
      return row?.reached === true;
    }, 'the replica did not catch up');
    const isServing = ({ log }: Running) =>
      log.filter(({ part }) => part === 'read replica 1').at(-1)?.msg !== 'a part is unavailable';
    await eventually(() => services.every(isServing), 'the replica does not serve reads');
  }

  it('serve reads without a key, while a writer sees its own write at once, in every process', async () => {
    const writer = await register();
    await untilFresh();
    await pause();
    const body = { text: 'A post that is not replayed yet' };
    success(await send('POST', '/api/feed', { key: writer.key, body }));
    // Callers without a key read from the replica, which does not have the post yet.
    expect(textOf(await send('GET', FEED))).not.to.include(body.text);
    expect(textOf(await send('GET', '/metrics'))).to.match(/query_duration_seconds_count\{server=\\"read replica 1\\"/);
    expect(textOf(await send('POST', '/graphql', { body: { query: QUERY } }))).not.to.include(body.text);
    for (const service of services) {
      expect(textOf(await send('GET', FEED, { key: writer.key }, service))).to.include(body.text);
      const asked = { key: writer.key, body: { query: QUERY } };
      expect(textOf(await send('POST', '/graphql', asked, service))).to.include(body.text);
    }
  });

  it('show a new agent to itself, and refuse the key of a deleted agent at once', async () => {
    await untilFresh();
    await pause();
    const { wallet, key } = await register();
    expect((await send('GET', `/api/agents/${wallet}`, { key })).status).to.equal(200);
    expect((await send('GET', `/api/agents/${wallet}`)).status).to.equal(404);
    expect((await send('GET', '/api/agents/me', { key }, services[1])).status).to.equal(200);
    success(await send('DELETE', '/api/agents/me', { key }));
    expect((await send('GET', '/api/agents', { key }, services[1])).status).to.equal(401);
  });

  it('serve no reads while they lag by more than 1 s', async () => {
    const strict = start({ TIMEOUT_FACTOR: '1' });
    await strict.ready();
    const writer = await register();
    await untilFresh();
    await pause();
    const body = { text: 'A post before a long pause' };
    success(await send('POST', '/api/feed', { key: writer.key, body }));
    const shows = async () => textOf(await send('GET', FEED, {}, strict)).includes(body.text);
    await eventually(shows, 'others do not see the post');
    expect(textOf(await send('GET', FEED)), 'a service that accepts a longer lag').not.to.include(body.text);
    await strict.stop();
    await untilFresh();
  });

  it('are replaced by the primary when they are unavailable', async () => {
    await untilFresh();
    await replica.kill();
    for (let i = 0; i < 20; i++) expect((await send('GET', `${FEED}&limit=${i + 1}`)).status).to.equal(200);
    await replica.run();
    await untilFresh();
  });
});
