import { expect } from 'chai';
import { DAY_MS } from '../../../../src/values/time.js';
import { clockOf, limitsOf, newClient, newClientTrader, thrown, useNamedWorld } from '../../../support/client/traders.js';

describe('a withdrawal of the client', () => {
  const world = useNamedWorld();

  it('pays the fees, and says in words why the contract refuses it', async () => {
    const { curvet, trader, wallet, entries } = await newClientTrader(world);
    await trader.buy(wallet, 1);
    const early = (await thrown(curvet.withdraw())) as Error;
    expect(early).to.include({
      code: 'TRADE_REVERTED',
      message: '0.000001 ETH of fees are pending, and a withdrawal needs 0.001 ETH',
    });
    expect(await entries()).to.deep.equal([]);

    await trader.buy(wallet, 20);
    const plan = await curvet.withdraw({ dryRun: true });
    expect(plan).to.include({ id: null, hash: null, blockNumber: null });
    expect(await entries()).to.deep.equal([]);
    const balance = () => world.chain.provider.getBalance(wallet);
    const before = await balance();
    const paid = await curvet.withdraw();
    expect(paid).to.include({ amount: plan.amount, amountEth: plan.amountEth });
    const { gasPrice, gasUsed } = (await world.chain.provider.getTransactionReceipt(String(paid.hash))) ?? {};
    expect((await balance()) - before).to.equal(BigInt(paid.amount) - (gasPrice ?? 0n) * (gasUsed ?? 0n));
    expect((await entries()).map(({ kind, state, open }) => [kind, state, open])).to.deep.equal([['withdraw', 'recorded', false]]);

    await trader.buy(wallet, 10);
    const { timestamp } = (await world.chain.provider.getBlock(Number(paid.blockNumber))) ?? { timestamp: 0 };
    const next = new Date(timestamp * 1000 + DAY_MS).toISOString();
    const soon = await thrown(curvet.withdraw());
    expect(soon).to.include({ code: 'TRADE_REVERTED', message: `the next withdrawal is possible at ${next}` });
    expect(soon)
      .to.have.property('retryAfter')
      .closeTo(DAY_MS / 1000, 60);
    world.clock.advance(DAY_MS);
    await trader.buy(wallet, 1);
    expect(BigInt((await curvet.withdraw()).amount) > 0n).to.equal(true);
  });

  it('continues after a crash, is repeated after a reorg, and stays within the limits', async () => {
    const lost = await newClientTrader(world);
    await lost.trader.buy(lost.wallet, 20);
    // The transaction is signed and never reaches the chain, as if the process had died before it sent it.
    lost.cut.lost = true;
    expect(await thrown(lost.curvet.withdraw())).to.include({ code: 'RPC' });
    lost.cut.lost = false;
    const paid = await lost.curvet.withdraw({ hold: true });
    expect(await lost.curvet.withdraw({ hold: true })).to.deep.equal(paid);
    await lost.curvet.trade.close(String(paid.id));
    expect(await thrown(lost.curvet.withdraw())).to.include({ code: 'TRADE_REVERTED' });

    const provider = world.chain.provider;
    const moved = await newClientTrader(world);
    await moved.trader.buy(moved.wallet, 20);
    const snapshot = await provider.send('evm_snapshot', []);
    const { id, amount } = await moved.curvet.withdraw({ hold: true });
    await provider.send('evm_revert', [snapshot]);
    const again = await moved.curvet.withdraw({ hold: true });
    expect(again).to.include({ id, amount });
    expect(await provider.getTransactionReceipt(String(again.hash))).to.include({ status: 1 });

    // A node that lags may know a receipt once, and not know it when it is asked again. This RPC does so.
    let receipts = 0;
    const late = await newClientTrader(world, {
      async fetch(input, init) {
        const isReceipt = String(init?.body).includes('eth_getTransactionReceipt');
        const answer = await globalThis.fetch(input, init);
        if (!isReceipt || ((await answer.clone().json()) as { result: unknown }).result === null || receipts++ === 0) return answer;
        return Response.json({ jsonrpc: '2.0', id: 1, result: null });
      },
    });
    await late.trader.buy(late.wallet, 20);
    const { amount: due } = await late.curvet.withdraw({ dryRun: true });
    expect([(await late.curvet.withdraw()).amount, due === '0']).to.deep.equal([due, false]);

    const stranger = await newClient(world);
    expect(await thrown(stranger.curvet.withdraw())).to.include({
      message: 'the wallet is not registered on the chain',
    });
    // Limits that do not allow the function, and limits whose gas fee is too low.
    for (const forbidden of [{ functions: ['buyTickets'] as const }, { gas: '0.0000000001' }]) {
      const bound = await newClientTrader(world, {
        clock: clockOf(world),
        limits: { ...limitsOf(world), ...forbidden },
      });
      expect(await thrown(bound.curvet.withdraw())).to.include({ code: 'LIMIT_EXCEEDED' });
    }
  });
});
