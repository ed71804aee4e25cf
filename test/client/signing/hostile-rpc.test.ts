import { expect } from 'chai';
import { type Entry, memoryJournal } from '../../../client/src/curvet.js';
import { honestQuote, inAnswer, NAMED, type Tamper } from '../support/fake-service.js';
import { SleepClock } from '../support/scripted.js';
import { entriesOf, thrown } from '../support/traders.js';
import { GAS, honest, limits, victim } from '../support/victim.js';

const AGENT = NAMED.wallet;
const OTHER = `0x${'66'.repeat(20)}`;
const REFUSED = { error: { code: -32000, message: 'refused' } };

/** Replaces the result of a method of the RPC. */
const says = (method: string, result: unknown): Tamper => inAnswer(method, { result });

describe('a client whose RPC is hostile or confused', () => {
  it('counts both signatures of a trade whose first nonce the RPC calls used', async () => {
    const [large, small] = [
      { agent: AGENT, amount: 20 },
      { agent: AGENT, amount: 1 },
    ];
    const most = (amount: number) => (honestQuote('buy', amount).total * 105n) / 100n + GAS;
    // The daily limit is enough for one large purchase and one small purchase.
    const perDay = (most(20) * 3n) / 2n + most(1);
    const journal = memoryJournal();
    let [refuses, count, first]: [boolean, string, unknown] = [true, '0x0', undefined];
    const tamper: Tamper = (what, answer, request) => {
      if (what === 'eth_sendRawTransaction' && refuses) return REFUSED;
      const receipt = answer.result as { transactionHash?: string } | undefined;
      if (what === 'eth_getTransactionReceipt' && receipt?.transactionHash === first)
        return { ...answer, result: null };
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
    // Both purchases have the same nonce, and the RPC now says that the small one has used it. The RPC could still send
    // the large one to the chain.
    count = '0x1';
    expect(await thrown(curvet.trade.buy(large))).to.have.nested.property('details.limit', 'perDay');
    expect(signed.map(({ nonce }) => nonce)).to.deep.equal([0, 0]);
  });

  it('signs with the next nonce of the chain if an expired transaction has a higher one', async () => {
    const journal = memoryJournal();
    const clock = new SleepClock();
    const { curvet, signed, wallet } = victim(honest, { journal, clock });
    const expired: Entry = {
      ...{ id: 'gap', kind: 'buy', terms: '{}', wallet, nonce: 7, attempts: [], atMost: '0' },
      ...{ signedAt: clock.time - 3_600_000, deadline: clock.time / 1000 - 3000, state: 'signed', open: true },
    };
    await journal.exclusive((file) => file.write([expired]));
    await curvet.trade.buy({ agent: AGENT, amount: 1 });
    expect(signed.map(({ nonce }) => nonce)).to.deep.equal([0]);
  });

  it('trades with the wallet that the contract names for a name, and with no other', async () => {
    for (const agent of [NAMED.name, NAMED.agentId]) {
      const { curvet } = victim(honest);
      expect(await curvet.trade.dryRun('buy', { agent, amount: 1 })).to.include({ agent: AGENT });
    }
    const attacks: Tamper[] = [
      (what, answer) => (what.startsWith('/api/agents/') ? { ...answer, agent: { walletAddress: OTHER } } : answer),
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

  it('says that an RPC without the contract has none', async () => {
    const { curvet, signed } = victim(says('eth_call', '0x'));
    const error = await thrown(curvet.trade.buy({ agent: AGENT, amount: 1 }));
    expect(error)
      .to.include({ code: 'RPC' })
      .and.have.property('message')
      .match(/finds no contract at 0x/);
    expect(signed).to.deep.equal([]);
  });

  it('calls a revert without a known reason a refusal of the chain', async () => {
    const tamper: Tamper = (what, answer) =>
      what === 'eth_call' ? { error: { code: 3, message: 'execution reverted', data: '0x12345678' } } : answer;
    const error = await thrown(victim(tamper).curvet.trade.buy({ agent: AGENT, amount: 1 }));
    expect(error).to.include({ code: 'TRADE_REVERTED', message: 'execution reverted' });
  });
});
