// CI: it makes many trades on the chain, which take seconds.
import { expect } from 'chai';
import { type Entry, memoryJournal } from '../../../client/src/curvet.js';
import {
  type ClientTrader,
  clockOf,
  lose,
  newClientTrader,
  rpcThatSays,
  thrown,
  useTradedAgent,
  withoutMining,
} from '../support/traders.js';

describe('a trade of the client that a reorg removes', () => {
  const { world, one, held } = useTradedAgent();
  const ask = () => ({ ...one, thesis: 'Before the reorg', id: 'one' });
  const send = (method: string, ...params: unknown[]) => world.chain.provider.send(method, params);
  const nonceOf = ({ wallet }: ClientTrader) => world.chain.provider.getTransactionCount(wallet);

  /** A trader, what it does, and the chain as it was before that. */
  async function reorged(work: (bob: ClientTrader) => Promise<unknown>) {
    const bob = await newClientTrader(world);
    const snapshot = await send('evm_snapshot');
    await work(bob);
    await send('evm_revert', snapshot);
    return bob;
  }
  /** What an RPC says of a transaction that it does not know. */
  const UNKNOWN = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
  const impatient = () => ({ ...clockOf(world), sleep: async () => {} });
  const attemptsOf = async (bob: ClientTrader) => (await bob.entries()).map(({ attempts }) => attempts.length);

  it('is GONE, however often it is called, and is traded again only when told', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    for (let call = 0; call < 2; call++) {
      const error = await thrown(bob.curvet.trade.buy(ask()));
      expect(error).to.include({ code: 'GONE' });
      expect(error)
        .to.have.property('hint')
        .match(/^Nothing was traded now\. .*again: true, or --again/);
      expect(error).to.have.nested.property('details.hash', (await bob.entries())[0]?.hash);
    }
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([0, [1]]);
    const refused = { ...ask(), again: true, maxSlippage: 51 };
    expect(await thrown(bob.curvet.trade.buy(refused))).to.be.instanceOf(RangeError);
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    const traded = await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(traded).to.include({ id: 'one', ticketsHeld: 1, recordError: null });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([1, [2]]);
    // Told again about a trade that is there, the client trades nothing.
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ hash: traded.hash, continued: true });
    expect(await held(bob)).to.equal(1);
  });

  it('is traded again with the next nonce if the chain has lost earlier transactions of the wallet, too', async () => {
    const bob = await reorged(async ({ curvet }) => {
      await curvet.trade.buy({ ...one, amount: 2 });
      await curvet.trade.buy(ask());
    });
    const next = await nonceOf(bob);
    await bob.curvet.trade.buy({ ...ask(), again: true });
    expect([await held(bob), (await bob.entries()).at(-1)?.nonce]).to.deep.equal([1, next]);
  });

  it('is GONE if a later trade of the client has used its nonce, and TRADE_REPLACED if another program has', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    await bob.curvet.trade.buy({ ...ask(), again: true });
    expect(await held(bob)).to.equal(3);
    const eve = await reorged((trader) => trader.curvet.trade.buy(ask()));
    await (await eve.signer.sendTransaction({ to: eve.wallet, value: 1n })).wait();
    expect(await thrown(eve.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REPLACED' });
  });

  it('is waited for while it is in the pool, and has the block in which it is mined then', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    const [entry] = await bob.entries();
    // The pool of anvil does not get back what a reorg removes.
    await withoutMining(world, async () => {
      await send('eth_sendRawTransaction', entry?.attempts[0]?.raw);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_PENDING' });
      await send('anvil_mine', '0x3');
    });
    const receipt = await world.chain.provider.getTransactionReceipt(String(entry?.hash));
    const { hash, blockNumber, trade } = await bob.curvet.trade.buy(ask());
    expect({ hash, blockNumber }).to.deep.equal({ hash: entry?.hash, blockNumber: receipt?.blockNumber });
    expect(trade).to.include({ thesis: 'Before the reorg' });
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([1, [1]]);
    // It has ended, as it had before the reorg.
    const { id: _, ...anew } = ask();
    expect(await bob.curvet.trade.buy(anew)).to.include({ continued: false, ticketsHeld: 2 });
  });

  it('is GONE if the pool drops it, also after its deadline, and is traded again only when told', async () => {
    const bob = await reorged((trader) => trader.curvet.trade.buy(ask()));
    const { attempts, hash } = (await bob.entries())[0] as Entry;
    await withoutMining(world, async () => {
      await send('eth_sendRawTransaction', attempts[0]?.raw);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_PENDING' });
      await send('anvil_dropTransaction', hash);
    });
    for (const wait of [0, 700_000]) {
      world.clock.advance(wait);
      expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'GONE' });
    }
    expect([await held(bob), await attemptsOf(bob)]).to.deep.equal([0, [1]]);
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ ticketsHeld: 1 });
    expect((await bob.entries())[0]).to.include({ state: 'recorded', open: false });
  });

  it('stands after 10,000 blocks, also for a node that has pruned its receipt', async () => {
    let says: Readonly<Record<string, unknown>> = {};
    const pruned = (head: number) => ({ ...UNKNOWN, eth_blockNumber: `0x${head.toString(16)}` });
    const journal = memoryJournal();
    const bob = await newClientTrader(world, { journal, fetch: rpcThatSays(() => says), clock: impatient() });
    const { hash, blockNumber, total } = await bob.curvet.trade.buy(ask());
    const done = { hash, total, continued: true, ticketsHeld: 1 };
    says = pruned(blockNumber + 10_001);
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
    says = pruned(blockNumber + 10_000);
    const error = await thrown(bob.curvet.trade.buy(ask()));
    expect(error).to.include({ code: 'TRADE_REPLACED' });
    expect(error)
      .to.have.property('hint')
      .match(new RegExp(`^It was mined in block ${blockNumber} before\\. Check`));
    // A node that still has the receipt ends the trade as before.
    says = {};
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
    expect((await bob.entries())[0]).to.include({ state: 'recorded', open: false });
    // A journal of 0.2.0 has what the service recorded, and not what the chain said.
    await journal.exclusive(async (file) =>
      file.write((await file.read()).map(({ traded: _, ...entry }) => ({ ...entry }))),
    );
    says = pruned(blockNumber + 10_001);
    expect(await bob.curvet.trade.buy(ask())).to.include(done);
  });

  for (const [what, height] of [
    ['of which all nodes lag', { eth_blockNumber: '0x1' }],
    ['of which some nodes lag', {}],
  ] as const) {
    it(`is not GONE if an RPC, ${what} behind its block, knows it after 14 seconds`, async () => {
      let [slept, isBehind] = [0, false];
      const behind = { ...UNKNOWN, ...height, eth_getTransactionCount: '0x0' };
      const fetch = rpcThatSays(() => (isBehind && slept <= 14_000 ? behind : {}));
      const sleep = async (milliseconds: number) => {
        slept += milliseconds;
      };
      const bob = await newClientTrader(world, { fetch, clock: { ...clockOf(world), sleep } });
      const { hash } = await bob.curvet.trade.buy(ask());
      [slept, isBehind] = [0, true];
      expect(await bob.curvet.trade.buy(ask())).to.include({ hash, continued: true });
      expect(slept).to.be.above(14_000);
    });
  }

  it('is not traded twice when told, if a node lags behind by two transactions and the next answer is current', async () => {
    let behind: Readonly<Record<string, unknown>> | undefined;
    const answer = rpcThatSays(() => behind ?? {});
    const bob = await newClientTrader(world, {
      clock: impatient(),
      async fetch(input, init) {
        const answered = await answer(input, init);
        if (String(init?.body).includes('"pending"')) behind = undefined;
        return answered;
      },
    });
    const first = await nonceOf(bob);
    await bob.curvet.trade.buy({ ...one, amount: 2 });
    const { hash } = await bob.curvet.trade.buy(ask());
    behind = { ...UNKNOWN, eth_getTransactionCount: `0x${first.toString(16)}` };
    expect(await bob.curvet.trade.buy({ ...ask(), again: true })).to.include({ hash, ticketsHeld: 3 });
    expect(await held(bob)).to.equal(3);
  });

  it('is there if it had reverted, and trades in its block after the reorg', async () => {
    const journal = memoryJournal();
    const bob = await newClientTrader(world, { journal });
    await lose(bob, ask());
    const [signed] = (await bob.entries()) as [Entry];
    const reverted = {
      ...signed,
      state: 'reverted',
      open: false,
      hash: signed.attempts[0]?.hash,
      blockNumber: 1,
    } as Entry;
    await journal.exclusive((file) => file.write([reverted]));
    expect(await thrown(bob.curvet.trade.buy(ask()))).to.include({ code: 'TRADE_REVERTED' });
    await send('eth_sendRawTransaction', signed.attempts[0]?.raw);
    expect(await bob.curvet.trade.buy(ask())).to.include({ hash: reverted.hash, ticketsHeld: 1, recordError: null });
  });

  it('says in which block it was mined if the RPC is away', async () => {
    let isAway = false;
    const fetch: typeof globalThis.fetch = (input, init) =>
      isAway && String(init?.body).includes('jsonrpc')
        ? Promise.reject(new TypeError('away'))
        : globalThis.fetch(input, init);
    const bob = await newClientTrader(world, { fetch });
    const { id, hash, blockNumber } = await bob.curvet.trade.buy(ask());
    isAway = true;
    const error = await thrown(bob.curvet.trade.buy(ask()));
    expect(error).to.deep.include({ code: 'RPC', details: { id, hash, terms: (await bob.entries())[0]?.terms } });
    expect(error)
      .to.have.property('message')
      .match(new RegExp(`The transaction was mined in block ${blockNumber}$`));
  });
});

describe('the tickets that a trade of the client reports', () => {
  const { world, one, held } = useTradedAgent();

  for (const [what, isPruned, expected] of [
    ['are those after its block', false, 1],
    ['are those of today if the node no longer has the state of its block', true, 3],
  ] as const) {
    it(what, async () => {
      let bought = false;
      const bob: ClientTrader = await newClientTrader(world, {
        async fetch(input, init) {
          const body = String(init?.body);
          if (isPruned && body.includes('eth_call') && !body.includes('"latest"'))
            return Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'missing trie node' } });
          const answer = await globalThis.fetch(input, init);
          if (!bought && body.includes('eth_getTransactionReceipt')) {
            bought = true;
            await bob.trader.buy(one.agent, 2);
          }
          return answer;
        },
      });
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
