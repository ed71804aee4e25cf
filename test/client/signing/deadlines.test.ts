// CI: it registers a client and signs on the chain for each test.

import { expect } from 'chai';
import { Transaction } from 'ethers';
import type { CurvetOptions, Entry } from '../../../client/src/curvet.js';
import { decodeTrade } from '../../../client/src/signing/calldata.js';
import {
  type ClientTrader,
  clockOf,
  lose,
  newClientTrader,
  thrown,
  useClockAhead,
  useTradedAgent,
  withoutMining,
} from '../support/traders.js';

describe('a trade of the client that expires', () => {
  const { world, one, held } = useTradedAgent();
  const { clock, pass: passBy } = useClockAhead(world);
  /**
   * Moves the clocks of service and client past the deadline, but not that of the chain. The chain would still accept
   * the transaction: only its nonce prevents that.
   */
  const pass = () => passBy(700_000);
  const seconds = () => Math.floor(clock.now().getTime() / 1000);

  const trader = (given: Partial<CurvetOptions> = {}) =>
    newClientTrader(world, { clock: clockOf({ clock }), ...given });

  /** Lets a purchase expire in the pool of the chain, and signs the next one before a block is mined. */
  const replacePending = (bob: ClientTrader, next: typeof one) =>
    withoutMining(world, async () => {
      expect(await thrown(bob.curvet.trade.buy(one))).to.include({ code: 'TRADE_PENDING' });
      pass();
      expect(await thrown(bob.curvet.trade.buy(next))).to.include({ code: 'TRADE_PENDING' });
    });
  const signedIn = ({ attempts }: Entry) => attempts.map(({ raw }) => Transaction.from(raw));
  const noncesOf = (entry: Entry) => signedIn(entry).map(({ nonce }) => nonce);
  const deadlinesOf = (entry: Entry) => signedIn(entry).map(({ data }) => decodeTrade(data)?.deadline);
  for (const [deadlineSeconds, expected] of [
    [undefined, 600],
    [30, 30],
    [3600, 3600],
    [null, undefined],
  ] as const) {
    it(`is signed with a deadline in ${expected} seconds by deadlineSeconds ${deadlineSeconds}`, async () => {
      const bob = await trader({ deadlineSeconds });
      const started = seconds();
      const { deadline } = await bob.curvet.trade.dryRun('buy', one);
      await bob.curvet.trade.buy({ ...one, amount: 2 });
      await bob.curvet.trade.sell(one);
      const entries = await bob.entries();
      const signed = entries.flatMap((entry) => [...deadlinesOf(entry), entry.deadline]);
      expect(signed).to.have.length(4);
      for (const time of [deadline === null ? undefined : Date.parse(deadline) / 1000, ...signed]) {
        if (expected === undefined) expect(time).to.equal(undefined);
        else expect(time).to.be.within(started + expected, seconds() + expected);
      }
    });
  }

  it('takes 10 to 3600 seconds', async () => {
    for (const deadlineSeconds of [9, 3601, Number.NaN]) {
      const bob = await trader({ deadlineSeconds });
      expect(await thrown(bob.curvet.trade.buy(one))).to.be.instanceOf(RangeError);
    }
  });

  it('replaces itself in the pool of the chain', async () => {
    const bob = await trader({ confirmMs: 500 });
    await replacePending(bob, one);
    const { hash } = await bob.curvet.trade.buy(one);
    const [entry] = await bob.entries();
    expect(entry?.attempts).to.have.length(2);
    expect(hash).to.equal(entry?.attempts[1]?.hash);
    expect(await held(bob)).to.equal(1);
  });

  it('is replaced in the pool by the next trade of the wallet', async () => {
    const bob = await trader({ confirmMs: 500 });
    const two = { ...one, amount: 2 };
    await replacePending(bob, two);
    expect(await held(bob)).to.equal(2);
    await bob.curvet.trade.buy(two);
    const [expired, next] = await bob.entries();
    expect([noncesOf(expired as Entry), expired?.state]).to.deep.equal([noncesOf(next as Entry), 'signed']);
    await bob.curvet.trade.buy(one);
    expect(await held(bob)).to.equal(3);
  });

  for (const more of [{}, { id: 'monday' }]) {
    it(`gives its nonce to the next trade, and is bought anew: ${JSON.stringify(more)}`, async () => {
      const bob = await trader();
      await lose(bob, { ...one, ...more });
      pass();
      await bob.curvet.trade.buy({ ...one, amount: 2 });
      expect(await held(bob)).to.equal(2);
      await bob.curvet.trade.buy({ ...one, ...more });
      expect(await held(bob)).to.equal(3);
      const [next, renewed] = await bob.entries();
      const [nonce = 0] = noncesOf(next as Entry);
      expect(noncesOf(renewed as Entry)).to.deep.equal([nonce, nonce + 1]);
    });
  }

  it('expires by the time of the chain, too', async () => {
    const { provider } = world.chain;
    const bob = await trader();
    const snapshot = await provider.send('evm_snapshot', []);
    await lose(bob, one);
    try {
      await provider.send('evm_setNextBlockTimestamp', [seconds() + 20_000]);
      await provider.send('evm_mine', []);
      // Service and client are behind the chain, so their new deadline has passed, too.
      expect(await thrown(bob.curvet.trade.buy(one))).to.include({
        code: 'TRADE_REVERTED',
        message: 'DeadlineExpired',
      });
      const [entry] = await bob.entries();
      expect(entry?.attempts).to.have.length(1);
      expect(await held(bob)).to.equal(0);
    } finally {
      await provider.send('evm_revert', [snapshot]);
    }
  });
});
