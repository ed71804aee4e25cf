import { expect } from 'chai';
import { Cache } from '../../../src/store/cache.js';
import { ReadRouting } from '../../../src/store/replicas/read-routing.js';
import type { Sql } from '../../../src/store/sql.js';

const onReplica: Sql = async () => [];
const onPrimary: Sql = async () => [];

describe('the routing of public reads', () => {
  let fresh: boolean;
  let told: string[];
  let hear: (caller: string) => void;
  let routing: ReadRouting;
  const caches = { totals: new Cache({ ttlMs: 1, maxEntries: 1 }, () => 0) } as never;
  const deps = { sql: onPrimary, caches };

  beforeEach(() => {
    fresh = true;
    told = [];
    const writers = {
      tellWriter: async (caller: string) => void told.push(caller),
      onWriter: (listener: (caller: string) => void) => {
        hear = listener;
      },
    };
    const replicas = { pick: () => (fresh ? onReplica : undefined) };
    routing = new ReadRouting(replicas, writers, { now: () => 0, writes: { count: 0 } });
  });

  it('sends reads to a replica, with caches of their own', () => {
    const source = routing.depsFor(deps, ['ip 1']);
    expect(source.sql).to.equal(onReplica);
    expect(source.caches).not.to.equal(caches);
    expect(routing.depsFor(deps, ['ip 2']).caches).to.equal(source.caches);
  });

  it('sends reads to the primary while no replica is fresh', () => {
    fresh = false;
    expect(routing.depsFor(deps, ['ip 1'])).to.equal(deps);
  });

  it('sends the reads of a caller that has written to the primary, and tells the other processes', async () => {
    await routing.noteWrite('key a');
    expect(told).to.deep.equal(['key a']);
    expect(routing.depsFor(deps, ['key a', 'ip 1'])).to.equal(deps);
    expect(routing.depsFor(deps, ['key b', 'ip 1']).sql).to.equal(onReplica);
  });

  it('sends the reads of a caller that has written to another process to the primary', () => {
    hear('ip 1');
    expect(routing.depsFor(deps, ['ip 1'])).to.equal(deps);
    expect(told).to.deep.equal([]);
  });
});
