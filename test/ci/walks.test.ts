import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { catchUp } from '../../src/index/ingest.js';
import { newAgent, success, tradeOnChain } from '../support/market/agents.js';
import { root } from '../support/service/process.js';
import { ask, useWorld } from '../support/world.js';

/** The files that every request passes. The lists in ARCHITECTURE.md leave them out. */
const PASSED_BY_ALL =
  /^src\/(deps|tasks|config\/timeouts|errors\/.*|values\/(time|money)|observe\/.*|limits\/.*|store\/(connections\/.*|database)|live\/(process|redis))\.ts$/;

/** Headers that bypass the caches of answers. */
const fresh = { 'cache-control': 'no-cache' };

/** The files whose functions run while `work` runs. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const hasRun = ({ functions }: (typeof result)[number]) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
  return result
    .filter(hasRun)
    .flatMap(({ url }) => /\/dist\/(src\/.+)\.js$/.exec(url)?.[1] ?? [])
    .map((path) => `${path}.ts`)
    .filter((path) => !PASSED_BY_ALL.test(path));
}

/** The files that ARCHITECTURE.md lists for a request. Also checks the number in the title of the list. */
function listed(title: string): string[] {
  const items = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n- **');
  const text = items.find((item) => item.startsWith(title)) ?? '';
  const files = [...text.matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map(([, path]) => String(path));
  expect(text, 'the number of files').to.include(`, ${files.length} files**`);
  return files;
}

describe('the files that a request passes', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'on' });

  /**
   * `requestOf` prepares what a request needs, and returns the request. The first run is not counted, so that lazy parts are
   * loaded. The requests use `ask`, because `world.ask` would also run functions of the declarations. `most` is the maximum number
   * of files, because more would be hard to follow.
   */
  const walks = (title: string, most: number, requestOf: () => Promise<() => Promise<unknown>>) =>
    it(`are those in ARCHITECTURE.md, and at most ${most}: ${title}`, async () => {
      await (await requestOf())();
      const files = await filesOf(await requestOf());
      expect(files.toSorted()).to.deep.equal(listed(title).toSorted());
      expect(files.length).to.be.at.most(most);
    });

  before(async () => {
    const [ada, bob] = [await newAgent(world), await newAgent(world)];
    const buy = await tradeOnChain(bob, 'buy', ada, 1);
    success(await world.ask('POST', '/api/tickets/buy', { key: bob.key, body: buy }));
  });

  walks('`GET /api/agents`', 23, async () => async () => {
    expect((await ask(world.url, 'GET', '/api/agents', { headers: fresh })).status).to.equal(200);
  });

  walks('`{ agents { nodes { trades { nodes { agent { name } } } } } }`', 27, async () => async () => {
    const text = '{ agents { nodes { trades { nodes { agent { name } } } } } }';
    const { body } = await ask(world.url, 'POST', '/graphql', { body: { query: text }, headers: fresh });
    expect(body.errors).to.equal(undefined);
  });

  walks('`POST /api/tickets/buy` of an indexed trade', 28, async () => {
    const [ada, bob] = [await newAgent(world), await newAgent(world)];
    const buy = await tradeOnChain(bob, 'buy', ada, 1);
    await catchUp(world.deps, await world.deps.chain.blockNumber());
    const body = { ...buy, thesis: 'Cheap' };
    const headers = { 'idempotency-key': buy.txHash };
    return async () => success(await ask(world.url, 'POST', '/api/tickets/buy', { key: bob.key, body, headers }));
  });
});
