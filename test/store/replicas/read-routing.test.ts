import { expect } from 'chai';
import { Cache } from '../../../src/store/cache.js';
import { ReadRouting } from '../../../src/store/replicas/read-routing.js';
import type { Sql } from '../../../src/store/sql.js';

const onReplica: Sql = async () => [];
const onPrimary: Sql = async () => [];

describe('the routing of public reads', () => {
  const deps = { sql: onPrimary, caches: { totals: new Cache({ ttlMs: 1, maxEntries: 1 }, () => 0) } as never };
  let isFresh: boolean;
  let told: string[];
  let hear: (caller: string) => void;
  let routing: ReadRouting;

  beforeEach(() => {
    isFresh = true;
    told = [];
    const writers = {
      tellWriter: async (caller: string) => void told.push(caller),
      onWriter: (listener: (caller: string) => void) => {
        hear = listener;
      },
    };
    const replicas = { pick: () => (isFresh ? onReplica : undefined) };
    routing = new ReadRouting(replicas, writers, { now: () => 0, writes: { count: 0 } });
  });

  it('sends reads to a replica, with caches of their own, but to the primary while no replica is fresh', () => {
    const { sql, caches } = routing.depsFor(deps, ['ip 1']);
    expect(sql).to.equal(onReplica);
    expect(caches).not.to.equal(deps.caches);
    expect(routing.depsFor(deps, ['ip 2']).caches).to.equal(caches);
    isFresh = false;
    expect(routing.depsFor(deps, ['ip 1'])).to.equal(deps);
  });

  it('sends the reads of a caller that has written, here or in another process, to the primary', async () => {
    await routing.noteWrite('key a');
    expect(told).to.deep.equal(['key a']);
    hear('ip 2');
    expect(told).to.deep.equal(['key a']);
    for (const callers of [['key a', 'ip 1'], ['ip 2']]) expect(routing.depsFor(deps, callers)).to.equal(deps);
    expect(routing.depsFor(deps, ['key b', 'ip 1']).sql).to.equal(onReplica);
  });
});
