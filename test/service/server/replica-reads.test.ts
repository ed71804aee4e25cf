import { expect } from 'chai';
import { openCaches } from '../../../src/cache/caches.js';
import type { Sql } from '../../../src/store/sql.js';
import { freshIp, newAgent, type TestAgent } from '../../support/market/agents.js';
import { callTool, mcpClient } from '../../support/service/mcp.js';
import { type Ask, useWorld } from '../../support/world.js';

const QUERY = '{ agents { nodes { name } } }';

describe('reads with a read replica of the database', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  /** false: the replica is too far behind, so no read may go to it. */
  let isFresh = true;
  /** Number of SQL statements that the replica got. `onPrimary` counts those of the primary. */
  let onReplica = 0;
  let onPrimary = 0;
  // The separate caches for answers of the replica. In this test, no write invalidates them.
  const caches = openCaches(() => world.clock.now().getTime(), { count: 0 });

  before(async () => {
    const { sql } = world.deps;
    const replica: Sql = (...query) => {
      onReplica += 1;
      return sql(...query);
    };
    const primary: Sql = (...query) => {
      onPrimary += 1;
      return sql(...query);
    };
    Object.assign(world.deps, { sql: primary, reads: { pick: () => (isFresh ? replica : undefined), caches } });
    agent = await newAgent(world);
  });
  beforeEach(() => {
    isFresh = true;
    // Lets the cached answers and the rate limits of the test before expire.
    world.clock.advance(61_000);
  });

  /** Whether a request reads from the replica. */
  async function reads(method: string, path: string, options: Ask = {}): Promise<boolean> {
    const before = onReplica;
    const { status } = await world.ask(method, path, { ...options, headers: freshIp() });
    expect(status).to.equal(200);
    return onReplica > before;
  }
  const all = [
    ['a list', () => ['GET', '/api/agents', {}]],
    ['an agent', () => ['GET', `/api/agents/${agent.wallet}`, {}]],
    ['a query', () => ['POST', '/graphql', { body: { query: QUERY } }]],
  ] as const satisfies readonly [string, () => [string, string, Ask]][];

  for (const [what, request] of all) {
    it(`go to the replica for ${what}, but to the primary with a key, or if the replica lags`, async () => {
      const [method, path, options] = request();
      expect(await reads(method, path, options)).to.equal(true);
      // Lets every cached answer expire, so that the next requests read the database.
      world.clock.advance(61_000);
      expect(await reads(method, path, { ...options, key: agent.key }), 'with a key').to.equal(false);
      isFresh = false;
      expect(await reads(method, path, options), 'behind').to.equal(false);
    });
  }

  it('go to the replica for a tool, but to the primary with a key', async () => {
    for (const [key, isRead] of [
      [undefined, true],
      [agent.key, false],
    ] as const) {
      const before = onReplica;
      expect((await callTool(await mcpClient(world, { key }), 'get_leaderboard', {})).failed).to.equal(false);
      expect(onReplica > before).to.equal(isRead);
      world.clock.advance(61_000);
    }
  });

  it('keep answers of the replica in separate caches', async () => {
    const path = '/api/agents?limit=7';
    expect(await reads('GET', path)).to.equal(true);
    expect(await reads('GET', path), 'cached').to.equal(false);
    isFresh = false;
    const before = onPrimary;
    expect(await reads('GET', path), 'behind').to.equal(false);
    expect(onPrimary, 'statements on the primary').to.be.above(before);
  });

  it('go to the primary for private data and for the state of the service', async () => {
    expect(await reads('GET', '/api/agents/me', { key: agent.key })).to.equal(false);
    expect(await reads('GET', '/ready')).to.equal(false);
  });
});
