// CI: the index compares itself with the chain, which is expensive.
import { expect } from 'chai';
import { readCursor } from '../../src/index/cursor.js';
import { useLossyIndex } from '../support/chain/lossy-index.js';
import type { Call, Log, Relay } from '../support/chain/relay.js';
import { useWorld } from '../support/world.js';

/** The number of recent blocks whose state the node provides. */
const KNOWN = 5;

describe('an index whose RPC refuses calls at old blocks', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);

  function fails(node: Relay, isOld: (call: Call) => boolean, message: string): void {
    const { distort } = node;
    node.distort = (call, result) => {
      if (isOld(call)) throw new Error(message);
      return distort ? distort(call, result) : result;
    };
  }

  /** Most refusals look like an unreachable RPC, because they are not JSON-RPC answers of the node. */
  const refusals: Record<string, (node: Relay, isOld: (call: Call) => boolean) => void> = {
    'HTTP 403': (node, isOld) => {
      node.refuses = (call) => (isOld(call) ? 403 : undefined);
    },
    'HTTP 429': (node, isOld) => {
      node.refuses = (call) => (isOld(call) ? 429 : undefined);
    },
    'an error for too many requests': (node, isOld) => fails(node, isOld, 'rate limit exceeded'),
    'an error for a state that is gone': (node, isOld) => fails(node, isOld, 'missing trie node'),
  };

  for (const [name, refuse] of Object.entries(refusals)) {
    for (const finder of ['the audit of states', 'a contradiction'] as const) {
      it(`is complete after ${finder} (${name})`, async () => {
        await suite.traffic.act(10);
        const [agent, buyer] = suite.traffic.traders;
        const lost = (await buyer?.buy(agent?.wallet ?? '', 3))?.hash ?? '';
        await suite.mine(40);
        const { market, node } = await suite.over(1);
        // The node omits the log once, like a node that lags briefly.
        let once = true;
        node.omits = (log: Log) => once && log.transactionHash === lost;
        node.distort = (call, result) => {
          if (call.method === 'eth_getLogs') once = false;
          return result;
        };
        let turnedAway = 0;
        let head = await suite.head();
        refuse(node, ({ method, params }) => {
          const old = method === 'eth_call' && params[1] !== 'latest' && Number(params[1]) < head - KNOWN;
          if (old) turnedAway++;
          return old;
        });
        if (finder === 'a contradiction') {
          suite.start(market, { auditMs: Number.POSITIVE_INFINITY });
          await suite.until(async () => (await readCursor(world.deps)).blockNumber >= (await suite.head()));
          expect(await suite.isWhole()).to.equal(false);
          head += 1;
          await buyer?.buy(agent?.wallet ?? '', 1);
        } else suite.start(market);
        await suite.becomesWhole();
        expect(node.omitted).to.be.greaterThan(0);
        expect(turnedAway).to.be.greaterThan(0);
      });
    }
  }
});
