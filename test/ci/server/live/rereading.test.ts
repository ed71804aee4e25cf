import { expect } from 'chai';
import { getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { liveFields, readPayloads } from '../../../../src/features/subscriptions/graphql.js';
import { readCursor, setFault } from '../../../../src/index/cursor.js';
import { applyRange, catchUp } from '../../../../src/index/ingest.js';
import { repairBlock } from '../../../../src/index/repair.js';
import { contextOf } from '../../../../src/server/graphql/engine.js';
import { Hub } from '../../../../src/server/live/hub.js';
import { Watch } from '../../../../src/server/live/watch.js';
import { useLossyIndex } from '../../../support/chain/lossy-index.js';
import { addAgent } from '../../../support/market/rows.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';

const POLL_MS = 1000;

describe('live events while the index reads blocks again after a repair', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const catchUpAll = async () => expect(await catchUp(world.deps, await suite.head())).to.equal(true);

  async function newestSequence(): Promise<number> {
    const [row] = await world.deps.sql<{ last: number }>('select last from live_cursor');
    return Number(row?.last ?? 0);
  }
  async function tradesAfter(sequence: number): Promise<number[]> {
    const rows = await world.deps.sql<{ sequence: number }>(
      "select sequence from live_event where topic = 'trade' and sequence > $1 order by sequence",
      [sequence],
    );
    return rows.map((row) => Number(row.sequence));
  }

  for (const field of [liveFields.trade, liveFields.feedEvent]) {
    for (const isStopped of [false, true]) {
      it(`${isStopped ? 'leave out what a stopped index lacks' : 'wait for missing trades'}, in ${field.name}`, async () => {
        const [one, two, trader] = suite.traffic.traders;
        for (const { wallet } of suite.traffic.traders.slice(0, 2)) await addAgent(world, { wallet });
        await catchUpAll();
        const from = await newestSequence();
        const before = (await readCursor(world.deps)).blockNumber;
        const lost = await trader?.buy(one?.wallet ?? '', 1);
        const kept = await trader?.buy(two?.wallet ?? '', 1);
        // The index reads the blocks of both trades, but without the first trade.
        const range = await world.deps.chain.range(before + 1, await suite.head());
        const facts = range.facts.filter(({ txHash }) => txHash !== lost?.hash);
        expect(await applyRange(world.deps, { ...range, facts })).to.equal(true);
        expect(await tradesAfter(from)).to.have.length(1);
        // The repair goes back to the block of the first trade. The second is missing until the index reads its block again.
        expect(await repairBlock(world.deps, lost?.blockNumber ?? 0)).to.equal('repaired');
        expect(await world.deps.sql('select 1 from transaction where tx_hash = $1', [kept?.hash])).to.deep.equal([]);
        if (isStopped) await setFault(world.deps, 'a reason');

        const times = manualTimes();
        /** Number of times that the hub has read the contents of events. */
        let looks = 0;
        const hub = new Hub({ ...world.deps, times }, { answerEvent: async () => '{}' }, (...wanted) =>
          readPayloads(...wanted).finally(() => looks++),
        );
        const sequences: number[] = [];
        const send = (_: string, sequence: number) => void sequences.push(sequence);
        const sender = { send, isFull: () => false, drained: async () => {}, end: () => {} };
        const document = parse(`subscription { ${field.name} { sequence } }`);
        const node = getOperationAST(document) as OperationDefinitionNode;
        const operation = { cost: 1, document, documentHash: '', node, operationName: undefined, variableValues: {} };
        const watch = new Watch(field, undefined, String(from));
        const context = contextOf(world.deps, null, '192.0.2.1');
        const { end } = await hub.subscribe({ operation, watch, context }, sender);
        await eventually(() => looks > 0, 'the hub does not read the events');
        if (!isStopped) {
          expect(sequences).to.deep.equal([]);
          await catchUpAll();
        }
        const all = await tradesAfter(from);
        expect(all).to.have.length(2);
        await eventually(
          () => {
            times.advance(POLL_MS);
            return sequences.at(-1) === all.at(-1);
          },
          () => `the subscriber has ${sequences} of ${all}`,
        );
        expect(sequences).to.deep.equal(isStopped ? all.slice(1) : all);
        end();
      });
    }
  }
});
