import { expect } from 'chai';
import {
  type ClientTrader,
  clockOf,
  newClientTrader,
  rpcThatSays,
  thrown,
  useTradedAgent,
} from '../../../support/client/traders.js';

describe('the tickets that a trade of the client reports', () => {
  const { world, one, held } = useTradedAgent();

  /** A trader that buys two more tickets as soon as a trade is mined. `says` gives the number of tickets that its RPC reports. */
  async function buyer(says: (block: unknown, slept: number) => unknown): Promise<ClientTrader> {
    let [bought, slept] = [false, 0];
    const rpc = rpcThatSays((method, [call, block]) =>
      // 0xae274af2 is the selector of `ticketBalance`.
      method === 'eth_call' && String((call as { data: string }).data).startsWith('0xae274af2') ? says(block, slept) : undefined,
    );
    const bob: ClientTrader = await newClientTrader(world, {
      async fetch(input, init) {
        const answer = await rpc(input, init);
        if (!bought && String(init?.body).includes('eth_getTransactionReceipt')) {
          bought = true;
          await bob.trader.buy(one.agent, 2);
        }
        return answer;
      },
      clock: {
        ...clockOf(world),
        sleep: async (milliseconds) => {
          slept += milliseconds;
        },
      },
    });
    return bob;
  }
  // The error of a node that does not have the block, or no longer has its state.
  const missing = new Error('header not found');
  // The first answer for the block of the trade is null. Then the client asks for the newest block instead.
  const nothingFirst =
    (asked = 0) =>
    (block: unknown) =>
      block === 'latest' || asked++ > 0 ? undefined : null;

  for (const [what, says, expected] of [
    ['are those after the trade', () => undefined, 1],
    ['are those after the trade, also if a node gets its block later', (_, slept) => (slept < 3000 ? missing : undefined), 1],
    ['are the present ones if no node has the state of its block', (block) => (block === 'latest' ? undefined : missing), 3],
    ['are the present ones if the RPC answers nothing for its block', nothingFirst(), 3],
  ] as readonly [string, (block: unknown, slept: number) => unknown, number][]) {
    it(what, async () => {
      const bob = await buyer(says);
      expect(await bob.curvet.trade.buy(one)).to.include({ ticketsHeld: expected });
      expect(await held(bob)).to.equal(3);
    });
  }
});

describe('a trade of the client with confirmations', () => {
  const { world, one, held } = useTradedAgent();

  it('is pending until as many blocks follow its block, and is traded once', async () => {
    const bob = await newClientTrader(world, { confirmations: 2 });
    const error = await thrown(bob.curvet.trade.buy(one));
    expect(error).to.include({
      code: 'TRADE_PENDING',
      message: 'the transaction is mined and waits for 2 more blocks',
    });
    await world.chain.provider.send('anvil_mine', ['0x1']);
    expect(await thrown(bob.curvet.trade.buy(one)))
      .to.have.property('message')
      .match(/waits for 1 more blocks$/);
    await world.chain.provider.send('anvil_mine', ['0x1']);
    expect(await bob.curvet.trade.buy(one)).to.include({ continued: true, ticketsHeld: 1 });
    expect(await held(bob)).to.equal(1);
  });

  it('waits for the blocks that others mine', async () => {
    const sleep = () => world.chain.provider.send('anvil_mine', ['0x1']);
    const bob = await newClientTrader(world, { confirmations: 2, clock: { ...clockOf(world), sleep } });
    const { blockNumber } = await bob.curvet.trade.buy(one);
    expect(await world.chain.provider.getBlockNumber()).to.equal(blockNumber + 2);
  });
});
