import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Entry, memoryJournal, type SpendingLimits, toWei } from '../../../../client/src/curvet.js';
import { fileJournal } from '../../../../client/src/node.js';
import { decodeTrade, encodeTrade, type Side, type TradeCall } from '../../../../client/src/signing/calldata.js';
import {
  CHAIN,
  CONTRACT,
  GAS,
  honestQuote,
  inAnswer,
  limits,
  NAMED,
  type Tamper,
  victim,
} from '../../../support/client/fake-service.js';
import { SleepClock } from '../../../support/client/scripted.js';
import { entriesOf, thrown } from '../../../support/client/traders.js';
import { endProcesses, freshDirectory } from '../../../support/service/process.js';

const AGENT = NAMED.wallet;
const callOf = (data: string): TradeCall => decodeTrade(data) as TradeCall;
/** Replaces the result of one method of the RPC. */
const says = (method: string, result: unknown): Tamper => inAnswer(method, { result });
/** Replaces fields of a quote. `change` gets the transaction of the quote. */
const inQuote =
  (change: (transaction: Record<string, string>) => object): Tamper =>
  (what, answer) =>
    what === '/api/tickets/quote' ? { ...answer, ...change(answer.transaction as Record<string, string>) } : answer;
const inTransaction = (change: (transaction: Record<string, string>) => object): Tamper =>
  inQuote((transaction) => ({ transaction: { ...transaction, ...change(transaction) } }));

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const side = fc.constantFrom<Side[]>('buy', 'sell');
const amount = fc.integer({ min: 1, max: 20 });

/** Changes the decoded call in a quote. `paid` is added to the value of a purchase. */
const inCall = (change: (call: TradeCall) => Partial<TradeCall>, paid = 0n): Tamper =>
  inTransaction(({ data = '', value = '0' }) => {
    const call = callOf(data);
    const more = call.side === 'buy' ? paid : 0n;
    return { data: encodeTrade({ ...call, ...change(call) }), value: `0x${(BigInt(value) + more).toString(16)}` };
  });
const withoutDeadline = inCall(() => ({ deadline: undefined }));
const wei = fc.bigInt({ min: 1n, max: 10n ** 18n });
/**
 * Numbers from 10 to the power of `zeros` up to 10 to the power of 20. For a fee per gas (12) and a gas limit (8), `zeros` is so
 * high that the gas fee exceeds its limit of 0.01 ETH.
 */
const upwards = (zeros: number) => fc.bigInt({ min: 10n ** BigInt(zeros), max: 10n ** 20n });
/** All ids below that of the chain, which is 84532. */
const otherChain = fc.integer({ min: 1, max: 84531 });

const attacks: Readonly<Record<string, fc.Arbitrary<Tamper>>> = {
  'another contract in the quote': address.map((to) => inTransaction(() => ({ to }))),
  'another contract of the service': address.map((contractAddress) => inAnswer('/api/contract', { contractAddress })),
  'the transaction of another wallet': address.map((from) => inTransaction(() => ({ from }))),
  'another selector': fc
    .integer({ min: 0, max: 0xffffffff })
    .map((n) => inTransaction(({ data = '' }) => ({ data: `0x${n.toString(16).padStart(8, '0')}${data.slice(10)}` }))),
  'the other side': fc.constant(inCall((call) => ({ side: call.side === 'buy' ? 'sell' : 'buy' }))),
  'another agent': address.map((agent) => inCall(() => ({ agent }))),
  'another amount': fc
    .integer({ min: 1, max: 19 })
    .map((more) => inCall((call) => ({ amount: ((call.amount + more - 1) % 20) + 1 }))),
  'a value above the quote': wei.map((more) =>
    inTransaction(({ value = '0' }) => ({ value: `0x${(BigInt(value) + more).toString(16)}` })),
  ),
  'a maximum cost above the price': wei.map((more) =>
    inCall(({ side, bound }) => {
      const lower = bound < more ? 0n : bound - more;
      return { bound: side === 'buy' ? bound + more : lower };
    }, more),
  ),
  'a later or earlier deadline': fc
    // The client accepts a difference of 60 seconds, because clocks differ.
    .tuple(fc.constantFrom(1, -1), fc.integer({ min: 61, max: 10 ** 9 }))
    .map(([sign, seconds]) => inCall(({ deadline }) => ({ deadline: Math.max(0, Number(deadline) + sign * seconds) }))),
  'a call without a deadline': fc.constant(withoutDeadline),
  'a call without a deadline, if only the service says that the contract has none': fc.constant<Tamper>((what, answer, request) =>
    inAnswer('/api/contract', { overloads: false })(what, withoutDeadline(what, answer, request), request),
  ),
  'another chain of the service': otherChain.map((chainId) => inAnswer('/api/contract', { chainId })),
  'another chain of the RPC': otherChain.map((id) => says('eth_chainId', `0x${id.toString(16)}`)),
  'a fee above the gas limit': upwards(12).map((tip) => says('eth_maxPriorityFeePerGas', `0x${tip.toString(16)}`)),
  'a negative fee': upwards(10).map((tip) => says('eth_maxPriorityFeePerGas', `-${tip}`)),
  'no gas limit': fc.constant(inTransaction(() => ({ gasLimit: '0' }))),
  'a negative gas limit': upwards(0).map((gasLimit) => inTransaction(() => ({ gasLimit: `-${gasLimit}` }))),
  'a quote without its form': fc
    .tuple(fc.constantFrom('to', 'from', 'data', 'value', 'gasLimit'), fc.constantFrom(undefined, null, 7.5, 'x', {}))
    .map(([field, value]) => inTransaction(() => ({ [field]: value as never }))),
  'a quote without its parts': fc
    .constantFrom({ transaction: null }, { transaction: 7 }, { totalCost: null })
    .map((change) => inAnswer('/api/tickets/quote', change)),
  'a gas limit above the gas limit': upwards(8).map((gasLimit) => inTransaction(() => ({ gasLimit: `${gasLimit}` }))),
};

describe('the spending limits of the client', () => {
  after(endProcesses);

  for (const [name, tampers] of Object.entries(attacks)) {
    it(`keep it from signing anything, given ${name}`, () =>
      fc.assert(
        fc.asyncProperty(tampers, side, amount, async (tamper, direction, count) => {
          const { curvet, signed } = victim(tamper);
          const error = await thrown(curvet.trade[direction]({ agent: AGENT, amount: count }));
          expect(signed).to.deep.equal([]);
          expect(error).to.have.property('code').oneOf(['UNTRUSTED_ANSWER', 'LIMIT_EXCEEDED']);
        }),
        { numRuns: 60 },
      ));
  }

  it('cap what is signed at the price on the chain plus the slippage, whatever the quote says', () =>
    fc.assert(
      fc.asyncProperty(
        side,
        amount,
        // The price of a hostile quote, in thousandths of the honest price.
        fc.bigInt({ min: 300n, max: 3000n }),
        fc.integer({ min: 0, max: 50 }),
        async (direction, count, part, maxSlippage) => {
          const bound = (honestQuote(direction, count).total * part) / 1000n;
          const { curvet, signed } = victim(
            inQuote((transaction) => ({
              totalCost: `${bound / 10n ** 18n}.${(bound % 10n ** 18n).toString().padStart(18, '0')}`,
              transaction: {
                ...transaction,
                data: encodeTrade({ ...callOf(String(transaction.data)), bound }),
                value: direction === 'buy' ? `0x${bound.toString(16)}` : '0x0',
              },
            })),
          );
          await thrown(curvet.trade[direction]({ agent: AGENT, amount: count, maxSlippage }));
          const actual = honestQuote(direction, count).total;
          for (const { to, data, value, chainId } of signed) {
            const call = callOf(data);
            expect([to, chainId]).to.deep.equal([CONTRACT, CHAIN]);
            expect(call).to.include({ side: direction, agent: AGENT, amount: count });
            expect(call.deadline).to.be.a('number');
            // Rounding adds at most 1 wei.
            if (direction === 'buy') expect(value * 100n <= actual * BigInt(100 + maxSlippage) + 100n).to.equal(true);
            else expect(call.bound * 100n >= actual * BigInt(100 - maxSlippage) - 100n).to.equal(true);
          }
        },
      ),
      { numRuns: 200 },
    ));

  it('refuse a trade that exceeds one of them, and name that limit, before anything is signed', async () => {
    const { total } = honestQuote('buy', 2);
    // A purchase may cost 5 percent more than its total (slippage), so a limit of the total is too low.
    const cases: [Partial<SpendingLimits>, string][] = [
      [{ perTrade: total }, 'perTrade'],
      [{ gas: GAS - 1n }, 'gas'],
      [{ perDay: total + GAS }, 'perDay'],
      [{ functions: ['sellTickets'] }, 'functions'],
    ];
    for (const [changed, limit] of cases) {
      const { curvet, signed } = victim(undefined, { limits: { ...limits, ...changed } });
      const error = await thrown(curvet.trade.buy({ agent: AGENT, amount: 2 }));
      expect(error).to.have.property('code', 'LIMIT_EXCEEDED');
      expect(error).to.have.nested.property('details.limit', limit);
      expect(signed).to.deep.equal([]);
    }
  });

  it('count what was signed within 24 hours, also after a restart', async () => {
    const journalPath = join(freshDirectory(), 'journal.json');
    const clock = new SleepClock();
    const { bound } = await victim().curvet.trade.dryRun('buy', { agent: AGENT, amount: 2 });
    // Two purchases fit into the limit, a third does not.
    const perDay = 3n * (BigInt(bound) + GAS) - 1n;
    const restarted = () =>
      victim(undefined, { clock, journal: fileJournal(journalPath), limits: { ...limits, perDay } }).curvet.trade;
    const ask = { agent: AGENT, amount: 2 };
    await restarted().buy(ask);
    clock.time += 3_600_000;
    await restarted().buy(ask);
    const refusal = await thrown(restarted().buy(ask));
    expect(refusal).to.have.nested.property('details.limit', 'perDay');
    expect(await thrown(restarted().dryRun('buy', ask))).to.have.property('code', 'LIMIT_EXCEEDED');
    // The first purchase is now older than 24 hours, so it no longer counts.
    clock.time += 23 * 3_600_000 + 1;
    await restarted().buy(ask);
  });

  it('refuse in a dry run exactly what they refuse in a live trade', () =>
    fc.assert(
      fc.asyncProperty(side, amount, fc.integer({ min: 0, max: 130 }), async (direction, count, percent) => {
        const { total } = honestQuote(direction, count);
        // With the slippage, a purchase can cost 105 percent. So some limits accept it, and some refuse it.
        const perTrade = (total * BigInt(percent)) / 100n;
        const { curvet, signed } = victim(undefined, { limits: { ...limits, perTrade, perDay: toWei('5') } });
        const ask = { agent: AGENT, amount: count };
        const outcome = (promise: Promise<unknown>) =>
          promise.then(
            () => 'accepted',
            (error) => `${error.code} ${error.hint}`,
          );
        const dry = await outcome(curvet.trade.dryRun(direction, ask));
        expect(signed).to.deep.equal([]);
        expect(await outcome(curvet.trade[direction](ask))).to.equal(dry);
        expect(signed).to.have.length(dry === 'accepted' ? 1 : 0);
      }),
      { numRuns: 100 },
    ));
});

describe('a client whose RPC is hostile or confused', () => {
  it('still counts a signed trade if the RPC says that another one has used its nonce', async () => {
    const [large, small] = [
      { agent: AGENT, amount: 20 },
      { agent: AGENT, amount: 1 },
    ];
    const most = (amount: number) => (honestQuote('buy', amount).total * 105n) / 100n + GAS;
    // The daily limit is enough for a large purchase and a small one, but not for a second large one.
    const perDay = (most(20) * 3n) / 2n + most(1);
    const journal = memoryJournal();
    let [refuses, count, first]: [boolean, string, unknown] = [true, '0x0', undefined];
    const tamper: Tamper = (what, answer, request) => {
      if (what === 'eth_sendRawTransaction' && refuses) return { error: { code: -32000, message: 'refused' } };
      const receipt = answer.result as { transactionHash?: string } | undefined;
      if (what === 'eth_getTransactionReceipt' && receipt?.transactionHash === first) return { ...answer, result: null };
      // The RPC says that every deadline has passed.
      const late = { baseFeePerGas: '0x3b9aca00', timestamp: '0xffffffff' };
      const counted = says('eth_getTransactionCount', count)(what, answer, request);
      return says('eth_getBlockByNumber', late)(what, counted, request);
    };
    const { curvet, signed } = victim(tamper, { journal, limits: { ...limits, perDay } });
    expect(await thrown(curvet.trade.buy(large))).to.include({ code: 'RPC' });
    first = (await entriesOf(journal))[0]?.attempts[0]?.hash;
    refuses = false;
    await curvet.trade.buy(small);
    // Both purchases have the same nonce, and the RPC claims that the small one has used it. It may lie, and send the large one, which
    // it also has, to the chain. So the large one still counts in `perDay`.
    count = '0x1';
    expect(await thrown(curvet.trade.buy(large))).to.have.nested.property('details.limit', 'perDay');
    expect(signed.map(({ nonce }) => nonce)).to.deep.equal([0, 0]);
  });

  it('signs with the next nonce of the chain if an expired transaction has a higher one', async () => {
    const journal = memoryJournal();
    const clock = new SleepClock();
    const { curvet, signed, wallet } = victim(undefined, { journal, clock });
    const expired: Entry = {
      id: 'gap',
      kind: 'buy',
      terms: '{}',
      wallet,
      nonce: 7,
      attempts: [],
      atMost: '0',
      signedAt: clock.time - 3_600_000,
      deadline: clock.time / 1000 - 3000,
      state: 'signed',
      open: true,
    };
    await journal.exclusive((file) => file.write([expired]));
    await curvet.trade.buy({ agent: AGENT, amount: 1 });
    expect(signed.map(({ nonce }) => nonce)).to.deep.equal([0]);
  });

  it('trades only with the wallet to which the contract assigns the given name', async () => {
    for (const agent of [NAMED.name, NAMED.agentId]) {
      const { curvet } = victim();
      expect(await curvet.trade.dryRun('buy', { agent, amount: 1 })).to.include({ agent: AGENT });
    }
    const attacks: Tamper[] = [
      (what, answer) =>
        what.startsWith('/api/agents/') ? { ...answer, agent: { walletAddress: `0x${'66'.repeat(20)}` } } : answer,
      (what, answer) => (what.startsWith('/api/agents/') ? { ...answer, agent: {} } : answer),
      says('eth_call', `0x${'0'.repeat(64)}`),
    ];
    for (const tamper of attacks) {
      const { curvet, signed } = victim(tamper);
      const error = await thrown(curvet.trade.buy({ agent: NAMED.name, amount: 1 }));
      expect(error).to.include({ code: 'UNTRUSTED_ANSWER' });
      expect(signed).to.deep.equal([]);
    }
  });

  it('says that it finds no contract if the RPC does not have it', async () => {
    const { curvet, signed } = victim(says('eth_call', '0x'));
    const error = await thrown(curvet.trade.buy({ agent: AGENT, amount: 1 }));
    expect(error)
      .to.include({ code: 'RPC' })
      .and.have.property('message')
      .match(/finds no contract at 0x/);
    expect(signed).to.deep.equal([]);
  });

  it('reports TRADE_REVERTED for a revert without a known reason', async () => {
    const tamper: Tamper = (what, answer) =>
      what === 'eth_call' ? { error: { code: 3, message: 'execution reverted', data: '0x12345678' } } : answer;
    const error = await thrown(victim(tamper).curvet.trade.buy({ agent: AGENT, amount: 1 }));
    expect(error).to.include({ code: 'TRADE_REVERTED', message: 'execution reverted' });
  });
});
