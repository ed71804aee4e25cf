import { once } from 'node:events';
import { expect } from 'chai';
import WebSocket from 'ws';
import { serviceCaches } from '../../../src/cache/caches.js';
import { COMMIT, VERSION } from '../../../src/config/config.js';
import { AppError } from '../../../src/errors/errors.js';
import { readCursor } from '../../../src/index/cursor.js';
import { catchUp } from '../../../src/index/ingest.js';
import { markOutage } from '../../../src/observe/database-errors.js';
import { serverUrl } from '../../support/database.js';
import { replacing } from '../../support/parts.js';
import { rawGet } from '../../support/service/raw-requests.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

describe('GET /metrics', () => {
  const world = useWorld();

  const scrape = async (): Promise<{ text: string; value(series: string): number | undefined }> => {
    // The service caches the state of its parts for one second, so the clock passes this time.
    world.clock.advance(1000);
    const { status, headers, body } = await world.ask('GET', '/metrics');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const text = String(body.text);
    const lines = text.split('\n');
    return {
      text,
      value: (series) => {
        const line = lines.find((one) => one.startsWith(`${series} `));
        return line === undefined ? undefined : Number(line.slice(series.length + 1));
      },
    };
  };

  const withMarket = <T>(changes: object, work: () => Promise<T>): Promise<T> =>
    replacing(world, { chain: { ...world.deps.chain, ...changes } }, work);

  it('shows the lag of the index behind the chain, as /ready does', async () => {
    await world.chain.provider.send('anvil_mine', ['0x7']);
    const behind = await scrape();
    const newest = await world.deps.chain.blockNumber();
    const indexed = (await readCursor(world.deps)).blockNumber;
    expect(behind.value('curvet_chain_block')).to.equal(newest);
    expect(behind.value('curvet_index_block')).to.equal(indexed);
    expect(behind.value('curvet_index_lag_blocks')).to.equal(newest - indexed);
    expect(newest - indexed).to.be.at.least(7);
    world.clock.advance(1000);
    expect((await world.ask('GET', '/ready')).body.index).to.include({ lagBlocks: newest - indexed });
    expect(await catchUp(world.deps, newest)).to.equal(true);
    expect((await scrape()).value('curvet_index_lag_blocks')).to.equal(0);
  });

  it('shows the lag in seconds, without the blocks that CONFIRMATIONS holds back', async () => {
    // The chain has a block every 2 s. The index has read block 200 and the newest is 230, so the lag is 30 blocks or 60 s. Blocks
    // that wait for their confirmations do not count.
    const { blockNumber } = await readCursor(world.deps);
    await runSql(world.deps, 'update indexer_cursor set block_number = 200');
    const newest = 230;
    const timeOf = (block: number) => new Date(world.clock.now().getTime() - (newest - block) * 2000);
    const head = async () => ({ number: newest, time: timeOf(newest) });
    const lag = async (confirmations: number) => {
      const config = { ...world.deps.config, chainEmbedded: false, confirmations };
      const scraped = () => withMarket({ head, blockTime: async (block: number) => timeOf(block) }, scrape);
      const { value } = await replacing(world, { config }, scraped);
      return value('curvet_index_lag_seconds');
    };
    expect([await lag(0), await lag(12), await lag(30), await lag(31)]).to.deep.equal([60, 36, 0, 0]);
    await runSql(world.deps, 'update indexer_cursor set block_number = $1', [blockNumber]);
    delete world.deps.seen.blockSeconds;
    expect((await scrape()).value('curvet_index_lag_seconds'), 'the embedded chain has no rhythm').to.equal(undefined);
  });

  it('reads the chain head once per second together with /ready, for any number of requests', async () => {
    let asked = 0;
    let answer = async () => 7;
    const head = async () => {
      asked++;
      return { number: await answer(), time: world.clock.now() };
    };
    await withMarket({ head }, async () => {
      world.clock.advance(1000);
      const all = () => Promise.all(Array.from({ length: 20 }, (_, i) => world.ask('GET', i % 2 ? '/ready' : '/metrics')));
      await all();
      await all();
      expect(asked).to.equal(1);
      world.clock.advance(1000);
      await all();
      expect(asked).to.equal(2);
      // With this setting, a hanging RPC gets no second request, as test/unit/cache/cache.test.ts tests.
      expect(serviceCaches.readiness).to.include({ singleFlight: true });
      // A failed request is not cached for longer than a successful one.
      answer = async () => {
        throw new Error('away');
      };
      world.clock.advance(1000);
      expect((await world.ask('GET', '/ready')).status).to.equal(503);
      answer = async () => 11;
      world.clock.advance(1000);
      expect((await world.ask('GET', '/ready')).status).to.equal(200);
    });
  });

  it('counts jobs by their result', async () => {
    const count = (result: string) => `curvet_job_duration_seconds_count{name="a job",result="${result}"}`;
    const { metrics } = world.deps;
    expect(await metrics.job('a job', async () => 'value')).to.equal('value');
    const broken = metrics.job('a job', () => Promise.reject(new Error('no')));
    expect(await broken.catch(({ message }: Error) => message)).to.equal('no');
    const { value } = await scrape();
    expect([value(count('done')), value(count('failed'))]).to.deep.equal([1, 1]);
  });

  it('names the build', async () => {
    const build = `version="${VERSION}",commit="${COMMIT}",node="${process.version}"`;
    expect((await scrape()).value(`curvet_build_info{${build}}`)).to.equal(1);
  });

  it('shows that the index has stopped', async () => {
    expect((await scrape()).value('curvet_index_fault')).to.equal(0);
    await runSql(world.deps, 'update indexer_cursor set fault = $1', ['a reason']);
    const stopped = await scrape();
    await runSql(world.deps, 'update indexer_cursor set fault = null');
    expect([stopped.value('curvet_index_fault'), stopped.value('curvet_ready')]).to.deep.equal([1, 0]);
    const sql = () => Promise.reject(markOutage(new Error('no'), 'DATABASE_UNAVAILABLE'));
    const away = await replacing(world, { sql }, scrape);
    expect([away.value('curvet_index_fault'), away.value('curvet_database_up')]).to.deep.equal([undefined, 0]);
    expect((await scrape()).value('curvet_ready')).to.equal(1);
  });

  it('answers without the chain and omits the lag, which is unknown then', async () => {
    const unreachable = async () => {
      throw new AppError('CHAIN_UNAVAILABLE');
    };
    const { value } = await withMarket({ head: unreachable }, scrape);
    expect(value('curvet_chain_up')).to.equal(0);
    expect(value('curvet_database_up')).to.equal(1);
    expect(value('curvet_index_block')).to.be.a('number');
    expect(value('curvet_index_lag_blocks')).to.equal(undefined);
  });

  it('shows for how long a scoring is overdue, and the depths of reorgs', async () => {
    const now = world.clock.now().getTime();
    await runSql(world.deps, 'insert into season (number, start_at, end_at) values (1, $1, $2)', [
      new Date(now - 3_600_000).toISOString(),
      new Date(now + 3_600_000).toISOString(),
    ]);
    world.deps.metrics.reorgDepths.observe(4);
    const { value } = await scrape();
    await runSql(world.deps, 'delete from season');
    expect(value('curvet_scoring_overdue_seconds')).to.be.within(3600, 3610);
    const depths = ['_bucket{le="3"}', '_bucket{le="5"}', '_bucket{le="+Inf"}', '_sum', '_count'];
    expect(depths.map((suffix) => value(`curvet_reorg_depth_blocks${suffix}`))).to.deep.equal([0, 1, 1, 4, 1]);
    expect((await scrape()).value('curvet_scoring_overdue_seconds')).to.equal(0);
  });

  it('shows Redis and the connection pool, if there are any', async () => {
    const { value } = await scrape();
    expect(value('curvet_redis_up')).to.equal(process.env.REDIS_URL === undefined ? undefined : 1);
    expect(value('curvet_database_connections_max')).to.equal(serverUrl === undefined ? undefined : 20);
    expect(value('curvet_database_exhausted_total')).to.equal(serverUrl === undefined ? undefined : 0);
  });

  it('counts requests by route, without the address or path of the request', async () => {
    const series = (route: string, status: number) =>
      `http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"}`;
    const before = await scrape();
    for (const wallet of [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]) await world.ask('GET', `/api/agents/${wallet}`);
    await world.ask('GET', '/no-such-path/a');
    await world.ask('GET', '/no-such-path/b');
    const { text, value } = await scrape();
    expect(value(series('/api/agents/:address', 404)) ?? 0).to.equal((before.value(series('/api/agents/:address', 404)) ?? 0) + 2);
    expect(value(series('none', 404)) ?? 0).to.equal((before.value(series('none', 404)) ?? 0) + 2);
    expect(text).not.to.include('0x1111').and.not.to.include('no-such-path');
    const all = `http_request_duration_seconds_bucket{le="+Inf",method="GET",route="none",status="404"}`;
    expect(value(all)).to.equal(value(series('none', 404)));
  });

  it('counts no probes and no scrapes', async () => {
    for (const path of ['/health', '/ready', '/metrics']) await world.ask('GET', path);
    expect((await scrape()).text).not.to.match(/route="\/(health|ready|metrics)"/);
  });

  const askMcp = (call: object) => {
    const headers = { accept: 'application/json, text/event-stream' };
    return world.ask('POST', '/mcp', { headers, body: { jsonrpc: '2.0', id: 1, ...call } });
  };
  /**
   * A request to each API. It fails with AGENT_NOT_FOUND, or with the failure of the database. Two fields of the GraphQL query
   * fail, but count once.
   */
  const failing: Readonly<Record<string, () => Promise<unknown>>> = {
    rest: () => world.ask('GET', '/api/agents/nobody'),
    graphql: () => {
      const query = '{ one: agent(address: "nobody") { id } two: agent(address: "nobody") { id } }';
      return world.ask('POST', '/graphql', { body: { query } });
    },
    mcp: () => askMcp({ method: 'tools/call', params: { name: 'get_agent', arguments: { agent: 'nobody' } } }),
  };

  for (const [api, ask] of Object.entries(failing)) {
    it(`counts the failures of callers and of the database in the API ${api}`, async () => {
      const series = (code: string, whose: string) => `curvet_errors_total{face="${api}",code="${code}",class="${whose}"}`;
      const all = [series('AGENT_NOT_FOUND', 'client'), series('DATABASE_UNAVAILABLE', 'server')];
      const counts = async () => {
        const { value } = await scrape();
        return all.map((one) => value(one) ?? 0);
      };
      const before = await counts();
      await ask();
      const sql = () => Promise.reject(markOutage(new Error('the server is unavailable'), 'DATABASE_UNAVAILABLE'));
      await replacing(world, { sql }, async () => void (await ask()));
      expect(await counts()).to.deep.equal(before.map((count) => count + 1));
    });
  }

  it('counts failures over WebSocket, and failures that are answered with the status 200', async () => {
    const handshake = (headers: Record<string, string>) => {
      const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
      socket.on('error', () => {});
      return socket;
    };
    const counts = async (series: readonly string[]) => {
      const { value } = await scrape();
      return series.map((labels) => value(`curvet_errors_total{${labels},class="client"}`) ?? 0);
    };
    const expected = {
      'face="graphql",code="ORIGIN_REFUSED"': 1,
      // One wrong key in a header of the handshake, and one in the message `connection_init`.
      'face="graphql",code="INVALID_KEY"': 2,
      'face="graphql",code="BODY_TOO_DEEP"': 1,
      'face="graphql",code="BAD_REQUEST"': 1,
      'face="mcp",code="INVALID_FIELD"': 1,
      'face="mcp",code="NOT_FOUND"': 1,
    };
    const before = await counts(Object.keys(expected));
    const refused: Record<string, string>[] = [{ origin: 'https://evil.test' }, { 'x-api-key': 'wrong' }];
    for (const headers of refused) await new Promise((resolve) => handshake(headers).once('close', resolve));
    // 500 brackets are a JSON that is nested too deeply.
    for (const message of ['{"type":"connection_init","payload":{"x-api-key":"wrong"}}', '['.repeat(500)]) {
      const socket = handshake({});
      await once(socket, 'open');
      socket.send(message);
      await once(socket, 'close');
    }
    // The library `ws` refuses this handshake, because it has no key.
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'graphql-transport-ws' };
    expect((await rawGet(world.url, '/graphql', upgrade)).status).to.equal(400);
    for (const call of [{ method: 'tools/call', params: { name: 'no_such_tool' } }, { method: 'no/such' }]) {
      expect((await askMcp(call)).status).to.equal(200);
    }
    expect(await counts(Object.keys(expected))).to.deep.equal(Object.values(expected).map((more, i) => (before[i] ?? 0) + more));
  });

  it('counts a failure outside of the APIs, but not the failure of a probe', async () => {
    await world.ask('GET', '/nowhere');
    const broken = { head: () => Promise.reject(new AppError('CHAIN_UNAVAILABLE')) };
    world.clock.advance(1000);
    expect((await withMarket(broken, () => world.ask('GET', '/ready'))).status).to.equal(503);
    const { text, value } = await scrape();
    expect(value('curvet_errors_total{face="other",code="NOT_FOUND",class="client"}')).to.be.above(0);
    expect(text).not.to.include('NOT_READY');
  });
});
