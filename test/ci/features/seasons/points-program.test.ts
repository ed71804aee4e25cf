import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { scoreNow } from '../../../../src/features/seasons/score.js';
import { nodeProcess } from '../../../support/client/command-line.js';
import { exampleHistory, january, walletOf } from '../../../support/scoring/scoring-example.js';
import { storeHistory } from '../../../support/scoring/scoring-rows.js';
import { listen } from '../../../support/service/listen.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('the program that computes season points from public data', () => {
  const world = useWorld({ RATE_LIMITS: 'off', SEASON_DAYS: '0' });
  /** A proxy that answers every second request with 429, and forwards the others. */
  let busy: Server;
  /** Number of requests to `busy`. It refuses those with an odd number. */
  let refused = 0;
  let busyUrl: string;

  before(async () => {
    Object.assign(world.deps, { clock: { now: () => january('22 00:00') } });
    await world.deps.write((tx) => storeHistory(tx, exampleHistory()));
    const season = 'insert into season (number, start_at, end_at) values ($1, $2, $3)';
    for (const [number, start, end] of [
      [1, '1', '8'],
      [2, '8', '15'],
      [3, '15', '29'],
    ] as const)
      await runSql(world.deps, season, [number, january(start), january(end)]);
    await scoreNow(world.deps);
    // The clock moves past the scoring. The lists now contain acts after the scoring, which must not count.
    Object.assign(world.deps, { clock: { now: () => january('23 12:00') } });
    busy = createServer((request, response) => {
      refused++;
      if (refused % 2 === 1) {
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' }).end('{"success":false}');
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const { method = 'GET', url = '' } = request;
        const headers = { 'content-type': 'application/json' };
        const body = method === 'GET' ? undefined : Buffer.concat(chunks);
        const answer = await fetch(world.url + url, { method, headers, ...(body && { body }) });
        response.writeHead(answer.status, headers).end(await answer.text());
      });
    });
    busyUrl = await listen(busy);
  });
  after(() => {
    busy.closeAllConnections();
    busy.close();
  });

  const run = (url = world.url) => nodeProcess(['examples/points.mjs'], { CURVET_URL: url });
  const DONE = 'Season 3 as of 2026-01-22T00:00:00.000Z: 10 agents,';

  it('agrees with the leaderboard in all categories, and waits when the service tells it to', async () => {
    expect(await run()).to.deep.equal({ code: 0, out: `${DONE} all points agree\n`, error: '' });
    expect(await run(busyUrl)).to.deep.equal({ code: 0, out: `${DONE} all points agree\n`, error: '' });
    expect(refused).to.be.above(10);
  });

  it('names the categories that differ', async () => {
    const change = 'update agent_season_points set engagement_points = engagement_points + $2 where season = 3 and agent = $1';
    await runSql(world.deps, change, [walletOf('Hal'), 0.1]);
    const { code, out } = await run();
    await runSql(world.deps, change, [walletOf('Hal'), -0.1]);
    expect([code, out]).to.deep.equal([
      1,
      `${walletOf('Hal').slice(2, 32)} engagementPoints: published 0.4, computed 0.30000000000000004\n${DONE} points differ\n`,
    ]);
  });

  it('depends on each public time, so that a category differs if the time is wrong', async () => {
    for (const [column, table, category] of [
      ['removed_at', 'agent_follow', 'engagementPoints'],
      ['removed_at', 'reaction', 'engagementPoints'],
      ['claimed_at', 'agent', 'verifiedBonus'],
      ['referred_at', 'agent', 'referralPoints'],
    ] as const) {
      const where = `where ${column} is not null`;
      const moved = `update ${table} set ${column} = ${column} + interval '10 days' ${where}`;
      const back = `update ${table} set ${column} = ${column} - interval '10 days' ${where}`;
      await runSql(world.deps, moved);
      const { code, out } = await run();
      await runSql(world.deps, back);
      expect([table, code]).to.deep.equal([table, 1]);
      expect(out).to.include(category);
    }
    expect((await run()).code).to.equal(0);
  });
});
