import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { Engine } from '../../../../src/server/graphql/engine.js';
import { populate } from '../../../support/market/market.js';
import { useWorld } from '../../../support/world.js';

const MB = 2 ** 20;

const relations = Array.from(
  { length: 9 },
  (_, n) => `r${n}: trades(first: 1) { nodes { agent { name id } trader { name id } } }`,
).join(' ');
const selections = [
  `agents(first: 20) { nodes { walletAddress name totalSupply trades(first: 5) { nodes { price trader { name } } } } }`,
  'feed(first: 5) { nodes { id createdAt agent { name } ... on TradeEvent { trader { name } } } }',
  'feed(first: 1) { nodes { agent { feed(first: 1) { nodes { agent { name id referrer { name } } } } } } }',
  `agents(first: 1) { nodes { ${relations} } }`,
];

describe('the memory of documents', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  before(() => populate(world));

  it('grows by at most 40 MB for 500 documents that are sent four times, and shrinks when others evict them', async () => {
    const engine = new Engine(world.deps, graphqlSchema());
    await engine.start();
    const send = async (from: number, to: number, times: number, of = selections) => {
      for (let n = from; n < to; n++) {
        for (let time = 0; time < times; time++) {
          const call = { actor: null, ip: '192.0.2.1', request: { query: `query Q${n} { ${of[n % of.length]} }` } };
          const outcome = await engine.live(call, { mayWrite: false });
          expect(JSON.stringify(outcome.kind === 'answer' && outcome.result)).to.not.include('"errors"');
        }
      }
    };
    // Loads and compiles what all documents share, so that the measurement leaves it out.
    await send(0, 20, 4);
    const before = heapUsed();
    // Four times, because a query is compiled at its third execution, and then takes more memory.
    await send(1000, 1500, 4);
    const filled = heapUsed() - before;
    await send(2000, 2500, 1, ['agents { totalCount }']);
    const emptied = heapUsed() - before;
    expect(filled / MB).to.be.within(5, 40);
    expect(emptied / MB).to.be.below(filled / MB / 2);
    // Uses the engine once more, so that it cannot be garbage-collected before the last measurement.
    await send(0, 1, 1);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
